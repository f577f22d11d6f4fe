"""The Moreau envelope: its value, gradient and curvature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, NONSMOOTH, SEEDS, SHAPE, kinked, nonsmooth_terms, normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, Box
from orthoprox.nonsmooth.base import HasProxDerivative
from orthoprox.problems.smoothed import curvature, envelope

SMOOTHINGS = st.sampled_from([0.03, 0.3, 0.9])
every_term = pytest.mark.parametrize("name", NONSMOOTH)


@every_term
@given(seed=SEEDS, nu=SMOOTHINGS)
@EXAMPLES
def test_value_is_the_minimum(name, seed, nu):
    """e(X) = g(P) + |P - X|^2 / 2nu at the point P, and no Q gives less."""
    g, X = NONSMOOTH[name], normal(seed, *SHAPE)
    e = envelope(g, X, nu)
    assert e.value == pytest.approx(g.value(e.point) + stiefel.norm(e.point - X) ** 2 / (2 * nu), rel=1e-12, abs=1e-12)
    for k, scale in enumerate((1e-3, 0.1, 1.0)):
        Q = g.prox(e.point + scale * normal(seed + k, *SHAPE), 1e-6)
        assert e.value <= g.value(Q) + stiefel.norm(Q - X) ** 2 / (2 * nu) + 1e-12


@every_term
@given(seed=SEEDS)
@EXAMPLES
def test_value_rises_to_g_as_nu_vanishes(name, seed):
    """e(X) <= g(X), a bound that gets sharper with smaller nu and tight in the limit."""
    g = NONSMOOTH[name]
    X = kinked(g, seed)
    values = [envelope(g, X, nu).value for nu in (0.9, 0.3, 0.03, 1e-3, 1e-8)] + [g.value(X)]
    assert np.min(np.diff(values)) >= -1e-12
    assert values[-2] == pytest.approx(g.value(X), abs=1e-6)


def test_the_envelope_of_the_absolute_value_is_hubers():
    """For mu |x|: x^2 / 2nu where |x| <= nu mu, and mu |x| - nu mu^2 / 2 beyond."""
    mu, nu = 0.4, 0.5
    for x in np.linspace(-1, 1, 21):
        huber = x**2 / (2 * nu) if abs(x) <= nu * mu else mu * abs(x) - nu * mu**2 / 2
        assert envelope(L1(mu), np.full((1, 1), x), nu).value == pytest.approx(huber, abs=1e-15)


@every_term
@given(seed=SEEDS, nu=SMOOTHINGS)
@EXAMPLES
def test_gradient_is_the_derivative_of_the_value(name, seed, nu):
    """<gradient, V> is the limit of (e(X + hV) - e(X - hV)) / 2h, also where g is infinite or has a
    kink.
    """
    g, h = NONSMOOTH[name], 1e-7
    V = normal(seed + 1, *SHAPE)
    for X in (normal(seed, *SHAPE), kinked(g, seed), np.zeros(SHAPE)):
        difference = (envelope(g, X + h * V, nu).value - envelope(g, X - h * V, nu).value) / (2 * h)
        assert stiefel.inner(envelope(g, X, nu).gradient, V) == pytest.approx(difference, abs=1e-5 * stiefel.norm(V) ** 2 / nu)


@every_term
@given(seed=SEEDS, nu=SMOOTHINGS)
@EXAMPLES
def test_gradient_is_a_subgradient_at_the_point(name, seed, nu):
    """g(Q) >= g(P) + <gradient, Q - P> - modulus/2 |Q - P|^2 for all Q."""
    g = NONSMOOTH[name]
    e = envelope(g, normal(seed, *SHAPE), nu)
    for k, scale in enumerate((1e-3, 0.1, 1.0, 10.0)):
        Q = g.prox(e.point + scale * normal(seed + k, *SHAPE), 1e-6)
        bound = g.value(e.point) + stiefel.inner(e.gradient, Q - e.point) - g.modulus / 2 * stiefel.norm(Q - e.point) ** 2
        assert g.value(Q) >= bound - 1e-9


def test_both_kinds_of_curvature_are_tested():
    """Some terms know the derivative of their prox, others show it by finite differences."""
    assert {isinstance(g, HasProxDerivative) for g in NONSMOOTH.values()} == {True, False}


@every_term
@given(seed=SEEDS, nu=SMOOTHINGS)
@EXAMPLES
def test_curvature_is_the_derivative_of_the_gradient(name, seed, nu):
    """It is the limit of (gradient(X + hV) - gradient(X - hV)) / 2h, away from the kinks of the
    prox.
    """
    g, h = NONSMOOTH[name], 1e-6
    X, V = normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    before, here, after = (envelope(g, X + s * V, nu).gradient for s in (-h, 0.0, h))
    smooth = np.abs(after - 2 * here + before) <= 1e-9 / nu
    error = np.where(smooth, curvature(g, X, nu)(V) - (after - before) / (2 * h), 0.0)
    assert np.max(np.abs(error)) <= 1e-4 / nu
    assert np.mean(smooth) > 0.8


@every_term
def test_curvature_of_no_move_and_of_a_scaled_one(name):
    """It is 0 for V = 0, and for cV it is c times that for V, whatever the size of c."""
    second, V = curvature(NONSMOOTH[name], normal(0, *SHAPE), 0.3), normal(1, *SHAPE)
    assert stiefel.norm(second(0 * V)) == 0
    for c in (1e-9, 1e9):
        np.testing.assert_allclose(second(c * V) / c, second(V), atol=1e-6 * stiefel.norm(V) / 0.3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_curvature_of_a_box(dtype):
    """The envelope of an indicator is half the squared distance over nu: 1 / nu outside, 0 inside,
    in any precision.
    """
    X, V, nu = np.array([[-0.9, 0.1, 0.7, 0.9]], dtype=dtype), np.array([[1.0, -2.0, 3.0, -4.0]], dtype=dtype), 0.01
    np.testing.assert_allclose(
        curvature(Box(-0.5, 0.8), X, nu)(V), [[100, 0, 0, -400]], atol=4 if dtype == np.float32 else 1e-3
    )


@every_term
def test_envelope_and_curvature_keep_the_dtype(name):
    """A float32 X has an envelope in float32, which is that of float64 but for rounding."""
    g, X = nonsmooth_terms(lambda A: A.astype(np.float32))[name], normal(0, *SHAPE).astype(np.float32)
    e, exact = envelope(g, X, 0.3), envelope(NONSMOOTH[name], X.astype(float), 0.3)
    for entry in ("point", "value", "gradient"):
        assert getattr(e, entry).dtype == np.float32
        np.testing.assert_allclose(getattr(e, entry), getattr(exact, entry), rtol=1e-5, atol=1e-5)
    assert curvature(g, X, 0.3)(X).dtype == np.float32
