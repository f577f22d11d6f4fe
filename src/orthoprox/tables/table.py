"""A table in memory."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

_NAMED = 3  # things that a message names


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers with names: a row for each sample, a column for each variable."""

    values: Any  # a NumPy array or a CSR array, NaN where a value is missing
    names: tuple[str, ...]  # of the columns, each once
    row_names: tuple[str, ...] | None  # None if the rows have no names
    notes: tuple[str, ...] = ()  # sentences on what was left out or guessed

    @property
    def sparse(self) -> bool:
        """Whether only the nonzeros are stored."""
        return bool(sp.issparse(self.values))

    def columns(self, kept: Any, *notes: str) -> "Table":
        """Return the table with these columns alone, in their order."""
        names = tuple(np.array(self.names, dtype=object)[kept].tolist())
        return replace(self, values=self.values[:, kept], names=names, notes=(*self.notes, *notes))

    def rows(self, kept: Any, *notes: str) -> "Table":
        """Return the table with these rows alone."""
        names = None if self.row_names is None else tuple(np.array(self.row_names, dtype=object)[kept].tolist())
        return replace(self, values=self.values[kept], row_names=names, notes=(*self.notes, *notes))


def named(names: Any) -> str:
    """Return the first few names in quotes, and how many more there are."""
    shown = [quoted(name) for name in names]
    if len(shown) > _NAMED + 1:
        return f"{', '.join(shown[:_NAMED])} and {len(shown) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def quoted(text: str, most: int = 60) -> str:
    """Return a name or a cell in quotes, cut where it is long."""
    return repr(text if len(text) <= most else f"{text[: most - 1]}…")


def counted(number: int, noun: str) -> str:
    """Return "1 row", "1,200 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
