"""Indicators of boxes."""

import numpy as np
import pytest

from cases import SHAPE, normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, Box, Nonnegative


def test_the_directional_derivative_out_of_the_domain_is_infinite():
    """Leaving the domain has an infinite derivative; moving along its border or inside costs
    nothing.
    """
    X, V = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    for g in (Box(0.0, 1.0), Nonnegative()):
        assert g.directional_derivative(X, V) == 0
        assert g.directional_derivative(X, -V) == np.inf
    assert Box(0.0, 1.0).directional_derivative(X, V[:, ::-1]) == np.inf
    assert L1(0.3, bound=1.0).directional_derivative(X, V[:, ::-1]) == np.inf
    assert L1(0.3, bound=1.0).directional_derivative(X, -V[:, ::-1]) == pytest.approx(-0.3)


def test_a_box_of_one_point_takes_everything():
    """Where lower = upper, dg is the whole line: nothing of W is left."""
    X = np.full(SHAPE, 0.5)
    assert stiefel.norm(Box(0.5, 0.5).min_norm_subgradient(X, normal(0, *SHAPE))) == 0


@pytest.mark.parametrize("g", [Nonnegative(), Box(0.0, 1.0), Box(np.zeros(SHAPE), np.inf)])
def test_indicators_have_a_slack(g):
    """An entry outside by at most 1e-6 counts as inside; the prox has no slack."""
    X = np.zeros(SHAPE)
    for gap, value in ((0.0, 0.0), (9e-7, 0.0), (1.1e-6, np.inf), (1.0, np.inf)):
        X[2, 1] = -gap
        assert g.value(X) == value
        assert np.min(g.prox(X, 0.5)) == 0.0


def test_whole_number_bounds_are_real_numbers():
    """Bounds given as integer arrays act as the same numbers in floating point."""
    whole, real = Box(np.zeros(SHAPE, dtype=int), np.ones(SHAPE, dtype=int)), Box(0.0, 1.0)
    X = normal(0, *SHAPE)
    np.testing.assert_array_equal(whole.prox(X, 1.0), real.prox(X, 1.0))
    assert whole.lower.dtype == np.float64
