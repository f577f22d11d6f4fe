"""Random numbers that belong to the rows of X, whatever their order."""

from typing import Any

import numpy as np

from orthoprox._arrays.library import to_numpy
from orthoprox.problems.problem import Problem
from orthoprox.starts.points import like_data


class Canonical(np.random.Generator):
    """A generator whose Gaussian matrices have their rows in an order that the problem tells: if
    the features of the data are permuted, the rows are permuted with them.

    The order is that of the gradient of l at a matrix of ones, for a variance of the sums of the
    rows of A'A.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    problem : Problem
        The gradient is evaluated once.
    """

    def __init__(self, rng: np.random.Generator, problem: Problem) -> None:
        super().__init__(rng.bit_generator)
        key = to_numpy(problem.grad(like_data(problem, np.ones(problem.shape))))[:, 0]
        self._order = np.argsort(key, kind="stable")

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return Gaussian numbers; those of a matrix with as many rows as X are in its order."""
        Z = super().standard_normal(size, dtype, out)
        if np.shape(Z)[:1] != self._order.shape:
            return Z
        rows = np.empty_like(Z)
        rows[self._order] = Z
        return rows
