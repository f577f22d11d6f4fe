"""The inner product and the norm of matrices, over the last two axes."""

import numpy as np

from orthoprox._arrays.library import Array, namespace


def inner(X: Array, Y: Array) -> Array:
    """Return <X, Y> = tr(X'Y)."""
    if isinstance(X, np.ndarray) and X.ndim == Y.ndim == 2:
        return np.vdot(X, Y)  # many times faster where X is small
    xp = namespace(X)
    x = xp.reshape(X, (*X.shape[:-2], -1))
    y = x if Y is X else xp.reshape(Y, (*Y.shape[:-2], -1))
    return xp.vecdot(x, y)  # several times faster than a sum of X * Y


def norm(X: Array) -> Array:
    """Return the Frobenius norm over the last two axes."""
    return namespace(X).sqrt(inner(X, X))
