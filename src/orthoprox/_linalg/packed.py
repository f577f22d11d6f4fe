"""Some entries of matrices of one shape, as columns of numbers; products that look at nothing
else.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._linalg.products import kernels

Matrix = np.ndarray[Any, Any]


class PackedEntries:
    """The N entries in a mask, column by column.

    A matrix that vanishes elsewhere is a column of N numbers. A product X'Y of two such matrices
    vanishes but for the ``pairs`` of columns that overlap in a row, and is a column of numbers as
    well.
    """

    def __init__(self, mask: Matrix) -> None:
        self.shape = m, n = mask.shape
        self.columns, self.rows = np.nonzero(mask.T)
        self._counts = np.bincount(self.rows, minlength=m), np.bincount(self.columns, minlength=n)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def overlaps(self) -> tuple[float, float]:
        """How many pairs of entries share a row, and a column: the numbers of operations of the
        products below.
        """
        in_rows, in_columns = (float(np.sum(counts.astype(float) ** 2)) for counts in self._counts)
        return in_rows, in_columns

    def take(self, M: Any) -> Any:
        """Return these entries of a matrix, or of what broadcasts to one; a number stays a
        number.
        """
        return M if np.ndim(M) == 0 else np.broadcast_to(M, self.shape)[self.rows, self.columns].reshape(-1, 1)

    def put(self, x: Matrix) -> Matrix:
        """Return the matrix with these entries."""
        X = np.zeros(self.shape, dtype=x.dtype)
        X[self.rows, self.columns] = x[:, 0]
        return X

    def sparse(self, x: Matrix) -> Any:
        """Return the matrix with these entries as a scipy.sparse array."""
        starts = np.concatenate([[0], np.cumsum(self._counts[1])])
        return sp.csc_array((x[:, 0], self.rows, starts), shape=self.shape)

    def within_columns(self, H: Matrix) -> Any:
        """Return the sparse matrix that takes the entries of X to those of HX."""
        starts, second = _overlaps(self.columns, self._counts[1])
        values = H[np.repeat(self.rows, np.diff(starts)), self.rows[second]]
        return sp.csr_array((values, second, starts), shape=(len(self),) * 2)

    @property
    def pairs(self) -> tuple[Matrix, Matrix]:
        """The ordered pairs of columns that overlap in a row."""
        return self._rows.pairs

    def right(self, x: Matrix, s: Matrix) -> Matrix:
        """Return the entries of XS, with those of S at the pairs."""
        rows = self._rows
        if kernels is not None:
            return np.asarray(kernels.overlap_right(rows.lists, x, s))
        product = np.empty_like(x)
        product[rows.order, 0] = np.add.reduceat(s[rows.pair, 0] * x[rows.other, 0], rows.starts[:-1])
        return product

    def cross(self, x: Matrix, y: Matrix) -> Matrix:
        """Return X'Y at the pairs."""
        rows = self._rows
        if kernels is not None:
            return np.asarray(kernels.overlap_cross(rows.lists, x, y, len(rows.pairs[0])))
        products = x[np.repeat(rows.order, np.diff(rows.starts)), 0] * y[rows.other, 0]
        return np.bincount(rows.pair, products, len(rows.pairs[0])).astype(x.dtype).reshape(-1, 1)

    @cached_property
    def _rows(self) -> "_RowOverlaps":
        order, n = np.argsort(self.rows, kind="stable"), self.shape[1]
        starts, second = _overlaps(self.rows[order], self._counts[0])
        other = order[second]
        keys = np.repeat(self.columns[order] * n, np.diff(starts)) + self.columns[other]
        number = np.zeros(n * n, dtype=np.int64)
        number[keys] = 1
        overlapping = np.flatnonzero(number)
        number[overlapping] = np.arange(len(overlapping))
        return _RowOverlaps(order, starts, other, number[keys], (overlapping // n, overlapping % n))


@dataclass(frozen=True)
class _RowOverlaps:
    """Which entries share a row."""

    order: Matrix  # the entries row by row
    starts: Matrix  # where the overlaps of each begin
    other: Matrix  # the entry that shares its row
    pair: Matrix  # and the number of their pair of columns
    pairs: tuple[Matrix, Matrix]

    @property
    def lists(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """All but the pairs, as compiled loops take them."""
        return self.order, self.starts, self.other, self.pair


def _overlaps(groups: Matrix, counts: Matrix) -> tuple[Matrix, Matrix]:
    """Return where the overlaps of each place with those of its group begin, itself among them, and
    with whom it overlaps.

    ``groups`` is sorted, and group k has ``counts[k]`` places.
    """
    first = np.cumsum(counts) - counts
    return ranges(first[groups], counts[groups])


def ranges(first: Matrix, sizes: Matrix) -> tuple[Matrix, Matrix]:
    """Return where each of the ranges first[k], first[k] + 1, ... of given sizes begins in their
    sequence, and the sequence.
    """
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)
