"""Mistakes in the arguments of a start are named."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.starts import STARTS
from refusals import PROBLEM, A, bad_integers, every_return, table, with_terms

every_start = pytest.mark.parametrize("name", STARTS)
SEEDS = {f"{name}.rng": ("rng", lambda v, name=name: getattr(op.starts, name)(PROBLEM, v), 0) for name in STARTS}


@table(bad_integers(SEEDS))
def test_bad_seeds_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@every_start
@pytest.mark.parametrize("problem", [A, None, "sparse_pca", op.Problem, PROBLEM.smooth], ids=lambda v: type(v).__name__)
def test_what_is_no_problem_is_refused(name, problem):
    with pytest.raises(TypeError, match=r"problem is .*; it needs an orthoprox.Problem, such as"):
        getattr(op.starts, name)(problem, 0)


@pytest.mark.parametrize("name", ["pca", "coordinates", "smoothed"])
@every_return
def test_terms_that_return_the_wrong_thing_are_refused(name, terms, error, message):
    with pytest.raises(error, match=message):
        getattr(op.starts, name)(with_terms(**terms), 0)


@every_start
def test_a_seed_is_its_generator(name):
    start = getattr(op.starts, name)
    expected = STARTS[name](PROBLEM, np.random.default_rng(3))
    np.testing.assert_array_equal(start(PROBLEM, 3), expected)
    np.testing.assert_array_equal(start(PROBLEM, np.random.default_rng(3)), expected)
    assert start.__doc__ == STARTS[name].__doc__
