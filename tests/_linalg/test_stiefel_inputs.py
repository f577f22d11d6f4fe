"""Mistakes in the arguments of a random point are named."""

import pytest

import orthoprox as op
from refusals import bad_integers, table

INTEGERS = {
    "random_point.m": ("m", lambda v: op.stiefel.random_point(v, 1), 1),
    "random_point.n": ("n", lambda v: op.stiefel.random_point(6, v), 1),
    "random_point.seed": ("seed", lambda v: op.stiefel.random_point(6, 2, seed=v), 0),
}
MISFITS = [
    ("random n", lambda: op.stiefel.random_point(2, 3), ValueError, "n = 3 is larger than m = 2; .* at most 2"),
]


@table(bad_integers(INTEGERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
