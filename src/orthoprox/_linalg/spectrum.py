"""Spectral norms, smallest eigenvalues and their vectors of symmetric operators, by Lanczos or from
a decomposition.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from orthoprox._arrays.library import Array, to_numpy

MARGIN = 1.01  # Lanczos approaches the norm from below
_DENSE = 16  # below this size a dense eigenvalue decomposition is exact and as fast
_BELOW = 1e-6  # of the spectrum is a shift, relative to its bounds
_EIGENVALUES = 2000  # up to this size all eigenvalues are computed where the smallest is asked for


def spectral_norm(apply: Callable[[np.ndarray], np.ndarray], size: int) -> float:
    """Return a bound of the largest |eigenvalue| of a symmetric operator: Lanczos from a fixed
    vector, times 1.01.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    if size <= _DENSE:
        return MARGIN * float(np.max(np.abs(np.linalg.eigvalsh(_finite(apply(np.eye(size)))))))
    v0 = np.random.default_rng(0).standard_normal(size)
    if not np.any(_finite(apply(v0.reshape(size, 1)))):
        return 0.0  # Lanczos cannot start at the zero operator
    matvec = LinearOperator((size, size), matvec=lambda v: apply(v.reshape(size, 1)).ravel(), dtype=np.float64)
    largest = eigsh(matvec, k=1, which="LM", v0=v0, tol=1e-3, return_eigenvectors=False)
    return MARGIN * float(np.max(np.abs(largest)))


def smallest_eigenvalue(apply: Callable[[np.ndarray], np.ndarray], size: int) -> float:
    """Return the smallest eigenvalue of a symmetric operator; above size 2000 only to .1 % of the
    norm, rounded down.
    """
    if size <= _EIGENVALUES:
        return float(np.linalg.eigvalsh(_finite(apply(np.eye(size))))[0])
    largest = spectral_norm(apply, size)
    spread = spectral_norm(lambda V: largest * V - apply(V), size) / MARGIN
    return largest - (1 + 1e-3) * spread


def dense_norm(A: Array) -> float:
    """Return a bound of the spectral norms of a (batch of) dense symmetric matrices."""
    A = to_numpy(A)
    if A.ndim > 2:
        return MARGIN * float(np.max(np.abs(np.linalg.eigvalsh(_finite(A)))))
    return spectral_norm(lambda V: A @ V, A.shape[-1])


def lowest(A: Any, n: int, v0: np.ndarray) -> np.ndarray:
    """Return eigenvectors of the n smallest eigenvalues of a sparse matrix, by Lanczos' method on
    the inverse from a shift below Gershgorin's bound, and from the vector v0.
    """
    from scipy.sparse.linalg import eigsh

    d = A.diagonal()
    others = np.abs(A).sum(axis=1) - np.abs(d)
    low, high = np.min(d - others), np.max(d + others)
    shift = low - _BELOW * max(abs(low), abs(high))
    return np.asarray(eigsh(A, n, sigma=shift, v0=v0)[1])


def _finite(M: np.ndarray) -> np.ndarray:
    if not np.all(np.isfinite(M)):
        raise ValueError("The gradient of the smooth term is not finite: the products of its data overflow. Scale the data.")
    return M
