"""The same variables for all components: principal components on a few rows."""

from typing import Any

import numpy as np

from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.starts import principal

Matrix = np.ndarray[Any, Any]
_LAST = 20  # variables that leave one by one


def best_rows(C: Matrix, n: int, number: int, criterion: str) -> Matrix:
    """Return a mask of so many variables whose n principal components explain most: variables are
    dropped, those that carry least, the last twenty one by one, and exchanged while that gains.
    """
    used = np.ones(len(C), dtype=bool)
    while (surplus := int(np.sum(used)) - number) > 0:
        used[_least(C, used, n)[: surplus // 4 if surplus > _LAST else 1]] = False
    for _ in range(2 * number if number < len(C) else 0):
        value, X = _fitted(C, used, n, criterion)
        pull = np.where(used, -np.inf, np.sum(np.matmul(C, X) ** 2, axis=1))
        more = used.copy()
        more[np.argmax(pull)] = True
        more[_least(C, more, n)[0]] = False
        if _fitted(C, more, n, criterion)[0] <= value * (1 + 1e-9):
            break
        used = more
    return used


def _least(C: Matrix, used: Matrix, n: int) -> Matrix:
    """Return the variables by what they carry, least first: sum_j lambda_j x_ij^2 over the
    components.
    """
    rows = np.flatnonzero(used)
    values, vectors = principal(C[np.ix_(rows, rows)])
    return rows[np.argsort(np.sum(vectors[:, :n] ** 2 * values[:n], axis=1), kind="stable")]


def _fitted(C: Matrix, used: Matrix, n: int, criterion: str) -> tuple[float, Matrix]:
    X = np.zeros((len(C), n))
    X[used] = principal(C[np.ix_(np.flatnonzero(used), np.flatnonzero(used))])[1][:, :n]
    return criterion_value(C, X, criterion), X
