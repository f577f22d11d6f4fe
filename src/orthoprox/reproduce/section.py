"""What a report is made of: sections with tables, figures, and what the paper claims beside what
was found.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class IncompleteError(ValueError):
    """The rows at hand are too few for a section; the message says what it needs."""


@dataclass(frozen=True)
class Claim:
    """One statement or number of the paper, beside what was found here."""

    what: str  # "SOC/LSALM, time at m = 300"
    paper: str  # as printed there
    here: str
    ratio: float | None = None  # here over paper, where both are numbers
    agrees: bool | None = None  # None: the runs that would decide it were not made
    sentence: str = ""  # where they differ: how, and the likely reason
    tested: str = ""  # where they differ: what a test of this claim alone found


@dataclass(frozen=True)
class Section:
    """One table or figure of the paper, made again."""

    id: str  # "table-spca"
    title: str
    reference: str  # where it stands in the paper: "Table 1"
    about: str  # what is run and how, in a paragraph or two, separated by empty lines
    verdict: str  # one sentence: what of it holds here
    figures: dict[str, "Figure"] = field(default_factory=dict)  # by file name
    captions: dict[str, str] = field(default_factory=dict)  # by the same names
    tables: tuple[Table, ...] = ()
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()  # on the runs: how many, failed, stale, reduced size, which data

    @classmethod
    def of(cls, spec: Spec, *, verdict: str, **content: Any) -> "Section":
        """Return the section on a spec, with its title and what it says about itself."""
        return cls(spec.id, spec.title, spec.reference, spec.about, verdict=verdict, **content)
