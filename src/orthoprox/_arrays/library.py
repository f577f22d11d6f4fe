"""The only module that knows which array libraries exist.

Everything else is written against the Python array API standard: it asks an array for its namespace
and calls nothing but standard functions, so NumPy, ``array_api_strict`` and any other conforming
library run the same code. The inner product and the norm of matrices, over the last two axes, are
here as well.
"""

import math
from typing import Any

import numpy as np

Array = Any
"""An array of the standard: an object with ``__array_namespace__``."""

_SQUARES = {"d": (1e-200, 1e200), "f": (1e-25, 1e25)}  # sums of squares to which every square that counts has contributed
_ALL = -1.0, np.inf
_LARGEST = 2.0**1022
_MOST = 1000  # the largest exponent of a unit


def is_array(value: object) -> bool:
    """Tell whether ``value`` is an array of the standard (NumPy's included)."""
    return hasattr(value, "__array_namespace__")


def namespace(X: Array) -> Any:
    """Return the library that ``X`` belongs to, as a module of standard functions."""
    return X.__array_namespace__()


def to_numpy(X: Array) -> np.ndarray[Any, Any]:
    """Return ``X`` as a NumPy array, without a copy where its library allows that."""
    return X if isinstance(X, np.ndarray) else np.from_dlpack(X)


def from_numpy(X: np.ndarray[Any, Any], like: Array) -> Array:
    """Return the NumPy array ``X`` in the library, with the dtype and on the device of ``like``."""
    return namespace(like).asarray(X, dtype=like.dtype, device=like.device)


def precision(X: Array) -> float:
    """Return the machine epsilon of the dtype of ``X``."""
    return float(namespace(X).finfo(X.dtype).eps)


def rounding(X: Array) -> float:
    """Return 8 n eps: a relative residual of X, or |X'X - I|, that may be rounding alone."""
    return float(8 * X.shape[-1] * precision(X))


def rounding_length(X: Array) -> float:
    """Return the length up to which a step from X is only rounding; |X|_F = sqrt(n)."""
    return float(4 * precision(X) * X.shape[-1] ** 0.5)


def negligible(X: Array) -> float:
    """Return eps^(2/3): a relative residual below which a further step gains next to nothing."""
    return float(precision(X) ** (2 / 3))


def identity(n: int, like: Array) -> Array:
    """Return I_n in the library, with the dtype and on the device of ``like``."""
    return namespace(like).eye(n, dtype=like.dtype, device=like.device)


def inner(X: Array, Y: Array) -> Array:
    """Return <X, Y> = tr(X'Y)."""
    if isinstance(X, np.ndarray) and X.ndim == Y.ndim == 2:
        return np.vdot(X, Y)  # many times faster where X is small
    xp = namespace(X)
    x = xp.reshape(X, (*X.shape[:-2], -1))
    y = x if Y is X else xp.reshape(Y, (*Y.shape[:-2], -1))
    return xp.vecdot(x, y)  # several times faster than a sum of X * Y


def largest(X: Array) -> float:
    """Return the largest |x|."""
    return float(namespace(X).max(namespace(X).abs(X)))


def norm(X: Array) -> Array:
    """Return the Frobenius norm over the last two axes.

    Where the squares of a matrix of NumPy would overflow or underflow, they are those of X divided
    by a power of two.
    """
    if not (isinstance(X, np.ndarray) and X.ndim == 2):
        return namespace(X).sqrt(inner(X, X))
    square = np.vdot(X, X)
    least, most = _SQUARES.get(X.dtype.char, _ALL)
    return np.sqrt(square) if least < square < most else _careful_norm(X)


def power_of_two(size: float) -> float:
    """Return the power of two just above a size; 1 where this is 0 or not finite."""
    return math.ldexp(1.0, math.frexp(size)[1]) if 0 < size < _LARGEST else 1.0


def even_power_of_two(size: float) -> float:
    """Return a power of two near a size, an even one, so that its root is a power of two, too."""
    return math.ldexp(1.0, max(-_MOST, min(math.frexp(size)[1] // 2 * 2, _MOST))) if 0 < size < math.inf else 1.0


def extreme(size: float, X: Array) -> float:
    """Return the power of two near this size if it is extreme, or else 1: fifth powers of an
    ordinary size are numbers of the precision of X.
    """
    ordinary = math.frexp(float(namespace(X).finfo(X.dtype).max))[1] // 6
    return even_power_of_two(size) if abs(math.frexp(size)[1]) > ordinary else 1.0


def _careful_norm(X: np.ndarray[Any, Any]) -> Any:
    unit = X.dtype.type(power_of_two(float(np.max(np.abs(X), initial=0.0))))
    scaled = X / unit
    return np.sqrt(np.vdot(scaled, scaled)) * unit
