"""The penalty threshold."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox._adaptive import parameter_rules
from orthoprox.nonsmooth import Zero


def test_the_outward_pull_is_that_of_the_linear_and_the_nonsmooth_part():
    """For l = tr(X'AX)/2 + tr(B'X) the Hessian cancels: N is the largest eigenvalue of sym(X'(B + S)), if positive."""
    A, B, S, X = symmetric(8, 12), normal(9, 12, 3), normal(10, 12, 3), stiefel.random_point(12, 3, seed=11)
    problem = op.Problem(smooth.Quadratic(A, B), Zero(), (12, 3))
    N = np.linalg.eigvalsh(stiefel.sym(X.T @ (B + S)))[-1]
    assert parameter_rules.penalty_threshold(problem, X, A @ X + B, S) == pytest.approx(max(N, 0.0), abs=1e-6)
    assert parameter_rules.penalty_threshold(problem, X, A @ X - 50 * X, -50 * X) == 0.0
    size = parameter_rules.penalty_threshold(problem, X, A @ X + B, 1e9 * X)
    assert size <= 11 * np.linalg.norm(A @ X + B)  # however long a normal vector of an indicator is
