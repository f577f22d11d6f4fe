"""All nonsmooth terms: derivatives of proxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, NONSMOOTH, SEEDS, SHAPE, kinked, normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.nonsmooth.base import HasProxDerivative

STEPS = st.floats(0.01, 0.99)
SPREADS = st.sampled_from([0.1, 1.0, 3.0])


DIFFERENTIABLE = [name for name, g in NONSMOOTH.items() if isinstance(g, HasProxDerivative)]


def test_who_knows_the_derivative_of_its_prox():
    """L1, L21 and Zero, at least."""
    assert {type(NONSMOOTH[name]) for name in DIFFERENTIABLE} >= {L1, L21, Zero}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_derivative_is_the_derivative_of_the_prox(name, seed, t, spread):
    """J[V] is the limit of (prox(X + hV) - prox(X - hV)) / 2h, away from the kinks, where the prox
    is differentiable.
    """
    g, h = NONSMOOTH[name], 1e-6
    X, V = spread * normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    difference = (g.prox(X + h * V, t) - g.prox(X - h * V, t)) / (2 * h)
    smooth = np.abs((g.prox(X + h * V, t) - g.prox(X, t)) - (g.prox(X, t) - g.prox(X - h * V, t))) <= 1e-9
    error = np.where(smooth, g.prox_derivative(X, t)(V) - difference, 0.0)
    assert np.max(np.abs(error)) <= 1e-4
    assert np.mean(smooth) > 0.8


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@given(seed=SEEDS, t=STEPS, spread=SPREADS)
@EXAMPLES
def test_prox_derivative_is_symmetric_and_between_0_and_1(name, seed, t, spread):
    """<J[V], W> = <V, J[W]> and 0 <= <J[V], V> <= |V|^2, at kinks as well; it is linear."""
    g = NONSMOOTH[name]
    V, W = normal(seed + 1, *SHAPE), normal(seed + 2, *SHAPE)
    for X in (spread * normal(seed, *SHAPE), kinked(g, seed), np.zeros(SHAPE)):
        JV, JW = g.prox_derivative(X, t)(V), g.prox_derivative(X, t)(W)
        assert stiefel.inner(JV, W) == pytest.approx(stiefel.inner(V, JW), abs=1e-12)
        assert -1e-12 <= stiefel.inner(JV, V) <= stiefel.inner(V, V) * (1 + 1e-12)
        np.testing.assert_allclose(g.prox_derivative(X, t)(2 * V - W), 2 * JV - JW, atol=1e-12)


def test_prox_derivative_vanishes_where_the_prox_is_constant():
    """Below the threshold, in rows that vanish, and beyond the bound."""
    X = np.array([[0.1, 2.0, 1.0]])
    V = np.ones((1, 3))
    np.testing.assert_array_equal(L1(0.4).prox_derivative(X, 0.5)(V), [[0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(L1(0.4, bound=0.9).prox_derivative(X, 0.5)(V), [[0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(L1([[0.4, 0.4, 3.0]]).prox_derivative(X, 0.5)(V), [[0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(L21(5.0).prox_derivative(X, 0.5)(V), [[0.0, 0.0, 0.0]])
