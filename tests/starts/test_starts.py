"""All starts, by name."""

import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, SMOOTH, gaussian_pca
from orthoprox.starts import STARTS

every_start = pytest.mark.parametrize("name", STARTS)


@every_start
@pytest.mark.parametrize("term", SMOOTH)
def test_every_start_is_on_the_manifold_and_repeatable(name, term):
    problem = op.Problem(SMOOTH[term], NONSMOOTH["L1"], SHAPE)
    X = STARTS[name](problem, np.random.default_rng(3))
    assert op.metrics.feasibility(X) < 1e-12
    np.testing.assert_array_equal(X, STARTS[name](problem, np.random.default_rng(3)))


@every_start
@pytest.mark.parametrize("term", NONSMOOTH)
def test_every_start_works_with_every_penalty(name, term):
    X = STARTS[name](op.Problem(SMOOTH["Quadratic linear"], NONSMOOTH[term], SHAPE), np.random.default_rng(0))
    assert op.metrics.feasibility(X) < 1e-12


@every_start
def test_starts_keep_the_precision_of_the_data(name):
    assert STARTS[name](gaussian_pca(dtype=np.float32), np.random.default_rng(0)).dtype == np.float32
