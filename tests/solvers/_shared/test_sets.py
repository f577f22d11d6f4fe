"""Sets and the projections onto them."""

import array_api_strict as strict
import numpy as np
import pytest

from cases import SHAPE, normal
from orthoprox import stiefel
from orthoprox.solvers._shared import sets
from twins import BATCH, COLUMN, equals_stack, same


@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_sets_follow_the_standard(leading):
    """The projections in a strict library are those of NumPy."""
    X = normal(0, *leading, *SHAPE)
    for region in (sets.Everything(), sets.Ball(0.5), sets.Ball(50.0), sets.Cube(0.5)):
        same(region.project(strict.asarray(X)), region.project(X))


@pytest.mark.parametrize("kind", [sets.Ball, sets.Cube])
def test_sets_take_batches(kind):
    """One radius for all points, or one for each; a projected point is in the set, and one in the
    set does not move.
    """
    X, radius = normal(0, BATCH, *SHAPE), np.array([0.1, 0.5, 3.0, 100.0])
    equals_stack(kind(0.5).project(X), [kind(0.5).project(x) for x in X])
    P = kind(radius.reshape(COLUMN)).project(X)
    equals_stack(P, [kind(c).project(x) for x, c in zip(X, radius, strict=True)])
    sizes = stiefel.norm(P) if kind is sets.Ball else np.max(np.abs(P), axis=(-2, -1))
    assert np.all(sizes <= radius * (1 + 1e-15))
    np.testing.assert_array_equal(P[-1], X[-1])
    np.testing.assert_allclose(kind(radius.reshape(COLUMN)).project(P), P, rtol=1e-15)


@pytest.mark.parametrize("kind", [sets.Ball, sets.Cube])
def test_projections_are_nearest(kind):
    """<X - P, Q - P> <= 0 for P = proj(X) and every Q in the set."""
    region = kind(0.7)
    for seed in range(10):
        X, Q = 2 * normal(seed, *SHAPE), region.project(normal(seed + 100, *SHAPE))
        P = region.project(X)
        assert stiefel.inner(X - P, Q - P) <= 1e-12
    np.testing.assert_array_equal(region.project(np.zeros(SHAPE)), np.zeros(SHAPE))
