"""Mistakes in the bounds of stopping rules are named."""

import numpy as np
import pytest

from orthoprox import stopping
from refusals import FINITE, NONNEGATIVE, POSITIVE, bad_integers, bad_numbers, table

NUMBERS = {
    "Stationary": ("tol", stopping.Stationary, POSITIVE),
    "Below": ("step", lambda v: stopping.Below(step=v), NONNEGATIVE),
    "ObjectiveBelow": ("target", stopping.ObjectiveBelow, FINITE),
    "MaxSeconds": ("max_seconds", stopping.MaxSeconds, POSITIVE),
    "Leaves": ("radius", stopping.Leaves, POSITIVE),
    "paper.sparse_pca_rsm": ("baseline", stopping.paper.sparse_pca_rsm, FINITE),
}
INTEGERS = {
    "MaxIterations": ("max_iterations", stopping.MaxIterations, 0),
    "Leaves.grace": ("grace", lambda v: stopping.Leaves(1.0, v), 0),
}
MISFITS = [
    ("or", lambda: stopping.Stationary() | 3, TypeError, "stop is 3, a int; it needs a rule such as Stationary"),
    ("and", lambda: stopping.Stationary() & None, TypeError, "stop is None, a NoneType; it needs a rule such as"),
    ("or array", lambda: stopping.Leaves() | np.ones((9, 9)), TypeError, r"stop is a NumPy array of shape \(9, 9\); it needs"),
    ("or class", lambda: stopping.Leaves() | stopping.Leaves, TypeError, "stop is <class .*; it needs a rule such as"),
    ("Below", lambda: stopping.Below(), ValueError, r"Below was given no bound; .* such as Below\(step=1e-4"),
]


@table(bad_numbers(NUMBERS), bad_integers(INTEGERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
