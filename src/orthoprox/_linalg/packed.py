"""Some entries of matrices of one shape, as columns of numbers: products that look at nothing else,
and the equations X'X = I linearised in them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._linalg.products import compiled

Matrix = np.ndarray[Any, Any]

_DENSE = 2e4  # entries of J up to which arrays are faster than sparse ones
_DAMPING = 500  # machine epsilons: equations may be dependent


class PackedEntries:
    """The N entries in a mask, column by column.

    A matrix that vanishes elsewhere is a column of N numbers. A product X'Y of two such matrices
    vanishes but for the ``pairs`` of columns that overlap in a row, and is a column of numbers as
    well.
    """

    def __init__(self, mask: Matrix) -> None:
        self.shape = m, n = mask.shape
        self.columns, self.rows = np.divmod(np.flatnonzero(mask.T), m)
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
        values = H.take(np.repeat(self.rows * len(H), np.diff(starts)) + self.rows[second])
        return sp.csr_array((values, second, starts), shape=(len(self),) * 2)

    def matrix(self, H: Matrix, S: Matrix) -> Matrix:
        """Return the matrix that takes the entries of X to those of HX + XS."""
        rows, columns = self.rows, self.columns
        return np.where(columns[:, None] == columns, H[np.ix_(rows, rows)], 0) + np.where(
            rows[:, None] == rows, S[np.ix_(columns, columns)], 0
        )

    @property
    def pairs(self) -> tuple[Matrix, Matrix]:
        """The ordered pairs of columns that overlap in a row."""
        return self._rows.pairs

    def right(self, x: Matrix, s: Matrix) -> Matrix:
        """Return the entries of XS, with those of S at the pairs."""
        rows = self._rows
        if (kernels := compiled()) is not None:
            return np.asarray(kernels.overlap_right(rows.lists, x, s))
        product = np.empty_like(x)
        product[rows.order] = sp.csr_array((s[rows.pair, 0], rows.other, rows.starts), shape=(len(x),) * 2) @ x
        return product

    def cross(self, x: Matrix, y: Matrix) -> Matrix:
        """Return X'Y at the pairs."""
        rows = self._rows
        if (kernels := compiled()) is not None:
            return np.asarray(kernels.overlap_cross(rows.lists, x, y, len(rows.pairs[0])))
        one, other, starts = rows.by_pair
        return np.asarray(sp.csr_array((x[one, 0], other, starts), shape=(len(rows.pairs[0]), len(x))) @ y)

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

    @cached_property
    def by_pair(self) -> tuple[Matrix, Matrix, Matrix]:
        """The same pair by pair: the two entries of each overlap, and where a pair begins."""
        places = np.argsort(self.pair, kind="stable")
        one = np.repeat(self.order, np.diff(self.starts))
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.pair, minlength=len(self.pairs[0])))])
        return one[places], self.other[places], starts


def _overlaps(groups: Matrix, counts: Matrix) -> tuple[Matrix, Matrix]:
    """Return where the overlaps of each place with those of its group begin, itself among them, and
    with whom it overlaps.

    ``groups`` is sorted, and group k has ``counts[k]`` places.
    """
    first = np.cumsum(counts) - counts
    return ranges(first[groups], counts[groups])


