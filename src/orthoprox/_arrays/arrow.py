"""Columns of Arrow as numbers."""

from typing import Any

import numpy as np


def is_number(kind: Any) -> bool:
    """Tell whether a type of Arrow is one of numbers."""
    from pyarrow import types

    return any(test(kind) for test in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal))


def floats(column: Any, dtype: Any = np.float64) -> Any:
    """Return a column of Arrow as numbers, NaN where it is null."""
    from pyarrow import float32, float64

    kind = float32() if dtype == np.float32 else float64()
    return column.cast(kind).to_numpy(zero_copy_only=False)
