"""The faces of every term that shows its kinks."""

import numpy as np
import pytest

from cases import NONSMOOTH, SHAPE, normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, Box, Zero
from orthoprox.nonsmooth.base import HasFace

FACED = {name: g for name, g in NONSMOOTH.items() if isinstance(g, HasFace)}
every_face = pytest.mark.parametrize("name", FACED)


@every_face
def test_on_its_face_a_term_is_smooth(name):
    """Along V in the free entries g changes as its gradient and curvature say, with an error of
    third order.
    """
    g = FACED[name]
    X = g.prox(normal(0, *SHAPE), 0.3)
    face = g.face(X)
    V, h = np.where(face.free, normal(1, *SHAPE), 0.0), 1e-4
    rise, second = stiefel.inner(face.gradient, V), stiefel.inner(V, face.curvature(V))
    assert g.value(X + h * V) - g.value(X) == pytest.approx(h * rise + h**2 * second / 2, abs=1e-10)
    assert np.all(face.gradient[~face.free] == 0)


@every_face
def test_what_is_not_free_lies_on_a_kink(name):
    """In directions of held entries g'(X; V) + g'(X; -V) > 0; in free ones it is 0."""
    g = FACED[name]
    X = g.prox(normal(0, *SHAPE), 0.3)
    free = g.face(X).free
    for i, j in np.ndindex(SHAPE):
        V = np.zeros(SHAPE)
        V[i, j] = 1.0
        jump = g.directional_derivative(X, V) + g.directional_derivative(X, -V)
        assert (abs(jump) < 1e-12) == free[i, j]


@every_face
def test_rounding_and_stopping_hold_what_is_near_or_beyond_a_kink(name):
    """Rounding by 0 changes nothing; points that are stopped or rounded are on kinks where they
    were changed.
    """
    g = FACED[name]
    X = g.prox(normal(0, *SHAPE), 0.3)
    Z = X + np.where(g.face(X).free, 0.5 * normal(1, *SHAPE), 0.0)
    np.testing.assert_array_equal(g.round_to_kinks(X, 0.0), X)
    np.testing.assert_array_equal(g.stop_at_kinks(X, X), X)
    for before, after in ((Z, g.stop_at_kinks(X, Z)), (X, g.round_to_kinks(X, 0.2))):
        weightless = np.broadcast_to(getattr(g, "mu", 1.0), SHAPE) == 0  # their kinks are none
        assert not np.any(g.face(after).free & (before != after) & ~weightless)


def test_stop_at_the_first_kink():
    """From 1 to -2 an entry stops at 0 for l1, at -.5 in the box [-.5, 2]."""
    X, Z = np.array([[1.0]]), np.array([[-2.0]])
    np.testing.assert_array_equal(L1(1.0).stop_at_kinks(X, Z), [[0.0]])
    np.testing.assert_array_equal(L1(1.0, bound=1.5).stop_at_kinks(X, Z), [[0.0]])
    np.testing.assert_array_equal(Box(-0.5, 2.0).stop_at_kinks(X, Z), [[-0.5]])
    np.testing.assert_array_equal(Zero().stop_at_kinks(X, Z), Z)
