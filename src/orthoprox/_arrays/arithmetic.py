"""Arithmetic that is quiet, whatever the caller has set with ``np.seterr``."""

import numpy as np


def quiet() -> np.errstate:
    """Return the state, for ``with quiet():`` and for ``@quiet()``, in which NumPy neither warns
    nor raises: what overflows is infinite, what underflows 0, what is undefined NaN.
    """
    return np.errstate(all="ignore")
