"""The path of vanishing smoothing."""

import pytest

from adaptive_cases import X0, scaled
from orthoprox import stiefel
from orthoprox._adaptive import smoothing_newton


def test_less_smoothing_keeps_the_prox_point():
    """P and the subgradient (X - P) / nu stay as they are when nu and X - P are halved, up to the way back to the manifold."""
    problem = scaled(1.0)["sparse_pca"]
    point = smoothing_newton.begin(problem, X0, 1e-3, 0.0)
    sharper = smoothing_newton._reduce_smoothing(problem, point)
    assert sharper.width == pytest.approx(point.width / 2, rel=0.1)
    assert stiefel.norm(sharper.e.gradient - point.e.gradient) <= 0.2 * stiefel.norm(point.e.gradient)
    assert stiefel.norm(sharper.X - point.X) >= 0.1 * stiefel.norm(point.X - point.e.point)
