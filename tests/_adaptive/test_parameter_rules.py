"""The parameter rules of the default method, one by one."""

from itertools import pairwise

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

SIZES = 1e-3, 0.1, 1.0, 8.0, 1e3


@pytest.mark.parametrize("rule", STEP_RULES)
def test_the_first_step_bounds_the_curvature_of_the_lagrangian(rule):
    """c >= |l''| + 2 |Y|_2 for a quadratic, up to what four steps of a power method see; and c
    scales with l.
    """
    A = symmetric(6, 12)
    X, steps = stiefel.random_point(12, 3, seed=7), []
    for scale in (1.0, 2.0**20):
        problem = op.Problem(smooth.Quadratic(scale * A), Zero(), (12, 3))
        size = scale * np.linalg.norm(A, 2)
        curvature = parameter_rules.curvature_at(problem, X, scale * A @ X)
        assert 0.3 * size <= curvature <= size * (1 + 1e-6)
        Y = stiefel.multiplier(X, scale * A @ X)
        np.testing.assert_allclose(Y, -scale * stiefel.sym(X.T @ A @ X) / 2, rtol=1e-12)
        steps.append(parameter_rules.initial_curvature(problem, curvature, Y, rule))
        assert steps[-1] >= (curvature + 2 * np.linalg.norm(Y, 2)) * (1 - 1e-12)
    assert steps[1] == pytest.approx(2.0**20 * steps[0])


@pytest.mark.parametrize("c", SIZES)
@pytest.mark.parametrize("threshold", [0.0, *SIZES])
def test_the_penalty_outweighs_its_threshold_and_c_the_penalty(c, threshold):
    """2 rho is at least the threshold, c at least 4 rho, the curvature of the penalty; both scale
    with the problem.
    """
    rho, raised = parameter_rules.penalty(c, threshold)
    assert 0 < threshold <= 2 * rho or threshold == 0 < rho
    assert raised >= max(c, 4 * rho)
    assert parameter_rules.penalty(4 * c, 4 * threshold) == (4 * rho, 4 * raised)


def test_the_penalty_never_falls_where_its_threshold_grows():
    for pairs in ([(c, 1.0) for c in SIZES], [(1.0, threshold) for threshold in SIZES]):
        for (rho, c), (higher, raised) in pairwise(parameter_rules.penalty(*pair) for pair in pairs):
            assert higher >= rho
            assert raised >= c


@pytest.mark.parametrize("rule", STEP_RULES)
def test_the_inertia_is_nesterovs_and_starts_afresh_against_the_motion(rule):
    """theta = (t - 1) / t+ with t+^2 - t+ = t^2, at most that of the rule."""
    t = 1.0
    for _ in range(200):
        last, (t, theta) = t, parameter_rules.inertia(t, rule, -1.0)
        assert t**2 - t == pytest.approx(last**2)
        assert theta == min((last - 1) / t, rule.inertia)
    assert theta == rule.inertia < 1
    assert parameter_rules.inertia(t, rule, 1.0) == (1.0, 0.0)


@pytest.mark.parametrize("rule", STEP_RULES)
def test_the_next_curvature_follows_what_was_measured(rule):
    """It rises at once where the curvature of the Lagrangian does, falls slowly, and scales with
    the problem.
    """
    problem = op.Problem(smooth.Quadratic(np.eye(5)), Zero(), (5, 3))

    def following(c, lagrangian, total):
        return parameter_rules.next_curvature(problem, c, rule, 1.0, (lagrangian, total))

    assert following(1.0, 3.0, 3.0) >= 3.0
    assert 0.9 <= following(1.0, 0.0, 0.0) <= 1.0
    assert following(4.0, 12.0, 20.0) == 4 * following(1.0, 3.0, 5.0)


def test_the_dual_step_is_longer_where_columns_hardly_overlap():
    """The factor of columns that share small entries alone is above 1, and larger where only
    feasibility lacks; others: 1.
    """
    X = np.zeros((5, 3))
    X[0, 0] = X[1, 1] = X[2, 2] = 0.99
    X[3, 0] = X[3, 1] = 0.1
    assert parameter_rules.identified(1e-4, 1e-4)
    assert not parameter_rules.identified(1e-2, 1e-9)
    assert not parameter_rules.identified(1e-9, 1e-2)
    overlap = FullSpace(op.Problem(smooth.Quadratic(np.eye(5)), Zero(), (5, 3))).overlap
    weights = parameter_rules.dual_weights(*overlap(X), 1e-4, 1e-4)
    shared = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(weights, weights.T)
    np.testing.assert_allclose(weights[~shared], 1.0)
    exact = 2 / (2 * 0.1**2)  # 2 / M_ab
    last = parameter_rules.dual_weights(*overlap(X), 1e-6, 1e-4)[0, 1]
    assert 1 < weights[0, 1] < last <= exact * (1 + 1e-12)
    assert np.all(parameter_rules.dual_weights(*overlap(X0), 1e-4, 1e-4) <= 1.0 + 1e-12)
