"""All nonsmooth terms: subgradients and directional derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, NONSMOOTH, SEEDS, SHAPE, kinked, normal
from orthoprox import stiefel
from orthoprox.nonsmooth import Function
from orthoprox.nonsmooth.base import HasSubdifferential

STEPS = st.floats(0.01, 0.99)
every_subdifferential = pytest.mark.parametrize("name", [n for n, g in NONSMOOTH.items() if isinstance(g, HasSubdifferential)])


def subgradient(g, X, seed):
    """An element of dg(X), the one next to a random matrix."""
    W = 3 * normal(seed, *SHAPE)
    return g.min_norm_subgradient(X, W) - W


def test_only_bare_functions_hide_their_subdifferential():
    """Every term but Function knows its subdifferential."""
    hidden = {type(g) for g in NONSMOOTH.values() if not isinstance(g, HasSubdifferential)}
    assert hidden == {Function}


@every_subdifferential
@given(seed=SEEDS, t=STEPS)
@EXAMPLES
def test_prox_residual_is_a_subgradient(name, seed, t):
    """s = (X - P) / t lies in dg(P) at P = prox_tg(X), so the least-norm element of -s + dg(P) is
    0.
    """
    g, X = NONSMOOTH[name], 2 * normal(seed, *SHAPE)
    P = g.prox(X, t)
    s = (X - P) / t
    assert stiefel.norm(g.min_norm_subgradient(P, -s)) <= 1e-13 * (1 + stiefel.norm(s)) / t


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_min_norm_subgradient_belongs_to_a_subgradient(name, seed):
    """u = min_norm_subgradient(P, W) - W supports g:  g(Q) >= g(P) + <u, Q - P> - modulus/2 |Q -
    P|^2  for all Q.
    """
    g = NONSMOOTH[name]
    P = kinked(g, seed)
    u = subgradient(g, P, seed + 1)
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 0.1, 1.0, 10.0):
        Q = g.prox(P + scale * rng.standard_normal(SHAPE), 1e-3)
        bound = g.value(P) + stiefel.inner(u, Q - P) - g.modulus / 2 * stiefel.norm(Q - P) ** 2
        assert g.value(Q) >= bound - 1e-10


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_min_norm_subgradient_has_the_least_norm(name, seed):
    """|min_norm_subgradient(P, W)| <= |W + s| for every s in dg(P)."""
    g = NONSMOOTH[name]
    X, W = 2 * normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    P = g.prox(X, 0.5)
    least = stiefel.norm(g.min_norm_subgradient(P, W))
    for s in ((X - P) / 0.5, *(subgradient(g, P, seed + k) for k in range(2, 6))):
        assert least <= stiefel.norm(W + s) + 1e-12


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_directional_derivative_is_the_one_sided_derivative(name, seed):
    """g'(X; V) is the limit of (g(X + hV) - g(X)) / h, at exact zeros and on the border of the
    domain, infinite ones too.
    """
    g = NONSMOOTH[name]
    X = kinked(g, seed)
    rng = np.random.default_rng(seed)
    V = rng.uniform(0.5, 1.0, SHAPE) * rng.choice([-1.0, 0.0, 1.0], SHAPE)
    h = 1e-5  # above the slack of an indicator, so that leaving the domain shows
    inward = (g.prox(X + h * V, 1e-9) - X) / h
    for direction in (V, np.where(np.abs(inward) < 1e-3, 0.0, V)):
        difference = (g.value(X + h * direction) - g.value(X)) / h
        assert g.directional_derivative(X, direction) == pytest.approx(difference, rel=1e-3, abs=1e-3)


@every_subdifferential
@given(seed=SEEDS)
@EXAMPLES
def test_directional_derivative_is_the_support_function_of_the_subdifferential(name, seed):
    """g'(X; V) >= <s, V> for every s in dg(X), with equality for the s farthest in the direction
    V.
    """
    g = NONSMOOTH[name]
    X = kinked(g, seed)
    V = g.prox(normal(seed + 1, *SHAPE), 0.1) - X  # points into the domain
    V = np.where(np.abs(V) < 1e-3, 0.0, V)
    derivative = g.directional_derivative(X, V)
    assert np.isfinite(derivative)
    for k in range(2, 6):
        assert derivative >= stiefel.inner(subgradient(g, X, seed + k), V) - 1e-12
    farthest = g.min_norm_subgradient(X, -1e4 * V) + 1e4 * V
    assert derivative == pytest.approx(stiefel.inner(farthest, V), rel=1e-9, abs=1e-9)
