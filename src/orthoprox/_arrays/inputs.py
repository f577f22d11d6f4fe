"""What a user passes, checked once: every message says what was given, what was needed and the
fix.
"""

import difflib
import math
import sys
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, is_array, namespace
from orthoprox._arrays.words import explained, short, shown

REAL_DTYPES = ("float32", "float64")
_ELSEWHERE = {  # what other libraries call an option
    "random_state": "seed",
    "rng": "seed",
    "x0": "start",
    "X0": "start",
    "init": "start",
    "n_init": "n_starts",
    "verbose": "progress",
    "algorithm": "method",
    "timeout": "max_seconds",
    "time_limit": "max_seconds",
}


def matrix(
    value: Any,
    name: str,
    *,
    shape: tuple[int | None, ...] = (None, None),
    batch: bool = False,
    infinite: bool = False,
    nan: bool = False,
) -> Array:
    """Return ``value`` as a finite, nonempty, real floating array with the given trailing shape.

    Arrays of the standard stay in their library; lists, tables and other sequences become NumPy
    arrays; integers become ``float64``. With ``batch`` any number of leading axes is accepted, with
    ``infinite`` infinite entries are, with ``nan`` any.
    """
    X = _real(value, name)
    if X.ndim < len(shape) or (X.ndim > len(shape) and not batch):
        raise ValueError(f"{name} has {X.ndim} dimension(s), shape {tuple(X.shape)}; it needs {_sketch(shape)}.")
    if math.prod(X.shape) == 0:
        raise ValueError(f"{name} is empty, shape {tuple(X.shape)}; it needs at least one row and one column.")
    trailing = tuple(X.shape)[X.ndim - len(shape) :]
    if any(want is not None and want != got for want, got in zip(shape, trailing, strict=True)):
        raise ValueError(f"{name} has shape {tuple(X.shape)}; it needs {_sketch(shape)}.")
    xp = namespace(X)
    if not nan and bool(xp.any(xp.isnan(X) if infinite else ~xp.isfinite(X))):
        raise ValueError(f"{name} contains NaN{'' if infinite else ' or infinite'} entries; remove or impute them first.")
    return X


def operator(value: Any, name: str) -> Any:
    """Return ``value`` as a matrix: a checked dense array, a CSR array, or the ``LinearOperator``
    it is.
    """
    if not (is_operator(value) or sp.issparse(value)):
        return matrix(value, name, batch=True)
    if np.issubdtype(value.dtype, np.complexfloating):
        raise TypeError(f"{name} is complex ({value.dtype}); orthoprox works with real matrices, pass real data.")
    if len(value.shape) != 2 or 0 in value.shape:
        raise ValueError(f"{name} has shape {value.shape}; it needs two dimensions with at least one row and column.")
    if sp.issparse(value):
        entries = matrix(value.tocsr().data[None, :] if value.nnz else [[0.0]], f"The stored entries of {name}")
        return sp.csr_array(value).astype(entries.dtype)
    return value


def is_operator(value: Any) -> bool:
    """Tell whether ``value`` is a ``LinearOperator``: nothing is before its module is imported."""
    module = sys.modules.get("scipy.sparse.linalg")
    return module is not None and isinstance(value, module.LinearOperator)


