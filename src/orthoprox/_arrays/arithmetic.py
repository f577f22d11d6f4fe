"""Arithmetic that is quiet, whatever the caller has set with ``np.seterr``."""

from functools import partial

import numpy as np

quiet = partial(np.errstate, all="ignore")
"""The state, for ``with quiet():`` and for ``@quiet()``, in which NumPy neither warns nor raises:
what overflows is infinite, what underflows 0, what is undefined NaN."""
