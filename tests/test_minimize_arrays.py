"""The front door with arrays of another library."""

import array_api_strict as strict

import orthoprox as op
from cases import SHAPE
from orthoprox import stiefel
from twins import pairs


def test_minimize_follows_the_standard():
    """The front door accepts a start in another library and converges in it."""
    _, twin = pairs()["Quadratic linear + MCP"]
    result = op.minimize(twin, strict.asarray(stiefel.random_point(*SHAPE)), tol=1e-3)
    assert result.converged
    assert isinstance(result.X, type(strict.asarray(0.0)))