def broadcastable(value: Any, name: str, shape: tuple[int, int]) -> None:
    """Raise where ``value``, a number or an array, does not broadcast to X of the given shape."""
    trailing = tuple(value.shape)[-2:] if is_array(value) else ()
    try:
        fits = np.broadcast_shapes(trailing, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        by_rows = f", or np.reshape({name}, (-1, 1)) for one number each row" if trailing == shape[:1] else ""
        raise ValueError(
            f"{name} has shape {tuple(value.shape)}, X has {shape}; pass a number or an array of shape {shape}{by_rows}."
        )


def number(value: Any, name: str, *, minimum: float = 0.0, strict: bool = True) -> float:
    """Return ``value``, a number or an array of no dimensions, as a finite float above ``minimum``
    (``strict``) or from it.
    """
    if _is_scalar_array(value):
        value = float(value)
    if not _is_number(value, Real):
        raise TypeError(f"{name} is {shown(value)}; it needs a real number.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf if value > 0 else -math.inf
    if not math.isfinite(result) or result < minimum or (strict and result == minimum):
        bound = "" if minimum == -math.inf else f" {'>' if strict else '>='} {minimum:g}"
        raise ValueError(f"{name} = {result:g}; it needs a finite number{bound}.")
    return result


def parameter(value: Any, name: str, *, strict: bool = True) -> Any:
    """Return a solver's parameter: a positive number, or an array of them (one for each problem of
    a batch).
    """
    if not is_array(value) or value.ndim == 0:
        return number(value, name, strict=strict)
    X = _real(value, name)
    if X.ndim < 3 or X.shape[-2:] != (1, 1):
        raise ValueError(
            f"{name} has shape {tuple(X.shape)}; it needs a number, or for a batch of problems shape (batch, 1, 1)."
        )
    xp = namespace(X)
    if not bool(xp.all(xp.isfinite(X) & (X > 0 if strict else X >= 0))):
        raise ValueError(f"{name} has entries that are not finite numbers {'>' if strict else '>='} 0.")
    return X


def integer(value: Any, name: str, *, minimum: int = 1) -> int:
    """Return ``value`` as an int that is at least ``minimum``."""
    if not _is_number(value, Integral):
        raise TypeError(f"{name} is {shown(value)}; it needs a whole number.")
    whole = int(value)
    if whole < minimum:
        raise ValueError(f"{name} = {short(whole)}; it needs a whole number >= {minimum}.")
    return whole


def pair(shape: Any) -> tuple[int, int]:
    """Return the shape (m, n) of X, m >= n >= 1."""
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise ValueError(f"shape is {short(shape)}; it needs a pair (m, n).")
    m = integer(shape[0], "m")
    return m, columns(shape[1], m)


def columns(n: Any, m: int) -> int:
    """Return the number of columns, checked against the number of rows ``m``."""
    wanted = integer(n, "n")
    if wanted > m:
        raise ValueError(f"n = {short(wanted)} is larger than m = {m}; X'X = I_n needs n <= m, ask for at most {m} columns.")
    return wanted


def choice(value: Any, name: str, options: Iterable[str]) -> str:
    """Return ``value`` if it is one of the ``options``; otherwise name the nearest."""
    options = sorted(options)
    needed = f"it needs one of {', '.join(map(repr, options))}."
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; {needed}")
    if value not in options:
        raise ValueError(f"{name} is {short(value)}; {needed}{suggestion(value, options)}")
    return value


def suggestion(word: str, options: Iterable[str]) -> str:
    """Return the sentence that suggests the option that ``word`` means or is nearest to, or
    nothing.
    """
    word = _ELSEWHERE.get(word, word)
    spelled = {option.lower(): option for option in options}
    close = difflib.get_close_matches(word.lower(), spelled, n=1, cutoff=0.5)
    return f" Did you mean {spelled[close[0]]!r}?" if close else ""


def generator(seed: Any, name: str = "seed") -> np.random.Generator:
    """Return ``seed`` as a ``numpy.random.Generator``."""
    if isinstance(seed, np.random.Generator):
        return seed
    if not _is_number(seed, Integral):
        raise TypeError(f"{name} is {shown(seed)}; it needs an int or a numpy.random.Generator.")
    return np.random.default_rng(integer(seed, name, minimum=0))


def flag(value: Any, name: str) -> bool:
    """Return ``value`` if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {shown(value)}; it needs True or False.")
    return bool(value)


def function(value: Any, name: str, arguments: str) -> Callable[..., Any]:
    """Return ``value`` if it can be called."""
    if not callable(value):
        raise TypeError(f"{name} is {shown(value)}; it needs a callable of {arguments}.")
    return value  # type: ignore[no-any-return]


def returned_array(value: Any, name: str, X: Array, *, finite: bool = True) -> None:
    """Raise where ``value``, returned by a user's function at X, is not a floating array of the
    shape of X, or has entries that are not finite.
    """
    if not is_array(value) or isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} returned {shown(value)}; it needs an array of the shape of X.")
    if tuple(value.shape) != tuple(X.shape):
        raise ValueError(
            f"{name} returned shape {tuple(value.shape)} for X of shape {tuple(X.shape)}; both need to be the same."
        )
    xp = namespace(value)
    if not xp.isdtype(value.dtype, (xp.float32, xp.float64)):
        raise TypeError(f"{name} returned dtype {value.dtype}; it needs real floating-point numbers, float32 or float64.")
    if finite and not bool(xp.all(xp.isfinite(value))):
        raise ValueError(
            f"{name} returned NaN or infinite entries; it needs finite ones. Check its formula, or scale the data."
        )


def returned_number(value: Any, name: str, *, infinite: bool = False, finite: bool = True) -> None:
    """Raise where ``value``, returned by a user's function, is not a number, or is not finite (or
    +inf, if ``infinite``).
    """
    if not (_is_scalar_array(value) or _is_number(value, Real)):
        raise TypeError(f"{name} returned {shown(value)}; it needs one real number.")
    try:
        float(value)
    except OverflowError as error:
        raise ValueError(f"{name} returned an integer beyond 1.8e308; it needs a number of double precision.") from error
    if finite and not (math.isfinite(value) or (infinite and value > 0)):
        raise ValueError(f"{name} returned {float(value)}; it needs a finite number. Check its formula, or scale the data.")


def parts_returned(value: Any, name: str, X: Array, kinds: str) -> tuple[Any, ...]:
    """Return the parts of ``value``, returned by a user's function at X, finite or not: in
    ``kinds`` v stands for a number, A for an array like X.
    """
    if len(kinds) > 1 and (not isinstance(value, (tuple, list)) or len(value) != len(kinds)):
        raise TypeError(f"{name} returned {shown(value)}; it needs a pair (value, gradient).")
    parts = tuple(value) if len(kinds) > 1 else (value,)
    for kind, part in zip(kinds, parts, strict=True):
        if kind == "A":
            returned_array(part, name, X, finite=False)
        else:
            returned_number(part, name, finite=False)
    return parts


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, (bool, np.timedelta64))


def _is_scalar_array(value: Any) -> bool:
    """Tell whether ``value`` is an array of no dimensions that holds a real number, not a mask."""
    if not is_array(value) or value.ndim != 0 or isinstance(value, np.ma.MaskedArray):
        return False
    return bool(namespace(value).isdtype(value.dtype, ("integral", "real floating")))


def _real(value: Any, name: str) -> Array:
    if any(isinstance(part, np.ma.MaskedArray) for part in (value, *(value if isinstance(value, (list, tuple)) else ()))):
        raise TypeError(f"{name} is a masked array; fill or remove its missing entries first.")
    if sp.issparse(value):
        raise TypeError(f"{name} is sparse; it needs a dense array, pass {name.split()[-1]}.toarray().")
    if not is_array(value) or isinstance(value, (np.ndarray, np.generic)):
        value = _numpy(value, name)
    xp = namespace(value)
    if xp.isdtype(value.dtype, "complex floating"):
        raise TypeError(f"{name} is complex ({value.dtype}); orthoprox works with real matrices, pass real data.")
    if xp.isdtype(value.dtype, "real floating") and str(value.dtype).rpartition(".")[2] in REAL_DTYPES:
        return value
    with quiet():  # what is too large becomes infinite
        double = xp.astype(value, xp.float64)
    if xp.isdtype(value.dtype, "real floating") and bool(xp.any(xp.isinf(double) & xp.isfinite(value))):
        raise ValueError(f"{name} has entries beyond 1.8e308, the largest number of double precision; scale it.")
    return double


def _numpy(value: Any, name: str) -> Array:
    try:
        X = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is ragged: its rows differ in length; it needs a rectangular array.") from error
    if X.dtype.kind not in "fiubc" and X.ndim == 0:
        raise TypeError(f"{name} is {shown(value)}; it needs an array of real numbers.")
    if X.dtype.kind not in "fiubc":
        raise TypeError(explained(value, X, name))
    return X


def _sketch(shape: tuple[int | None, ...]) -> str:
    if all(size is None for size in shape):
        return f"{len(shape)} dimensions"
    return "shape (" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
