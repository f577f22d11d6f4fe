"""Tables of text: comma-separated values and their kin."""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox.tables.cells import is_missing, number, numbers
from orthoprox.tables.choice import default_names, unique
from orthoprox.tables.layout import Layout, layout, rows_of_file
from orthoprox.tables.reader import ROWS, Block, Reader
from orthoprox.tables.table import Table, counted, named, quoted

_WORTH_NAMING = 3  # text columns that have a sentence each


class Delimited(Reader):
    """A table in a file of text: csv, tsv, and whatever separates its cells."""

    @cached_property
    def _layout(self) -> Layout:
        return layout(self.source, self.choice)

    @cached_property
    def _scan(self) -> "_Pass":
        """What one pass over the file tells: which columns have text, which one names the rows."""
        scan = _Pass(self, keep=False)
        for rows in self._rows(ROWS):
            scan.add(rows)
        return scan.finished()

    @property
    def names(self) -> tuple[str, ...]:
        return self._scan.variables

    @property
    def notes(self) -> tuple[str, ...]:
        return self._scan.notes

    def blocks(self, rows: int = ROWS) -> Iterator[Block]:
        scan = self._scan
        for part in self._rows(inputs.integer(rows, "rows")):
            cells = list(zip(*part, strict=True))
            columns = [numbers(cells[at], self._layout.decimal) for at in scan.kept]
            names = None if scan.index is None else tuple(cell.strip() for cell in cells[scan.index])
            yield Block(np.stack(columns, axis=1), names)

    def read(self) -> Table:
        """Return the whole table, in one pass."""
        whole = _Pass(self, keep=True)
        for rows in self._rows(ROWS):
            whole.add(rows)
        self._scan = whole.finished()
        values = np.stack([np.concatenate(whole.values.pop(at)) for at in whole.kept], axis=1)
        names = None if whole.index is None else tuple(cell.strip() for cell in whole.labels)
        return Table(values, whole.variables, names, whole.notes)

    def _rows(self, number: int) -> Iterator[list[list[str]]]:
        """Yield the rows, so many at a time, all as wide as the header."""
        form, rows = self._layout, rows_of_file(self.source, self._layout)
        while part := list(islice(rows, number)):
            for line, row in part:
                if len(row) != form.width:
                    raise ValueError(self._uneven(line, len(row)))
            yield [row for _, row in part]

    def _uneven(self, line: int, cells: int) -> str:
        form = self._layout
        first = "the header" if form.names else "the first row"
        return (
            f"{self.source.label}, line {line}: {counted(cells, 'cell')}, but {first} has {form.width}. "
            "Mend this line; a separator inside a text needs quotes around the text."
        )


class _Pass:
    """A pass over a file: the columns of numbers, and what the others are."""

    def __init__(self, reader: Delimited, *, keep: bool) -> None:
        self.reader, self.form, self.keep = reader, reader._layout, keep
        self.all, self._notes = unique(self.form.names or default_names(self.form.width))
        choice = reader.choice
        asked = choice.index_among(self.all)
        self.index = None if choice.no_index else self.form.index if asked is None else asked
        wanted = choice.variables(self.all)
        if asked is None and choice.columns and self.index in wanted:
            self.index = None  # the column is wanted as a variable
        self.kept = [at for at in wanted if at != self.index]
        self.may_name = not choice.no_index and self.index is None and not (choice.columns and 0 in wanted)
        self.labels: list[str] = []  # of the column that names the rows, or may do so
        self.texts: dict[int, tuple[str, int]] = {}  # a text and its row, of columns that have any
        self.filled: set[int] = set()  # columns that have a number
        self.values: dict[int, list[Any]] = {at: [] for at in self.kept}
        self.rows = 0

    def add(self, rows: list[list[str]]) -> None:
        """Take in some rows."""
        cells = list(zip(*rows, strict=True))
        label = 0 if self.may_name else self.index
        if label is not None:
            self.labels += cells[label]
        for at in [at for at in self.kept if at not in self.texts]:
            found = numbers(cells[at], self.form.decimal)
            if isinstance(found, int):
                self.texts[at] = cells[at][found], self.rows + found + 1
                self.values[at].clear()
                continue
            if at not in self.filled and not np.all(np.isnan(found)):
                self.filled.add(at)
            if self.keep:
                self.values[at].append(found)
        self.rows += len(rows)

    def finished(self) -> "_Pass":
        """Decide which columns are variables, and write the notes."""
        label = self.reader.source.label
        if not self.rows:
            raise ValueError(f"{label} has a header but no rows; it needs at least two rows of numbers.")
        self._notes += self._names_told()
        if self.may_name and self._first_names_rows():
            self.index = 0
            self.kept = [at for at in self.kept if at != 0]
        if self.index is not None:
            name = self.all[self.index]
            column = "The first column" if name == "column 1" else f"Column {quoted(name)}"
            self._notes += (f"{column} names the rows.",)
        texts = [at for at in self.kept if at in self.texts]
        if texts and self.reader.choice.columns:
            cell, row = self.texts[texts[0]]
            raise ValueError(f"--columns has {quoted(self.all[texts[0]])}, which has the text {quoted(cell)} in row {row}.")
        empty = [at for at in self.kept if at not in self.texts and at not in self.filled]
        self.kept = [at for at in self.kept if at in self.filled and at not in self.texts]
        self._notes += (*self._texts_told(texts), *_empty_told([self.all[at] for at in empty]))
        if not self.kept:
            raise ValueError(f"{label} has no column of numbers among {named(self.all)}; check --separator and --columns.")
        self.variables, self.notes = tuple(self.all[at] for at in self.kept), self._notes
        return self

    def _first_names_rows(self) -> bool:
        """Tell whether the first column has text, another one in each row."""
        has_text = 0 in self.texts or (0 not in self.kept and isinstance(numbers(self.labels, self.form.decimal), int))
        distinct = len(set(self.labels)) == len(self.labels)
        return has_text and distinct and self.rows > 1 and not any(is_missing(cell) for cell in self.labels)

    def _names_told(self) -> tuple[str, ...]:
        """Tell of a header that nobody asked for and in which numbers stand beside names."""
        names = self.form.names or ()
        odd = [name for name in names if number(name, self.form.decimal) is not None]
        if self.reader.choice.header is not None or not 0 < len(odd) < len(names):
            return ()
        return (f"The first line is read as names, with numbers among them ({named(odd)}); if it is none, pass --no-header.",)

    def _texts_told(self, texts: list[int]) -> tuple[str, ...]:
        if len(texts) > _WORTH_NAMING:
            return (f"{len(texts)} columns of text are left out: {named(self.all[at] for at in texts)}.",)
        return tuple(
            f"Column {quoted(self.all[at])} is left out: it has text, such as {quoted(cell)} in row {row}."
            for at, (cell, row) in ((at, self.texts[at]) for at in texts)
        )


def _empty_told(empty: list[str]) -> tuple[str, ...]:
    verb = "is" if len(empty) == 1 else "are"
    return (f"{counted(len(empty), 'column')} without any value {verb} left out: {named(empty)}.",) if empty else ()
