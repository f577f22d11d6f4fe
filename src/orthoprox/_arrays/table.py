"""Tables and arrays with entries that are not numbers: which column, which entry."""

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np

from orthoprox._arrays.words import short

_NUMERIC = "fiub"  # kinds of NumPy dtypes
_NAMED = 3  # columns that a message names


def explained(value: Any, X: np.ndarray[Any, Any], name: str) -> str:
    """Return why X, made of a user's ``value``, is of no use: its text columns, its first entry
    that is not a number, or its dtype.
    """
    columns = list(_text_columns(value))
    if columns:
        named = ", ".join(f"{short(column)} ({dtype})" for column, dtype in columns[:_NAMED])
        more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
        return f"{name} has columns that are not numbers: {named}{more}; drop them, or encode them as numbers."
    odd = next((at for at in np.ndindex(X.shape) if not _is_number(X[at])), None) if X.dtype.kind in "OUS" else None
    if odd is not None:
        entry, place = X[odd], ", ".join(map(str, odd))
        entry = entry.item() if isinstance(entry, np.generic) else entry
        if isinstance(entry, (list, tuple, np.ndarray)):
            return f"{name} is ragged: its entry [{place}] is a {type(entry).__name__}; it needs a rectangular array."
        return f"{name} has the entry {short(entry)}, a {type(entry).__name__}, at [{place}]; it needs real numbers."
    return f"{name} has dtype {X.dtype}; it needs real numbers, convert it with .astype(float) first."


def _text_columns(value: Any) -> Iterable[tuple[Any, Any]]:
    """Yield name and dtype of the columns of a table (of pandas, polars, ...) that are not
    numbers.
    """
    columns, dtypes = getattr(value, "columns", None), getattr(value, "dtypes", None)
    if not isinstance(columns, Iterable) or not isinstance(dtypes, Iterable):
        return
    for column, dtype in zip(columns, dtypes, strict=False):
        if np.asarray(value[column]).dtype.kind not in _NUMERIC:
            yield column, dtype


def _is_number(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return isinstance(entry, Number)
    return True
