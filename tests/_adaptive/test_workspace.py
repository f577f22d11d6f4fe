"""The penalty threshold."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox._adaptive import workspace
from orthoprox.nonsmooth import Zero


def test_the_penalty_threshold_is_that_of_the_linear_and_the_nonsmooth_part():
    """For l = tr(X'AX)/2 + tr(B'X) the Hessian cancels: it is the largest eigenvalue of sym(X'(B +
    S)), if positive.
    """
    A, B, S, X = symmetric(8, 12), normal(9, 12, 3), normal(10, 12, 3), stiefel.random_point(12, 3, seed=11)
    problem = op.Problem(smooth.Quadratic(A, B), Zero(), (12, 3))
    largest = np.linalg.eigvalsh(stiefel.sym(X.T @ (B + S)))[-1]
    assert workspace.penalty_threshold(problem, X, A @ X + B, S) == pytest.approx(max(largest, 0.0), abs=1e-6)
    assert workspace.penalty_threshold(problem, X, A @ X - 50 * X, -50 * X) == 0.0


def test_the_penalty_threshold_is_bounded_however_long_the_subgradient_is():
    """A normal vector of an indicator has any length; what counts is a multiple of |grad l|."""
    A, B, X = symmetric(8, 12), normal(9, 12, 3), stiefel.random_point(12, 3, seed=11)
    problem, D = op.Problem(smooth.Quadratic(A, B), Zero(), (12, 3)), A @ X + B
    long, longer = (workspace.penalty_threshold(problem, X, D, size * X) for size in (1e9, 1e12))
    assert longer == pytest.approx(long)
    assert long <= 11 * np.linalg.norm(D)
