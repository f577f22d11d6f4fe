"""Mistakes in the arguments of data sets are named."""

import pytest

import orthoprox as op
from refusals import NONNEGATIVE, bad_integers, bad_numbers, table

NUMBERS = {
    "five_components.sd": ("sd", lambda v: op.datasets.five_components(5, 6, sd=v), NONNEGATIVE),
    "synthetic_house.noise": ("noise", lambda v: op.datasets.synthetic_house(noise=v), NONNEGATIVE),
}
INTEGERS = {
    "five_components.p": ("p", lambda v: op.datasets.five_components(v, 6), 5),
    "five_components.m": ("m", lambda v: op.datasets.five_components(5, v), 2),
    "five_components.seed": ("seed", lambda v: op.datasets.five_components(5, 6, seed=v), 0),
    "random_quadratic.m": ("m", lambda v: op.datasets.random_quadratic(v, 1), 1),
    "random_quadratic.n": ("n", lambda v: op.datasets.random_quadratic(6, v), 1),
    "random_quadratic.seed": ("seed", lambda v: op.datasets.random_quadratic(6, 2, seed=v), 0),
    "synthetic_house.frames": ("frames", op.datasets.synthetic_house, 1),
    "synthetic_house.seed": ("seed", lambda v: op.datasets.synthetic_house(seed=v), 0),
}
MISFITS = [
    ("data n", lambda: op.datasets.random_quadratic(2, 3), ValueError, "n = 3 is larger than m = 2; .* at most 2"),
    ("data p", lambda: op.datasets.five_components(7, 6), ValueError, "p = 7; .* p needs to be a multiple of 5"),
    ("center", lambda: op.datasets.five_components(5, 6, center="no"), TypeError, "center is 'no', .* True or False"),
    ("folder", lambda: op.datasets.cmu_house(3), TypeError, "folder is 3, a int; it needs a path"),
]


@table(bad_numbers(NUMBERS), bad_integers(INTEGERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
