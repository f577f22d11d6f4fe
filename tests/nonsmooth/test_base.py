"""All nonsmooth terms: values, proxes, and what they keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, NAIVE, NONSMOOTH, SEEDS, SHAPE, N, kinked, nonsmooth_terms, normal
from orthoprox.checks import check_prox
from orthoprox.nonsmooth import L1, L21, MCP, SCAD
from orthoprox.nonsmooth.base import HasProxDerivative, HasSubdifferential
from orthoprox.nonsmooth.separable import Separable
from refusals import locked

STEPS = st.floats(0.01, 0.99)
SPREADS = st.sampled_from([0.1, 1.0, 3.0])
LOCKED = nonsmooth_terms(locked)
every_term = pytest.mark.parametrize("name", NONSMOOTH)


@every_term
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_minimises_its_model(name, seed, t, spread):
    """No P does better than prox_tg(X) in  g(P) + |P - X|^2 / 2t."""
    check_prox(NONSMOOTH[name], spread * normal(seed, *SHAPE), t, seed=seed)


@pytest.mark.parametrize("name", NAIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_value_is_the_sum_over_the_entries(name, seed):
    """g(X) = sum_ij g_ij(x_ij), inside the domain and outside."""
    for X in (normal(seed, *SHAPE), kinked(NONSMOOTH[name], seed)):
        expected = sum(NAIVE[name](X[i, j], i, j) for i in range(SHAPE[0]) for j in range(N))
        assert NONSMOOTH[name].value(X) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_every_separable_term_has_a_naive_twin():
    """The grid search below leaves no separable term out."""
    assert {name for name, g in NONSMOOTH.items() if isinstance(g, Separable)} <= set(NAIVE)


@pytest.mark.parametrize("name", NAIVE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_of_an_entry_is_found_by_search(name, seed, t, spread):
    """The model is convex in each entry, so its best point on a grid of width h is within h of
    prox_tg(X).
    """
    grid, h = np.linspace(-10, 10, 20_001, retstep=True)
    X = spread * np.clip(normal(seed, *SHAPE), -3, 3)
    P = NONSMOOTH[name].prox(X, t)
    for i, j in [(0, 0), (1, 1), (2, 2), (6, 0), (6, 1)]:
        best = grid[np.argmin(NAIVE[name](grid, i, j) + (grid - X[i, j]) ** 2 / (2 * t))]
        assert abs(P[i, j] - best) <= 1.01 * h


@every_term
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_prox_and_value_keep_the_dtype(name, dtype):
    """A term computes in the precision that it is given."""
    g, X = nonsmooth_terms(lambda A: A.astype(dtype))[name], normal(0, *SHAPE).astype(dtype)
    assert g.prox(X, 0.5).dtype == dtype
    assert g.value(X).dtype == dtype
    if isinstance(g, HasSubdifferential):
        P = g.prox(X, 0.5)
        assert g.min_norm_subgradient(P, X).dtype == dtype
        assert g.directional_derivative(P, X).dtype == dtype
    if isinstance(g, HasProxDerivative):
        assert g.prox_derivative(X, 0.5)(X).dtype == dtype
    np.testing.assert_allclose(g.prox(X, 0.5), NONSMOOTH[name].prox(X.astype(float), 0.5), atol=1e-6)


@every_term
def test_methods_do_not_touch_their_input(name):
    """Terms are pure: X and V are the same before and after, and the data of the term may be
    locked.
    """
    g = LOCKED[name]
    X, V = locked(kinked(g, 0)), locked(normal(1, *SHAPE))
    before = X.copy(), V.copy()
    g.value(V), g.prox(V, 0.5), check_prox(g, V)
    if isinstance(g, HasSubdifferential):
        g.min_norm_subgradient(X, V), g.directional_derivative(X, V)
    if isinstance(g, HasProxDerivative):
        g.prox_derivative(X, 0.5)(V)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(V, before[1])


@pytest.mark.parametrize("g", [MCP(0.0), SCAD(0.0), L1(0.0), L21(0.0)], ids=lambda g: type(g).__name__)
def test_a_penalty_without_weight_is_zero(g):
    """With mu = 0 the value is 0, the prox the identity and the subdifferential {0}."""
    X = kinked(L1(0.4), 0)
    W = normal(1, *SHAPE)
    assert g.value(X) == 0
    np.testing.assert_array_equal(g.prox(X, 0.5), X)
    np.testing.assert_array_equal(g.min_norm_subgradient(X, W), W)
    assert g.directional_derivative(X, W) == 0
