"""From a matrix to a matching: which column belongs to which row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays import inputs
from orthoprox._arrays.library import to_numpy


def assign(X: Any) -> NDArray[np.int64]:
    """Return for each column j of X the row that it is matched with, all different, with the
    largest sum of entries.

    This is the permutation matrix (for m > n, one with n of the m rows) nearest to X, found by the
    Hungarian method. Where the largest entries of the rows of a square X already stand in different
    columns, it is the matching they form.
    """
    from scipy.optimize import linear_sum_assignment

    X = to_numpy(inputs.matrix(X, "X"))
    inputs.columns(X.shape[1], X.shape[0])
    rows, columns = linear_sum_assignment(X, maximize=True)
    matched = np.empty(X.shape[1], dtype=np.int64)
    matched[columns] = rows
    return matched


def f_measure(matched: Any, truth: Any = None) -> float:
    """Return the F-measure of a matching: the harmonic mean of precision and recall.

    A matching has as many pairs as the truth, so both are the share of the columns with their true
    row.

    Parameters
    ----------
    matched : integer array of shape (n,)
        The row of each column, as :func:`assign` returns it.
    truth : integer array of shape (n,), optional
        The true rows; 0, 1, ..., n - 1 by default.
    """
    found = _numbers(matched, "matched")
    right = np.arange(len(found)) if truth is None else _numbers(truth, "truth")
    if found.shape != right.shape:
        raise ValueError(f"matched has shape {found.shape}, truth {right.shape}; both need the same number of rows.")
    return float(np.mean(found == right))


def _numbers(value: Any, name: str) -> NDArray[np.float64]:
    numbers = to_numpy(inputs.matrix(value, name, shape=(None,)))
    if np.any(numbers % 1):
        raise ValueError(f"{name} has entries that are not whole; it needs the number of a row for each column.")
    return numbers
