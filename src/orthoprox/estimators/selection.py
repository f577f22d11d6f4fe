"""The same variables for all components: principal components on a few rows."""

from typing import Any

import numpy as np

from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.starts import canonical, principal

Matrix = np.ndarray[Any, Any]


def best_rows(C: Matrix, n: int, number: int, criterion: str) -> Matrix:
    """Return a mask of so many variables whose n principal components explain most: variables are
    dropped one by one, those that carry least, and exchanged while that gains.
    """
    order = canonical(C)
    C = C[np.ix_(order, order)]
    used = np.ones(len(C), dtype=bool)
    while np.sum(used) > number:
        used[_least(C, used, n)] = False
    for _ in range(2 * number):
        value, X = _fitted(C, used, n, criterion)
        pull = np.where(used, -np.inf, np.sum(np.matmul(C, X) ** 2, axis=1))
        more = used.copy()
        more[np.argmax(pull)] = True
        more[_least(C, more, n)] = False
        if _fitted(C, more, n, criterion)[0] <= value * (1 + 1e-9):
            break
        used = more
    mask = np.zeros(len(C), dtype=bool)
    mask[order] = used
    return mask


def _least(C: Matrix, used: Matrix, n: int) -> int:
    """Return the variable that carries least: sum_j lambda_j x_ij^2 over the components."""
    rows = np.flatnonzero(used)
    values, vectors = principal(C[np.ix_(rows, rows)])
    return int(rows[np.argmin(np.sum(vectors[:, :n] ** 2 * values[:n], axis=1))])


def _fitted(C: Matrix, used: Matrix, n: int, criterion: str) -> tuple[float, Matrix]:
    X = np.zeros((len(C), n))
    X[used] = principal(C[np.ix_(np.flatnonzero(used), np.flatnonzero(used))])[1][:, :n]
    return criterion_value(C, X, criterion), X
