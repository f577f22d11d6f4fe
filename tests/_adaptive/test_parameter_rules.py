"""The parameter rules of the default method, one by one."""

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import X0
from cases import symmetric
from orthoprox import smooth, stiefel
from orthoprox._adaptive import parameter_rules
from orthoprox._adaptive.stagnation import STEP_RULES
from orthoprox._adaptive.workspace import FullSpace
from orthoprox.nonsmooth import Zero


def test_the_first_step_bounds_the_curvature_of_the_lagrangian():
    """c >= |l''| + 2 |Y|_2 for a quadratic, up to what four steps of a power method see."""
    A = symmetric(6, 12)
    problem = op.Problem(smooth.Quadratic(A), Zero(), (12, 3))
    X = stiefel.random_point(12, 3, seed=7)
    met = parameter_rules.curvature_at(problem, X, A @ X)
    assert 0.3 * np.linalg.norm(A, 2) <= met <= np.linalg.norm(A, 2) * (1 + 1e-6)
    Y = parameter_rules.multiplier(X, A @ X, 0 * X)
    np.testing.assert_allclose(Y, -stiefel.sym(X.T @ A @ X) / 2, atol=1e-12)
    assert parameter_rules.first_step(problem, met, Y, STEP_RULES[0]) == pytest.approx(1.2 * (met + 2 * np.linalg.norm(Y, 2)))


def test_the_penalty_outweighs_the_pull_and_c_the_penalty():
    assert parameter_rules.penalty(10.0, 0.0) == (2.0, 10.0)
    rho, c = parameter_rules.penalty(1.0, 8.0)
    assert (rho, c) == (4.0, 16.0)


def test_the_inertia_is_nesterovs_and_starts_afresh_against_the_motion():
    t, theta = 1.0, 0.0
    for _ in range(200):
        t, theta = parameter_rules.inertia(t, STEP_RULES[0], -1.0)
    assert theta == STEP_RULES[0].inertia
    assert parameter_rules.inertia(5.0, STEP_RULES[0], 1.0) == (1.0, 0.0)
    assert parameter_rules.inertia(5.0, STEP_RULES[1], -1.0)[1] == 0.0


def test_the_dual_step_is_longer_where_columns_hardly_overlap():
    """Disjoint columns: 1. Columns that share entries of size .1 alone: 2 / (2 .01), cut at 10, or at 100 if only G lacks."""
    X = np.zeros((5, 3))
    X[0, 0] = X[1, 1] = X[2, 2] = 0.99
    X[3, 0] = X[3, 1] = 0.1
    assert parameter_rules.identified(1e-4, 1e-4)
    assert not parameter_rules.identified(1e-2, 1e-9)
    overlap = FullSpace(op.Problem(op.smooth.Quadratic(np.eye(5)), op.nonsmooth.Zero(), (5, 3))).overlap
    weights = parameter_rules.dual_weights(*overlap(X), 1e-4, 1e-4)
    np.testing.assert_allclose(weights, [[1, 10, 1], [10, 1, 1], [1, 1, 1]])
    assert parameter_rules.dual_weights(*overlap(X), 1e-6, 1e-4)[0, 1] == pytest.approx(100.0)
    assert np.all(parameter_rules.dual_weights(*overlap(X0), 1e-4, 1e-4) <= 1.0 + 1e-12)
