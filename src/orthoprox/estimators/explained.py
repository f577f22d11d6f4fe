"""What components explain: variances, adjusted variances, and the order and signs that follow."""

from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]


def variances(C: Matrix, X: Matrix) -> Matrix:
    """Return diag(X'CX), the variances of the scores."""
    found: Matrix = np.sum(X * np.matmul(C, X), axis=0)
    return found


def adjusted(G: Matrix) -> Matrix:
    """Return the variance that each score adds to those before it, diag(chol(G))^2 of G = X'CX.

    Reference: H. Zou, T. Hastie and R. Tibshirani, Sparse principal component analysis, J. Comput.
    Graph. Statist. 15 (2006).
    """
    rest, pivots = np.array(G, dtype=float), np.zeros(len(G))
    smallest = 1e-14 * max(float(np.max(G.diagonal(), initial=0.0)), np.finfo(float).tiny)
    for j in range(len(G)):
        pivots[j] = max(rest[j, j], 0.0)
        if pivots[j] > smallest:
            rest -= np.multiply.outer(rest[:, j], rest[j] / pivots[j])
    return pivots


def ordered(X: Matrix, variances: Matrix | None, order: Matrix) -> Matrix:
    """Return X with its columns by descending variance, if these are given, the largest entry of
    each positive; of equal entries the first in this order of the variables.
    """
    if variances is not None:
        X = X[:, np.argsort(-_rounded(variances), kind="stable")]
    largest = order[np.argmax(_rounded(np.abs(X))[order], axis=0)]
    return X * np.where(X[largest, np.arange(X.shape[1])] < 0, -1.0, 1.0) + 0.0  # no -0.0


def criterion_value(C: Matrix, X: Matrix, criterion: str) -> float:
    """Return the variance of X, or the adjusted variance of its components in their order."""
    if criterion == "variance":
        return float(np.sum(variances(C, X)))
    Y = X[:, np.argsort(-_rounded(variances(C, X)), kind="stable")]
    return float(np.sum(adjusted(np.matmul(Y.T, np.matmul(C, Y)))))


def _rounded(values: Matrix) -> Matrix:
    """Return the values without their last digits, so that rounding does not decide ties."""
    unit = np.max(np.abs(values), initial=0.0) or 1.0
    return np.round(values / unit, 10)
