"""What a reader of tables is, and readers of formats that hold one matrix."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox.tables.choice import Choice, default_names, unique
from orthoprox.tables.source import Source
from orthoprox.tables.table import Table

ROWS = 8192  # of a block


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a table, in their order."""

    values: Any  # a NumPy array or a CSR array
    row_names: tuple[str, ...] | None


class Reader(ABC):
    """A table in a file. Columns, names and notes are those that the whole file gives, also of a
    table that is read block by block.
    """

    kind = "a file of text"  # in messages

    def __init__(self, source: Source, choice: Choice | None = None) -> None:
        self.source, self.choice = source, choice or Choice()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is left out or guessed."""

    @abstractmethod
    def blocks(self, rows: int = ROWS) -> Iterator[Block]:
        """Yield the rows from the first to the last, so many at a time."""

    @property
    def size(self) -> int:
        """The bytes that the table takes in memory, 0 if that is not known before it is read."""
        return 0

    def read(self) -> Table:
        """Return the whole table."""
        blocks = list(self.blocks())
        if not blocks:
            raise ValueError(f"{self.source.label} has no rows; it needs at least two rows of numbers.")
        values = [block.values for block in blocks]
        stacked = sp.vstack(values, format="csr") if sp.issparse(values[0]) else np.concatenate(values)
        parts = [block.row_names for block in blocks]
        row_names = None if parts[0] is None else tuple(name for part in parts for name in part or ())
        return Table(stacked, self.names, row_names, self.notes)


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix as a file holds it; what has no name is numbered."""

    values: Any  # anything with a shape that gives NumPy or CSR arrays for slices of rows
    names: tuple[str, ...] | None = None
    row_names: tuple[str, ...] | None = None


class MatrixReader(Reader):
    """A reader of a format that holds one matrix."""

    kind = "read as a whole"

    @abstractmethod
    def open(self) -> Matrix:
        """Return the matrix; its values may stay in the file."""

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix, checked."""
        found = self.open()
        shape = tuple(found.values.shape)
        if len(shape) != 2:
            raise ValueError(f"{self.source.label} has an array of shape {shape}; it needs two dimensions, rows and columns.")
        if 0 in shape:
            raise ValueError(f"{self.source.label} has a matrix of shape {shape}; it needs at least one row and one column.")
        dtype = np.dtype(found.values.dtype)
        if dtype.kind not in "fiub":
            raise ValueError(f"{self.source.label} has entries of dtype {dtype}; it needs real numbers.")
        return found

    @cached_property
    def _named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names = self.matrix.names
        return unique(default_names(self.matrix.values.shape[1]) if names is None else names)

    @cached_property
    def chosen(self) -> Any:
        """The columns that are variables: all, or some."""
        if self.choice.index is not None:
            raise ValueError(f"--index goes with tables that have columns of text, {self.source.label} has none; leave it out.")
        if not (self.choice.columns or self.choice.drop):
            return slice(None)
        return np.array(self.choice.variables(self._named[0]), dtype=int)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(np.array(self._named[0], dtype=object)[self.chosen].tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        return self._named[1]

    @property
    def size(self) -> int:
        values = self.matrix.values
        entries = getattr(values, "nnz", None)
        return 8 * math.prod(values.shape) if entries is None else 12 * int(entries)

    @property
    def on_disk(self) -> bool:
        """Whether rows are read when they are asked for."""
        return isinstance(self.matrix.values, np.memmap) or not (
            isinstance(self.matrix.values, np.ndarray) or sp.issparse(self.matrix.values)
        )

    def blocks(self, rows: int = ROWS) -> Iterator[Block]:
        rows, values, names = inputs.integer(rows, "rows"), self.matrix.values, self.matrix.row_names
        for start in range(0, values.shape[0], rows):
            part = values[start : start + rows]
            part = sp.csr_array(part) if sp.issparse(part) else np.asarray(part)
            yield Block(_real(part[:, self.chosen]), None if names is None else names[start : start + rows])


def _real(values: Any) -> Any:
    """Return numbers in double precision, or in single precision if they are."""
    return values if values.dtype == np.float32 else values.astype(np.float64)
