"""The only module that knows which array libraries exist.

Everything else is written against the Python array API standard: it asks an array for its namespace
and calls nothing but standard functions, so NumPy, ``array_api_strict`` and any other conforming
library run the same code.
"""

from typing import Any

import numpy as np

Array = Any
"""An array of the standard: an object with ``__array_namespace__``."""


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


def identity(n: int, like: Array) -> Array:
    """Return I_n in the library, with the dtype and on the device of ``like``."""
    return namespace(like).eye(n, dtype=like.dtype, device=like.device)
