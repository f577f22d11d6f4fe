"""Many supports at once: Newton's method for the variance on each of them, in one array.

The same steps as those of :class:`orthoprox.estimators.face.Face`, for supports with equally many
entries: what Python costs is paid once for all of them.
"""

import numpy as np

from orthoprox.estimators.face import Matrix, pairs_of_columns

_FIRST_SHIFT, _LAST_SHIFT, _INDEFINITE = 1e-3, 1e-5, 0.1  # of the Hessian, in units of the largest variance
_LONGEST = 0.3  # the largest change of an entry in a step
_PROJECTIONS = 4  # Gauss-Newton steps onto X'X = I
_FEASIBLE = 1e-9  # |X'X - I| up to which a value counts


class Faces:
    """The orthonormal X whose entries outside of one of ``masks``, of shape (B, m, n), are zero."""

    def __init__(self, C: Matrix, masks: Matrix) -> None:
        self.C, self.shape = C, masks.shape
        found = np.nonzero(masks)
        self._at = tuple(np.reshape(index, (len(masks), -1)) for index in found)  # each (B, k)
        _, i, j = self._at
        self._pair, self._first, self._second = pairs_of_columns(masks.shape[2])
        self._size, self._pairs = i.shape[1], len(self._first)
        self._ones = (self._first == self._second) * 1.0
        self._half = np.where(self._first == self._second, 0.5, 1.0)
        self._same_row = i[:, :, None] == i[:, None, :]
        self._own = np.where(j[:, :, None] == j[:, None, :], C[i[:, :, None], i[:, None, :]], 0.0)
        self._constraints = self._pair[j]  # of each entry, (B, k, n)
        self.unit = float(C.diagonal().max(initial=0.0)) or 1.0

    def refit(self, X: Matrix, steps: int) -> tuple[Matrix, Matrix]:
        """Return points after so many Newton steps from one X, and their variances tr(X'CX); -inf
        where no orthonormal point was found.
        """
        _, i, j = self._at
        v, values = self._feasible(X[i, j])
        shift = np.full(len(v), _FIRST_SHIFT)
        for _ in range(steps):
            step, shift = self._step(v, shift)
            moved, found = self._feasible(v + step)
            better = found > values
            v, values = np.where(better[:, None], moved, v), np.where(better, found, values)
            shift = np.where(better, np.maximum(shift / 4, _LAST_SHIFT), np.maximum(4 * shift, _INDEFINITE))
        return self._full(v), values

    def _step(self, v: Matrix, shift: Matrix) -> tuple[Matrix, Matrix]:
        b, _, j = self._at
        X, k, pairs = self._full(v), self._size, self._pairs
        gradient, J = np.matmul(self.C, X)[self._at], self._jacobian(X)
        multipliers = self._solve(J, np.matmul(J, gradient[:, :, None])[:, :, 0])
        L = multipliers[:, self._pair]
        K = np.zeros((len(v), k + pairs, k + pairs))
        K[:, :k, :k] = np.where(self._same_row, L[b[:, :, None], j[:, :, None], j[:, None, :]], 0.0) - self._own
        entries, last = np.arange(k), np.arange(k, k + pairs)
        K[:, entries, entries] += shift[:, None] * self.unit
        K[:, :k, k:], K[:, k:, :k] = np.swapaxes(J, 1, 2) * self.unit, J * self.unit
        K[:, last, last] = -1e-10 * self.unit  # against dependent constraints
        residual = gradient - np.matmul(multipliers[:, None, :], J)[:, 0]
        right = np.concatenate([residual, np.zeros((len(v), pairs))], axis=1)
        step = np.linalg.solve(K, right[:, :, None])[:, :k, 0]
        down = ~(np.sum(residual * step, axis=1) > 0)  # along the gradient instead
        step = np.where(down[:, None], residual / (_LONGEST * self.unit), step)
        length = np.minimum(1.0, _LONGEST / np.maximum(np.max(np.abs(step), axis=1), 1e-300))
        return step * length[:, None], np.where(down, np.maximum(4 * shift, _INDEFINITE), shift)

    def _feasible(self, v: Matrix) -> tuple[Matrix, Matrix]:
        """Return points near v on the faces, by Gauss-Newton steps, and their values."""
        for _ in range(_PROJECTIONS):
            X = self._full(v)
            J = self._jacobian(X)
            v = np.clip(v - np.matmul(self._solve(J, self._defect(X))[:, None, :], J)[:, 0], -2, 2)
        X = self._full(v)
        error = np.max(np.abs(self._defect(X)), axis=1)
        values = np.sum(X * np.matmul(self.C, X), axis=(1, 2))
        return v, np.where(error <= _FEASIBLE, values, -np.inf)

    def _full(self, v: Matrix) -> Matrix:
        X = np.zeros(self.shape)
        X[self._at] = v
        return X

    def _defect(self, X: Matrix) -> Matrix:
        G = np.matmul(np.swapaxes(X, 1, 2), X)
        defect: Matrix = (G[:, self._first, self._second] - self._ones) * self._half
        return defect

    def _jacobian(self, X: Matrix) -> Matrix:
        J = np.zeros((len(X), self._size, self._pairs))
        np.put_along_axis(J, self._constraints, X[self._at[0], self._at[1]], axis=2)
        return np.swapaxes(J, 1, 2)

    def _solve(self, J: Matrix, right: Matrix) -> Matrix:
        """Return the solutions of JJ' x = b."""
        gram = np.matmul(J, np.swapaxes(J, 1, 2)) + 1e-12 * np.eye(self._pairs)
        solution: Matrix = np.linalg.solve(gram, right[:, :, None])[:, :, 0]
        return solution
