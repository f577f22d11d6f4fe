"""Rows of a matrix in blocks: the one interface behind which files, iterators and Dask stand."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown
from orthoprox.streams.accumulation import Accumulation
from orthoprox.streams.ahead import ahead
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]
Seen = Callable[[int, int | None], object]  # of the rows so far, and of all if that is known
BLOCK_BYTES = 2**26  # of a block in double precision
GRAM = 20_000  # columns up to which the m x m matrix is formed


class Blocks(ABC):
    """Rows of a matrix that are read in blocks, in order, each checked.

    A pass over the rows is :meth:`moments`, :meth:`total` or :meth:`joined`. Memory is that of two
    blocks, one that is used and one that is read meanwhile, and of what the pass returns.
    """

    label = "A"  # what messages call the matrix
    names: tuple[str, ...] | None = None  # of the columns
    seen: Seen | None = None  # is told of each block
    known: Moments | None = None  # what a pass has found
    origin = 0  # the number of the first row, in messages

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""

    @property
    @abstractmethod
    def dtype(self) -> Any:
        """The precision of the entries."""

    @abstractmethod
    def read(self) -> Iterator[Any]:
        """Yield the blocks as they are stored: whatever becomes an array or is sparse."""

    @contextmanager
    def watched(self, seen: Seen | None) -> Iterator[None]:
        """Let passes within tell ``seen`` how many rows they have read, of how many; it may end
        them by an exception.
        """
        around = self.seen
        if seen is not None:
            self.seen = seen if around is None else lambda *rows: (seen(*rows), around(*rows))
        try:
            yield
        finally:
            self.seen = around

    def moments(self, *, cross: bool) -> Moments:
        """Return the moments of the rows; one pass, unless they are known."""
        if self.known is None or (cross and not self.known.cross):
            self.known = self._moments(cross)
        return self.known

    def _moments(self, cross: bool) -> Moments:
        sums = Accumulation(self.columns, cross=cross)
        for start, block in self.blocks():
            try:
                sums.add(block)
            except ValueError as error:
                raise ValueError(f"{self.label}: {error} These are the rows from {self.origin + start} on.") from error
        return Moments.of(sums)

    @property
    def columns(self) -> int:
        """How many there are; of rows that come once only, this is known before their number."""
        return self.shape[1]

    def forget(self) -> None:
        """Give the m x m matrix of the moments up, where it has been used."""
        if self.known is not None and self.known.cross:
            self.known = Moments(
                self.known.m, cross=False, count=self.known.count, mean=self.known.mean, scatter=self.known.squares.copy()
            )

    def total(self, function: Callable[[Any, int], Any]) -> Any:
        """Return the sum of ``function(block, first row)`` over the blocks."""
        sums: Any = None
        for start, block in self.blocks():
            part = function(block, start)
            if sums is None:
                sums = part
            else:
                sums += part
        return sums

    def joined(self, function: Callable[[Any, int], Matrix]) -> Matrix:
        """Return what the function gives for the blocks, one below the other."""
        return stacked([function(block, start) for start, block in self.blocks()])

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the number of the first row and the rows, a finite array or CSR array of floating
        point numbers; the next block is read meanwhile.
        """
        for start, block in ahead(self._checked()):
            yield start, block
            if self.seen is not None:
                self.seen(start + block.shape[0], self.rows_in_all())

    def _checked(self) -> Iterator[tuple[int, Any]]:
        start, rows, number = 0, iter(self.read()), 0
        while True:
            try:
                block = next(rows, None)
            except (ValueError, TypeError, ImportError, MemoryError):
                raise
            except Exception as error:
                place = f"block {number}, row {self.origin + start} on"
                raise OSError(
                    f"{self.label} could not be read beyond {place}: {error}. Check the file or the source."
                ) from error
            if block is None:
                break
            found = checked(block, f"{self.label}, block {number}", self.columns, self.origin + start)
            yield start, found
            start, number = start + found.shape[0], number + 1
        if number == 0:
            raise ValueError(f"{self.label} has no rows; it needs blocks of rows, at least one.")

    def rows_in_all(self) -> int | None:
        """Return the number of rows, None if it is not known yet."""
        return self.shape[0]

    @property
    def once(self) -> bool:
        """Whether the rows come only once."""
        return False


def stacked(parts: Sequence[Matrix]) -> Matrix:
    """Return rows of vectors, matrices or stacks of these, one below the other."""
    return np.concatenate(parts, axis=-2 if parts[0].ndim > 1 else 0)


def checked(block: Any, name: str, m: int, start: int) -> Any:
    """Return a block as an array or a CSR array of single or double precision; raise where it has
    another number of columns, or entries that are not finite, and name the first.
    """
    if not sp.issparse(block):
        block = array_of(block, name)
    check_dtype(block.dtype, name)
    if len(block.shape) != 2 or block.shape[1] != m:
        raise ValueError(f"{name} has shape {tuple(block.shape)}; it needs two dimensions and {m} columns, as the first block.")
    if 0 in block.shape:
        raise ValueError(f"{name} is empty, shape {tuple(block.shape)}; leave it out.")
    block = sp.csr_array(block) if sp.issparse(block) else block
    if block.dtype not in (np.float32, np.float64):
        block = block.astype(np.float64)
    entries = block.data if sp.issparse(block) else block
    with np.errstate(all="ignore"):
        finite = np.isfinite(np.sum(entries))  # NaN and infinity stay in a sum
    if not finite and not np.all(np.isfinite(entries)):
        row, column = first_bad(block)
        raise ValueError(
            f"{name} contains NaN or infinite entries, the first in row {start + row} ({row} of the block), column {column}; "
            "remove or impute them first."
        )
    return block


def check_dtype(dtype: Any, name: str) -> None:
    """Raise ``TypeError`` unless entries of this kind are real numbers."""
    if np.dtype(dtype).kind not in "fiub":
        fix = "orthoprox works with real matrices, pass real data" if np.dtype(dtype).kind == "c" else "it needs real numbers"
        raise TypeError(f"{name} has entries of dtype {np.dtype(dtype)}; {fix}.")


def first_bad(block: Any) -> tuple[int, int]:
    """Return row and column of the first entry that is not finite."""
    if sp.issparse(block):
        at = int(np.flatnonzero(~np.isfinite(block.data))[0])
        return int(np.searchsorted(block.indptr, at, side="right")) - 1, int(block.indices[at])
    row = int(np.flatnonzero(~np.all(np.isfinite(block), axis=1))[0])
    return row, int(np.flatnonzero(~np.isfinite(block[row]))[0])


def array_of(block: Any, name: str) -> Matrix:
    """Return rows that are no sparse matrix as an array; raise unless they are numbers."""
    if isinstance(block, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill or remove its missing entries first.")
    try:
        found = np.asarray(block)
    except ValueError as error:  # of nested lists
        raise ValueError(f"{name} has rows of different lengths; they need the same number of columns.") from error
    if found.dtype.kind == "O" and found.ndim == 2:
        return np.asarray(inputs.matrix(block, name, nan=True))
    if found.dtype.kind not in "fiubc" or found.ndim == 0:
        raise TypeError(f"{name} is {shown(block)}; it needs rows of real numbers, an array or a sparse matrix.")
    return found.view(np.ndarray)
