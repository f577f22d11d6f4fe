"""Loadings as a data frame."""

from typing import Any

import numpy as np


def loadings(components: np.ndarray[Any, Any], names: list[str], columns: list[str]) -> Any:
    """Return a pandas data frame with a row for each variable and a column for each component."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("A data frame needs pandas: pip install pandas.") from error
    return pd.DataFrame(components.T, index=names, columns=columns)
