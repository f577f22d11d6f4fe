"""Folded concave penalties."""

import numpy as np
import pytest
from scipy.integrate import quad

from cases import SHAPE, normal
from orthoprox.nonsmooth import MCP, SCAD


def derivative_of_mcp(x, mu, gamma):
    return max(mu - x / gamma, 0.0)


def derivative_of_scad(x, mu, a):
    return mu if x <= mu else max(a * mu - x, 0.0) / (a - 1)


CONCAVE = [
    (MCP, derivative_of_mcp, 1.3),
    (MCP, derivative_of_mcp, 3.0),
    (SCAD, derivative_of_scad, 2.2),
    (SCAD, derivative_of_scad, 3.7),
]


@pytest.mark.parametrize(("kind", "derivative", "shape"), CONCAVE)
@pytest.mark.parametrize("mu", [0.2, 1.5])
def test_concave_penalty_is_the_integral_of_its_derivative(kind, derivative, shape, mu):
    """g(x) is the integral of g' over [0, |x|]; and g' is the directional derivative at x > 0 in
    the direction 1.
    """
    g = kind(mu, shape)
    for x in np.linspace(0, 1.5 * shape * mu, 13):
        integral = quad(derivative, 0, x, args=(mu, shape), points=[min(mu, x), min(shape * mu, x)])[0]
        for signed in (x, -x):
            assert g.value(np.full((1, 1), signed)) == pytest.approx(integral, abs=1e-9)
        rising = g.directional_derivative(np.full((1, 1), x), np.ones((1, 1)))
        assert rising == pytest.approx(derivative(x, mu, shape), abs=1e-12)


@pytest.mark.parametrize(("kind", "_derivative", "shape"), CONCAVE)
def test_modulus_is_sharp(kind, _derivative, shape):
    """g + modulus/2 x^2 is convex; with .99 of the modulus it is not."""
    g = kind(0.8, shape)
    x = np.linspace(-1.5 * 0.8 * shape, 1.5 * 0.8 * shape, 2001)
    values = g.value(x[:, None, None])
    assert np.min(np.diff(values + g.modulus / 2 * x**2, 2)) >= -1e-12
    assert np.min(np.diff(values + 0.99 * g.modulus / 2 * x**2, 2)) < -1e-9


@pytest.mark.parametrize(("kind", "_derivative", "shape"), CONCAVE)
def test_prox_beyond_the_modulus_raises(kind, _derivative, shape):
    """For t >= 1 / modulus the model is not strictly convex, and the prox says so, for one step or
    for a batch of them.
    """
    g, X = kind(0.8, shape), normal(0, 2, *SHAPE)
    g.prox(X, 0.999 / g.modulus)
    for t in (1.0001 / g.modulus, np.reshape([0.1, 1.0001 / g.modulus], (2, 1, 1))):
        with pytest.raises(ValueError, match=rf"{kind.__name__}.*1 / modulus = {1 / g.modulus:g}"):
            g.prox(X, t)
