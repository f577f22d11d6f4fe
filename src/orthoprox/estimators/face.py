"""The points with X'X = I and given zeros, and Newton's method for the variance on them."""

from functools import cached_property
from typing import Any

import numpy as np

from orthoprox.stopping.clock import Deadline

FOREVER = Deadline()
Matrix = np.ndarray[Any, Any]

_LARGEST_SHIFT = 10.0  # in units of the largest variance; beyond it a step goes along the gradient
_FIRST_SHIFT, _LAST_SHIFT, _INDEFINITE = 1e-4, 1e-6, 0.03  # of the Hessian, in the same unit
_FILLED = 0.05  # the largest entry that a step along the gradient leaves where there was a zero
_EXACT, _FEASIBLE = 4e-16, 1e-13  # |X'X - I|: where the projection stops, and what it must reach


def pairs_of_columns(n: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return the number of each pair of n columns, as a symmetric matrix, and the pairs a <= b."""
    a, b = np.triu_indices(n)
    number = np.zeros((n, n), dtype=int)
    number[a, b] = number[b, a] = np.arange(len(a))
    return number, a, b


class Face:
    """The orthonormal X whose entries outside of ``mask`` are zero.

    With v the entries of X on the mask, the problem is  max tr(X'CX)  subject to c(v) = 0, where c
    holds x_a'x_b for the pairs of columns that share a row and (x_a'x_a - 1)/2 for each column.
    The Lagrangian's Hessian is the same for each v up to the multipliers L:
    H v = (XL - CX) on the mask. A step solves the KKT system [H + shift I, J'; J, 0]; the inverse
    of that matrix also tells what the loss of one entry costs.
    """

    def __init__(self, C: Matrix, mask: Matrix) -> None:
        self.C, self.mask = C, mask
        self.i, self.j = np.nonzero(mask)  # the rows and columns of the entries
        counts = mask.astype(float)
        self.overlap = counts.T @ counts > 0  # pairs of columns that share a row
        a, b = np.nonzero(np.triu(self.overlap))
        self._flat, self._ones, self._half = a * mask.shape[1] + b, (a == b) * 1.0, np.where(a == b, 0.5, 1.0)
        self._pairs = len(a)
        self._pair = np.full(self.overlap.shape, self._pairs)  # the constraint of two columns; the last is none
        self._pair[a, b] = self._pair[b, a] = np.arange(self._pairs)
        self._order = np.arange(len(self.i))
        self._rows = self._pair[self.j].T  # of the Jacobian, for each column of X and each entry
        self._little = 1e-14 * np.eye(self._pairs)  # against dependent constraints
        self.unit = float(C.diagonal().max(initial=0.0)) or 1.0

    @property
    def size(self) -> int:
        """The number of entries."""
        return len(self.i)

    def value(self, X: Matrix) -> float:
        """Return tr(X'CX)."""
        return float(np.sum(X * np.matmul(self.C, X)))

    def feasible(self, X: Matrix) -> Matrix | None:
        """Return a point of the face near X, by Gauss-Newton steps on c; None if there is none."""
        X = np.where(self.mask, X, 0.0)
        for _ in range(8):
            c = self._defect(X)
            error = np.abs(c).max()
            if error <= _EXACT:
                return X
            if not error < 10:
                return None
            J = self._jacobian(X)
            X[self.i, self.j] -= np.matmul(self._solve(J, c), J)
        return X if np.abs(self._defect(X)).max() <= _FEASIBLE else None

    def refit(self, X: Matrix, steps: int = 50, tol: float = 1e-10, *, deadline: Deadline = FOREVER) -> Matrix | None:
        """Return a maximiser of tr(X'CX) on the face near X: at most so many Newton steps, and none
        after the deadline.
        """
        start = self.feasible(X)
        if start is None:
            return None
        X, value, shift = start, self.value(start), _FIRST_SHIFT
        for _ in range(steps):
            if deadline.left() <= 0:
                break
            residual, inverse, _ = self.kkt(X, shift)
            if np.abs(residual).max() <= tol * self.unit:
                break
            step = np.matmul(inverse, residual)
            if inverse.diagonal().min() < -1e-9 / self.unit or np.sum(residual * step) <= 0:  # not a maximum here
                shift = max(4 * shift, _INDEFINITE)
                if shift <= _LARGEST_SHIFT:
                    continue
                step = residual / self.unit
            found = self._along(X, step, value)
            if found is None:
                break
            X, gain, value = found[0], found[1] - value, found[1]
            shift = max(shift / 10, _LAST_SHIFT)
            if gain <= 1e-15 * self.unit:
                break
        return X

    def filled(self, X: Matrix) -> Matrix:
        """Return X after a short step along the gradient in those entries of the mask that are
        zero; X itself if no orthonormal point is near.
        """
        residual, moved = self._first_order(X)[0], X.copy()
        zero = X[self.i, self.j] == 0
        moved[self.i[zero], self.j[zero]] = np.clip(residual[zero] / self.unit, -_FILLED, _FILLED)
        near = self.feasible(moved)
        return X if near is None else near

    def polished(self, X: Matrix) -> Matrix:
        """Return X after Newton steps that lower the residual, where the value shows no gain."""
        residual, inverse, _ = self.kkt(X, 1e-3 * _LAST_SHIFT)
        for _ in range(4):
            moved = X.copy()
            moved[self.i, self.j] += np.matmul(inverse, residual)
            near = self.feasible(moved)
            if near is None:
                break
            lower, inverse, _ = self.kkt(near, 1e-3 * _LAST_SHIFT)
            if not np.abs(lower).max() < np.abs(residual).max():
                break
            X, residual = near, lower
        return X

    def kkt(self, X: Matrix, shift: float = _LAST_SHIFT) -> tuple[Matrix, Matrix, Matrix]:
        """Return the residual CX - XL on the mask, the inverse of the reduced Hessian (the first
        block of that of the KKT matrix), and the multipliers L.
        """
        k, pairs = self.size, self._pairs
        residual, J, L = self._first_order(X)
        K = np.zeros((k + pairs, k + pairs))
        K[:k, :k] = np.where(self._same_row, L[self.j[:, None], self.j], 0.0) - self._own
        K[self._order, self._order] += shift * self.unit
        K[:k, k:], K[k:, :k] = J.T * self.unit, J * self.unit
        K.flat[k * (k + pairs + 1) :: k + pairs + 1] = -1e-10 * self.unit  # against dependent constraints
        return residual, np.linalg.inv(K)[:k, :k], L

    def gains(self, X: Matrix) -> Matrix:
        """Return what each entry of X would gain as one more nonzero, to second order:
        r^2 / (2 curvature).
        """
        L = self._first_order(X)[2]
        variances = L.diagonal()
        curvature = np.maximum(variances - self.C.diagonal()[:, None], 0.1 * np.maximum(variances, 1e-12 * self.unit))
        gains: Matrix = (np.matmul(self.C, X) - np.matmul(X, L)) ** 2 / (2 * curvature)
        return gains

    def losses(self, X: Matrix) -> Matrix:
        """Return what each entry on the mask costs if it is set to zero, to second order:
        x^2 / (2 inverse).

        Reference: B. Hassibi and D. Stork, Second order derivatives for network pruning: Optimal
        Brain Surgeon, NIPS 1993.
        """
        inverse = self.kkt(X)[1]
        losses: Matrix = X[self.i, self.j] ** 2 / (2 * np.maximum(inverse.diagonal(), 1e-9 / self.unit))
        return losses

    @property
    def alone(self) -> Matrix:
        """The entries that cannot be nonzero: some column has theirs as its only shared row."""
        alone: Matrix = np.matmul(self.mask.astype(float), (~self.overlap).astype(float)) > 0
        return alone

    def _first_order(self, X: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Return the residual CX - XL on the mask, the Jacobian of c, and the multipliers L."""
        gradient, J = np.matmul(self.C, X)[self.i, self.j], self._jacobian(X)
        multipliers = np.append(self._solve(J, np.matmul(J, gradient)), 0.0)
        return gradient - np.matmul(multipliers[:-1], J), J, multipliers[self._pair]

    def _along(self, X: Matrix, step: Matrix, value: float) -> tuple[Matrix, float] | None:
        """Return a point along a step that is no lower, and its value."""
        t = min(1.0, 0.5 / float(np.abs(step).max()))
        for _ in range(6):
            moved = X.copy()
            moved[self.i, self.j] += t * step
            near = self.feasible(moved)
            if near is not None and (found := self.value(near)) >= value:
                return near, found
            t /= 4
        return None

    @cached_property
    def _same_row(self) -> Matrix:
        return np.equal.outer(self.i, self.i)

    @cached_property
    def _own(self) -> Matrix:
        """C between the entries of one column."""
        return np.where(np.equal.outer(self.j, self.j), self.C[self.i[:, None], self.i], 0.0)

    def _defect(self, X: Matrix) -> Matrix:
        defect: Matrix = (np.matmul(X.T, X).ravel()[self._flat] - self._ones) * self._half
        return defect

    def _jacobian(self, X: Matrix) -> Matrix:
        J = np.zeros((self._pairs + 1, self.size))
        J[self._rows, self._order] = X[self.i].T
        return J[:-1]

    def _solve(self, J: Matrix, b: Matrix) -> Matrix:
        """Return the solution of JJ' x = b."""
        return np.linalg.solve(np.matmul(J, J.T) + self._little, b)
