"""What principal components of the same table explain, for comparison."""

from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.stopping.clock import Deadline, Stopped

Floats = np.ndarray[Any, Any]
_DENSE = 500  # variables up to which all eigenvalues are found
_DIGITS = 1e-9  # of the eigenvalues of larger matrices


def principal_shares(values: Any, estimator: Any, deadline: Deadline, *, covariance: bool = False) -> Floats:
    """Return the shares of the variance that as many principal components explain: the largest
    eigenvalues of the covariance of (values - mean) / scale over its trace; NaN if there is no time
    for them.
    """
    n = len(estimator.components_)
    mean, scale = np.asarray(estimator.mean_, dtype=float), np.asarray(estimator.scale_, dtype=float)
    if covariance:
        C = values / np.multiply.outer(scale, scale)
        eigenvalues = np.linalg.eigvalsh(C)[::-1][:n]
        return _clipped(eigenvalues / np.trace(C))
    rows, m = values.shape
    term = op.smooth.Variance(values, center=mean, scale=scale)

    def product(X: Floats) -> Floats:
        deadline.heed()
        CX: Floats = np.asarray(term.grad(np.reshape(X, (m, -1))), dtype=float) / (-2 * max(rows - 1, 1))
        return CX

    if m <= max(_DENSE, n + 1):
        eigenvalues = np.linalg.eigvalsh(product(np.eye(m)))[::-1][:n]
    else:
        try:
            eigenvalues = _largest(product, m, min(n, rows))
        except Stopped:
            return np.full(n, np.nan)
    found = np.zeros(n)
    found[: len(eigenvalues)] = eigenvalues
    variance, share = estimator.explained_variance_[0], estimator.explained_variance_ratio_[0]
    total = float(variance) / float(share) if share > 0 else 1.0
    return _clipped(found / total)


def _largest(product: Any, m: int, n: int) -> Floats:
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    operator = LinearOperator((m, m), matvec=lambda x: np.ravel(product(x)), dtype=np.float64)
    try:
        found = eigsh(operator, k=n, which="LA", v0=np.ones(m), tol=_DIGITS, return_eigenvectors=False)
    except ArpackNoConvergence as error:
        found = error.eigenvalues
    return np.sort(found)[::-1]


def _clipped(shares: Floats) -> Floats:
    clipped: Floats = np.clip(shares, 0.0, 1.0)
    return clipped
