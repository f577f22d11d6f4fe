"""The equations X'X = I, linearised in some entries of X only."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from orthoprox._linalg.packed import PackedEntries, ranges

Matrix = np.ndarray[Any, Any]


class Orthogonality:
    """The equations J v = -c for a change v of the entries of X in a mask; all vectors are columns.

    There is one equation for each pair a <= b of columns of X that overlap in a row where the mask
    is set in one of them:

        <x_a, v_b> + <x_b, v_a> = -<x_a, x_b>   for a < b,      <x_a, v_a> = -(|x_a|^2 - 1) / 2,

    so that J'y is 2XY in the mask with y_ab = 2 Y_ab. Columns that hardly overlap have small
    equations, which are divided by their norms. JJ' is factorised once, plus ``damping`` times the
    identity.
    """

    def __init__(self, X: Matrix, mask: Matrix, damping: float) -> None:
        n = X.shape[1]
        self.X, self.entries = sp.csr_array(X), PackedEntries(mask)
        rows = self.entries.rows
        starts, place = ranges(self.X.indptr[rows].astype(np.int64), np.diff(self.X.indptr)[rows])
        entry = np.repeat(np.arange(len(rows)), np.diff(starts))
        here, there = self.entries.columns[entry], self.X.indices[place].astype(np.int64)
        pairs, equation = np.unique(np.minimum(here, there) * n + np.maximum(here, there), return_inverse=True)
        self.pairs = pairs // n, pairs % n
        J = sp.csr_array((self.X.data[place], (equation, entry)), shape=(len(pairs), len(rows)))
        self.inverse_norms = 1 / np.sqrt(J.multiply(J).sum(axis=1)).reshape(-1, 1)
        self.J = sp.csr_array(J.multiply(self.inverse_norms))
        self.transposed = sp.csr_array(self.J.T)
        normal = self.J @ self.transposed + damping * sp.eye_array(len(pairs), dtype=X.dtype)
        self.factor = splu(
            sp.csc_array(normal), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )

    @staticmethod
    def cost(X: Matrix, mask: Matrix) -> float:
        """Return a bound of the flops that JJ' takes, without computing it."""
        nonzeros = np.count_nonzero(X, axis=1).astype(float)
        return float(2 * np.sum(np.count_nonzero(mask, axis=1) * nonzeros**2))

    @property
    def fill(self) -> tuple[int, int]:
        """The number of equations and of the nonzeros of a triangular factor of JJ'."""
        return len(self.pairs[0]), int(self.factor.L.nnz)

    def right(self, v: Matrix, S: Matrix) -> Matrix:
        """Return the entries of VS in the mask, V the matrix with the entries v."""
        return np.asarray(self.entries.take(self.entries.sparse(v) @ S))

    def project(self, r: Matrix) -> Matrix:
        """Return the v nearest to r with J v = 0; a second round removes what rounding left."""
        for _ in range(2):
            r = np.asarray(r - self.transposed @ self._solve(self.J @ r))
        return r

    def restoring(self) -> Matrix:
        """Return the shortest v with J v = -c."""
        C = (self.X.T @ self.X).toarray() - np.eye(self.X.shape[1], dtype=self.X.dtype)
        a, b = self.pairs
        c = np.where(a == b, C[a, b] / 2, C[a, b]).reshape(-1, 1)
        return np.asarray(-(self.transposed @ self._solve(self.inverse_norms * c)))

    def multiplier(self, r: Matrix, *, exact: bool = True) -> Matrix:
        """Return the symmetric S that makes r + 2XS least in the mask, or nearly, as the damping
        says.
        """
        y = -self._solve(self.J @ r) if exact else -self.factor.solve(self.J @ r)
        S = np.zeros((self.X.shape[1],) * 2, dtype=r.dtype)
        S[self.pairs] = (self.inverse_norms * y)[:, 0] / 2
        return np.asarray(S + np.triu(S, 1).T)

    def _solve(self, c: Matrix) -> Matrix:
        """Solve J J'y = c, once refined for the damping."""
        y = self.factor.solve(c)
        return np.asarray(y + self.factor.solve(c - self.J @ (self.transposed @ y)))
