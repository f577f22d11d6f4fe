"""The sums behind column means and scatter, added to in place.

A block of n2 rows is merged with the n1 rows before it (Chan, Golub and LeVeque 1983):

    n = n1 + n2,  d = mean2 - mean1,  mean = mean1 + d n2 / n,  S = S1 + S2 + d d' n1 n2 / n.

Let D have the rows of the block less mean1. Then S2 = D'D - n2 d d', so that

    S = S1 + D'D - d d' n2^2 / n,

and the block is gone through once. As n2 d_j^2 <= (D'D)_jj, at most n2 / n of what D'D adds to the
diagonal is subtracted again: half of it if n2 <= n1, which costs one bit. A block of more rows than
came before, the first one as a rule, is centred by its own mean, and gone through twice.

Memory: S, the block, and a strip of ``_STRIP`` rows of S.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays.arithmetic import quiet
from orthoprox.streams.sparse import SparseColumns

Matrix = np.ndarray[Any, Any]
_STRIP = 1024  # rows of S that are computed at a time where S is large
_CACHED = 2**22  # bytes of rows in double precision that are centred at a time
_LEAST = 1024  # rows at a time: a product of fewer is bound by memory, that of S


class Accumulation:
    """The number of rows, their mean and their scatter S, or its diagonal alone without ``cross``.
    Of a large S only the block triangle above the diagonal is kept up to date.
    """

    def __init__(self, m: int, *, cross: bool = True) -> None:
        self.m, self.cross, self.count = m, cross, 0
        self.mean: Matrix = np.zeros(m)
        self.scatter: Matrix = np.zeros((m, m) if cross else m)

    @quiet()
    def add(self, block: Any) -> None:
        """Add the rows of a block, an array or a CSR array of finite numbers."""
        n = block.shape[0]
        total = self.count + n
        weight = self.count * (n / total)  # of d d' in S
        if sp.issparse(block):
            columns = SparseColumns.of(block)
            d = columns.mean - self.mean
            self.scatter += columns.scatter() if self.cross else columns.squares
        elif n <= self.count:
            d, weight = self._add_rows(block, self.mean) / n, -n * (n / total)
        else:
            mean = self._mean_of(block)
            d = mean - self.mean
            self._add_rows(block, mean)
        squares = np.diagonal(self.scatter) if self.cross else self.scatter
        if not (np.all(np.isfinite(d)) and np.all(np.isfinite(squares))):
            raise ValueError("block has entries so large that their squares overflow; scale it.")
        if self.count:
            self._add_outer(d, weight)
        self.mean = self.mean + d * (n / total)
        self.count = total

    def symmetric(self) -> Matrix:
        """Return S with both triangles."""
        if self.cross and self.m > _STRIP:
            for rows in self._strips():
                self.scatter[rows.stop :, rows] = self.scatter[rows, rows.stop :].T
        return self.scatter

    def _mean_of(self, block: Matrix) -> Matrix:
        """Return the mean of the rows. What is added up are differences from a mean that is known,
        or from the first row: those of a constant column are 0.
        """
        origin = self.mean if self.count else block[0].astype(np.float64)
        sums = np.zeros(self.m)
        for D in _centred(block, origin):
            sums += _sum(D)
        return np.asarray(origin + sums / len(block))

    def _add_rows(self, block: Matrix, origin: Matrix) -> Matrix:
        """Add D'D to S, D the rows less the origin, and return the sums of the columns of D."""
        sums = np.zeros(self.m)
        for D in _centred(block, origin):
            sums += _sum(D)
            self._add_products(D)
        return sums

    def _add_products(self, D: Matrix) -> None:
        if not self.cross:
            self.scatter += np.einsum("ij,ij->j", D, D)
        elif self.m <= _STRIP:
            self.scatter += np.matmul(D.T, D)
        else:
            for rows in self._strips():
                self.scatter[rows, rows] += np.matmul(D[:, rows].T, D[:, rows])  # one triangle is computed
                self.scatter[rows, rows.stop :] += np.matmul(D[:, rows].T, D[:, rows.stop :])

    def _add_outer(self, d: Matrix, weight: float) -> None:
        if not self.cross:
            self.scatter += weight * d * d
            return
        for rows in self._strips():
            self.scatter[rows, rows.start :] += np.multiply.outer(weight * d[rows], d[rows.start :])

    def _strips(self) -> Iterator[slice]:
        for start in range(0, self.m, _STRIP):
            yield slice(start, min(start + _STRIP, self.m))


def _sum(D: Matrix) -> Matrix:
    found: Matrix = np.matmul(np.ones(len(D)), D)
    return found


def _centred(block: Matrix, origin: Matrix) -> Iterator[Matrix]:
    """Yield the rows less the origin, some at a time, in double precision; the next ones take the
    place of those before.
    """
    step = max(_CACHED // (8 * block.shape[1]), _LEAST)
    place = np.empty((min(step, block.shape[0]), block.shape[1]))
    for start in range(0, block.shape[0], step):
        rows = block[start : start + step]
        D = place[: len(rows)]
        np.copyto(D, rows)
        D -= origin
        yield D
