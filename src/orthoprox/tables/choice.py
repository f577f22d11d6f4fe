"""What is wanted of a table, and how it is to be read where that is not to be guessed."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orthoprox._arrays.inputs import suggestion
from orthoprox.tables.table import named, quoted


@dataclass(frozen=True)
class Choice:
    """Columns by name, and the form of a file of text.

    Each entry of ``columns`` and ``drop`` is a name, or several with commas between them, in double
    quotes where a name has a comma.
    """

    columns: tuple[str, ...] = ()  # the variables; all columns of numbers if it is empty
    drop: tuple[str, ...] = ()  # columns that are no variables
    index: str | None = None  # the column that names the rows; guessed if it is None
    no_index: bool = False  # whether no column names the rows
    header: bool | None = None  # whether the first line has the names; guessed if it is None
    separator: str | None = None
    decimal: str | None = None  # "." or ","
    encoding: str | None = None

    def index_among(self, names: Sequence[str]) -> int | None:
        """Return the column that is asked for as names of the rows."""
        return None if self.index is None else _place(self.index, names, "--index")

    def variables(self, names: Sequence[str]) -> list[int]:
        """Return the columns that may be variables, in their order."""
        dropped = set(_places(self.drop, names, "--drop"))
        wanted = _places(self.columns, names, "--columns") if self.columns else range(len(names))
        return [at for at in wanted if at not in dropped]


def unique(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names, a number added to those that occur again, and a note if there are any."""
    given = list(names)
    counts, taken, found = Counter(given), set(given), []
    seen: Counter[str] = Counter()
    for name in given:
        seen[name] += 1
        new, number = name, seen[name]
        while number > 1 and new in taken:
            new, number = f"{name} ({number})", number + 1
        taken.add(new)
        found.append(new)
    again = [name for name, count in counts.items() if count > 1]
    notes = (f"More than one column has the name {named(again)}; they are numbered.",) if again else ()
    return tuple(found), notes


def default_names(m: int) -> tuple[str, ...]:
    """Return x0, x1, ..., the names of columns without names."""
    return tuple(f"x{i}" for i in range(m))


def _places(entries: Sequence[str], names: Sequence[str], option: str) -> list[int]:
    places: list[int] = []
    for entry in entries:
        parts = [entry] if entry in names else next(csv.reader([entry], skipinitialspace=True), [])
        places += [_place(part, names, option) for part in parts if part]
    return list(dict.fromkeys(places))


def _place(name: str, names: Sequence[str], option: str) -> int:
    if name in names:
        return list(names).index(name)
    if name.strip() in names:
        return list(names).index(name.strip())
    hint = suggestion(name, names) or f" There are {named(names)}."
    raise ValueError(f"{option} has {quoted(name)}, but no column has this name.{hint}")