def ranges(first: Matrix, sizes: Matrix) -> tuple[Matrix, Matrix]:
    """Return where ranges first[k], first[k] + 1, ... of given sizes begin in a row, and all."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)


def beside_coordinates(X: Matrix) -> Matrix:
    """Return X with zeros in the rows of its coordinate vectors, the columns with one nonzero: with
    X'X = I the other columns have to be zero there.

    Two small entries of such a row would be a double root of their equation, to which Newton's
    method converges slowly. Two coordinate vectors in one row are left as they are.
    """
    there = X != 0
    columns = np.flatnonzero(np.count_nonzero(there, axis=0) == 1)
    rows = np.argmax(there[:, columns], axis=0)
    alone = np.bincount(rows, minlength=len(X))[rows] == 1
    rows, columns = rows[alone], columns[alone]
    if np.count_nonzero(there[rows]) == len(rows):
        return X
    Z = X.copy()
    Z[rows] = 0.0
    Z[rows, columns] = X[rows, columns]
    return Z


class Orthogonality:
    """The equations J v = -c for a change v of the entries of X in a mask; all vectors are columns.

    There is one equation for each pair a <= b of columns of X that overlap in a row where the mask
    is set in one of them:

        <x_a, v_b> + <x_b, v_a> = -<x_a, x_b>   for a < b,      <x_a, v_a> = -(|x_a|^2 - 1) / 2,

    so that J'y is 2XY in the mask with y_ab = 2 Y_ab. Columns that hardly overlap have small
    equations, which are divided by their norms. JJ' is factorised once, plus ``damping`` times the
    identity, at least as much as dependent equations need.
    """

    def __init__(self, X: Matrix, mask: Matrix, damping: float = 0.0) -> None:
        n, self.entries = X.shape[1], PackedEntries(mask)
        small = len(self.entries) * n * (n + 1) / 2 <= _DENSE and bool(np.all(np.isfinite(X)))
        self.X: Any = X if small else sp.csr_array(X)
        J: Any
        pairs, J = self._dense_rows() if small else self._sparse_rows()
        self.pairs = pairs // n, pairs % n
        squares, limits = J * J, np.finfo(X.dtype)
        norms = np.sqrt(squares.sum(axis=1)).reshape(-1, 1)
        there = norms > limits.tiny**0.5 / limits.eps  # the squares of a smaller overlap underflow; it gives no equation
        self.inverse_norms = np.where(there, 1 / np.where(there, norms, 1.0), 0.0).astype(X.dtype)
        damping = max(damping, _DAMPING * float(limits.eps))
        if small:
            self.J = J * self.inverse_norms
            self.transposed = self.J.T
            self.factor: Any = _Cholesky(self.J @ self.transposed + damping * np.eye(len(pairs), dtype=X.dtype))
            self.stored, filled = self.J.size, len(pairs) * (len(pairs) + 1) // 2
        else:
            from scipy.sparse.linalg import splu

            self.J = sp.csr_array(J.multiply(self.inverse_norms))
            self.transposed = sp.csr_array(self.J.T)
            normal = self.J @ self.transposed + damping * sp.eye_array(len(pairs), dtype=X.dtype)
            self.factor = splu(
                sp.csc_array(normal), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
            self.stored, filled = self.J.nnz, int(self.factor.L.nnz)
        self.fill = len(pairs), filled  # the number of equations, and of the nonzeros of a triangular factor of JJ'

    def _sparse_rows(self) -> tuple[Matrix, Any]:
        """Return the pairs as a n + b, and J without its norms, as a sparse array."""
        rows, n = self.entries.rows, self.X.shape[1]
        starts, place = ranges(self.X.indptr[rows].astype(np.int64), np.diff(self.X.indptr)[rows])
        entry = np.repeat(np.arange(len(rows)), np.diff(starts))
        here, there = self.entries.columns[entry], self.X.indices[place].astype(np.int64)
        pairs, equation = np.unique(np.minimum(here, there) * n + np.maximum(here, there), return_inverse=True)
        return pairs, sp.csr_array((self.X.data[place], (equation, entry)), shape=(len(pairs), len(rows)))

    def _dense_rows(self) -> tuple[Matrix, Matrix]:
        """Return the same with J as an array."""
        n, count = self.X.shape[1], len(self.entries)
        parts = np.zeros((n, n, count), dtype=self.X.dtype)
        parts[self.entries.columns, :, np.arange(count)] = self.X[self.entries.rows]
        a, b = np.triu_indices(n)
        J = np.where((a == b)[:, None], parts[a, b], parts[a, b] + parts[b, a])
        some = np.any(J != 0, axis=1)
        return (a * n + b)[some], J[some]

    @staticmethod
    def cost(X: Matrix, mask: Matrix) -> float:
        """Return a bound of the flops that JJ' takes, without computing it."""
        nonzeros = np.count_nonzero(X, axis=1).astype(float)
        return float(2 * np.sum(np.count_nonzero(mask, axis=1) * nonzeros**2))

    @property
    def projection_flops(self) -> float:
        """The operations of two projections, each with four triangular solves and products."""
        return float(32 * (self.fill[1] + self.stored))

    def right(self, v: Matrix, S: Matrix) -> Matrix:
        """Return the entries of VS in the mask, V the matrix with the entries v."""
        V = self.entries.put(v) if isinstance(self.X, np.ndarray) else self.entries.sparse(v)
        return np.asarray(self.entries.take(V @ S))

    def project(self, r: Matrix) -> Matrix:
        """Return the v nearest to r with J v = 0; a second round removes what rounding left."""
        for _ in range(2):
            r = np.asarray(r - self.transposed @ self._solve(self.J @ r))
        return r

    def minimum(self, H: Matrix, R: Matrix) -> Matrix | None:
        """Return the w with J w = 0 that minimises <r, w> + <w, Hw> / 2, for each column r of R;
        None where H is not positive there.

        The projection is P = I - J'A with A = (JJ')^(-1) J, and PHP is H changed by a rank that is
        twice the number of equations. Where these are nearly dependent, P is that of two rounds.
        """
        Jt = np.asarray(self.transposed.toarray() if sp.issparse(self.transposed) else self.transposed)
        A = self._solve(Jt.T)
        A = 2 * A - (A @ Jt) @ A
        HP = H - (H @ Jt) @ A
        M = HP - A.T @ (Jt.T @ HP) + np.trace(np.abs(H)) / len(H) * (Jt @ A)
        try:
            np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            return None
        W = np.linalg.solve(M, R - A.T @ (Jt.T @ R))  # which commutes with powers of two, unlike the roots of a factor
        return self.project(-W)

    def restoring(self) -> Matrix:
        """Return the shortest v with J v = -c."""
        C = self.X.T @ self.X
        C = (C.toarray() if sp.issparse(C) else C) - np.eye(self.X.shape[1], dtype=self.X.dtype)
        a, b = self.pairs
        c = np.where(a == b, C[a, b] / 2, C[a, b]).reshape(-1, 1)
        return np.asarray(-(self.transposed @ self._solve(self.inverse_norms * c)))

    def multiplier(self, r: Matrix, *, exact: bool = True) -> Matrix:
        """Return the symmetric S that makes r + 2XS least in the mask; damped if not exact."""
        y = -self._solve(self.J @ r) if exact else -self.factor.solve(self.J @ r)
        S = np.zeros((self.X.shape[1],) * 2, dtype=r.dtype)
        S[self.pairs] = (self.inverse_norms * y)[:, 0] / 2
        return np.asarray(S + np.triu(S, 1).T)

    def _solve(self, c: Matrix) -> Matrix:
        """Solve J J'y = c, once refined for the damping."""
        y = self.factor.solve(c)
        return np.asarray(y + self.factor.solve(c - self.J @ (self.transposed @ y)))


class _Cholesky:
    """The factorisation of a small positive definite matrix, C = LL'."""

    def __init__(self, C: Matrix) -> None:
        self._inverse = np.linalg.inv(np.linalg.cholesky(C))

    def solve(self, c: Matrix) -> Matrix:
        """Return C^(-1) c."""
        return self._inverse.T @ (self._inverse @ c)
