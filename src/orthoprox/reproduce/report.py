"""The report of a reproduction: one page to read, the same in Markdown, and its tables and figures
as files.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from orthoprox.reproduce.section import Claim, Section
from orthoprox.reproduce.table import Table, markdown, plain

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('A report needs jinja2 and matplotlib: pip install "orthoprox[reproduce]".') from error

TEMPLATES = Path(__file__).with_name("templates")
DASH = "—"
MARKS = {True: "✓ agrees", False: "✗ differs", None: "? not decided"}


@dataclass(frozen=True)
class Picture:
    """A figure as the page shows it."""

    name: str
    caption: str
    alt: str
    uri: str
    width: int  # in pixels, of which an inch has 96, as the browser counts them
    height: int


def write(
    out: Path,
    sections: Sequence[Section],
    *,
    title: str,
    remarks: Sequence[str],
    facts: Mapping[str, str],
    commands: Sequence[str] = (),
) -> Path:
    """Write the report into the folder and return the path of its page, index.html, which needs no
    other file.

    Beside it stand report.md, the tables in Markdown and LaTeX, and the figures in PNG and SVG;
    other files stay as they are.

    Parameters
    ----------
    out : Path
        The folder; it is made if it is not there.
    sections : sequence of Section
        In the order of the page. Their ids name anchors and files, and so do the names of their
        figures.
    title : str
        The title of the page.
    remarks : sequence of str
        Sentences that a reader has to know first, in a box on top.
    facts : mapping
        What is to be known about the runs as a whole: the machine, the versions, the date.
    commands : sequence of str
        Those that make what the report shows.
    """
    _distinct("section", [section.id for section in sections])
    _distinct("figure", [name for section in sections for name in section.figures])
    (out / "tables").mkdir(parents=True, exist_ok=True)
    (out / "figures").mkdir(exist_ok=True)
    for section in sections:
        for k, table in enumerate(section.tables, 1):
            stem = out / "tables" / f"{section.id}-{k}"
            _save(stem.with_name(f"{stem.name}.md"), f"{plain(table.title)}\n\n{table.markdown()}\n")
            _save(stem.with_name(f"{stem.name}.tex"), table.latex() + "\n")
    content = {
        "title": title,
        "remarks": remarks,
        "facts": facts,
        "commands": commands,
        "sections": sections,
        "pictures": {section.id: pictures(section, out / "figures") for section in sections},
    }
    environment = _environment()
    for template, file in (("report.html", "index.html"), ("report.md", "report.md")):
        _save(out / file, environment.get_template(template).render(content))
    return out / "index.html"


def pictures(section: Section, folder: Path) -> list[Picture]:
    """Save the figures of a section, in PNG and SVG, and return them as the page shows them."""
    return [
        _picture(name, figure, section.captions.get(name, ""), section.title, folder)
        for name, figure in section.figures.items()
    ]


def _picture(name: str, figure: Figure, caption: str, title: str, folder: Path) -> Picture:
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # which would move the axes a little in every further drawing
    with rc_context({"svg.hashsalt": "orthoprox", "savefig.bbox": None, "savefig.facecolor": "white"}):
        figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    uri = "data:image/png;base64," + b64encode((folder / f"{name}.png").read_bytes()).decode()
    width, height = (round(96 * inches) for inches in figure.get_size_inches())
    return Picture(name, caption, caption or title, uri, width, height)


def ratio(claim: Claim) -> str:
    """Return what was found over what the paper says with three significant digits, or a dash."""
    if claim.ratio is None or not isfinite(claim.ratio):
        return DASH
    scientific = f"{claim.ratio:.2e}"
    exponent = int(scientific.split("e")[1])
    return f"{float(scientific):.{max(0, 2 - exponent)}f}" if -3 <= exponent <= 4 else scientific


def mark(claim: Claim) -> str:
    """Return whether the claim agrees with what was found, in a sign and a word."""
    return MARKS[claim.agrees]


def counts(section: Section) -> list[str]:
    """Return how many claims agree, differ and are not decided, or dashes if there are none."""
    found = [claim.agrees for claim in section.claims]
    return [str(found.count(decision)) if found else DASH for decision in MARKS]


def differing(section: Section) -> list[tuple[str, list[Claim]]]:
    """Return each sentence about claims that differ, with those claims."""
    found: dict[str, list[Claim]] = {}
    for claim in section.claims:
        if claim.agrees is False and claim.sentence:
            found.setdefault(claim.sentence, []).append(claim)
    return list(found.items())


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which empty lines separate."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def summary(sections: Sequence[Section]) -> str:
    """Return the table in Markdown that has one line for each section."""
    rows = [[f"[{plain(s.title)}](#{s.id})", plain(s.reference), plain(s.verdict), *counts(s)] for s in sections]
    return markdown(["section", "in the paper", "here", "agree", "differ", "not decided"], rows)


def claimed(section: Section) -> Table:
    """Return the table of the claims."""
    rows = [(claim.what, claim.paper, claim.here, ratio(claim), mark(claim)) for claim in section.claims]
    return Table("Claims", ("", "paper", "here", "ratio", "found"), tuple(rows))


def listed(facts: Mapping[str, str]) -> Table:
    """Return the table of the facts."""
    return Table("Facts", ("", ""), tuple(facts.items()))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for function in (ratio, mark, counts, differing, paragraphs, summary, claimed, listed, plain):
        environment.filters[function.__name__] = function
    return environment


def _distinct(kind: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"More than one {kind} has the name {', '.join(twice)}; their files would overwrite each other.")


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
