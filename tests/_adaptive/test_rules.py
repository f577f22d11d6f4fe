"""The parameter rules of the first-order phase, one by one, and its stagnation monitor."""

from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import X0
from cases import symmetric
from orthoprox import smooth, stiefel
from orthoprox._adaptive import rules
from orthoprox._adaptive.first_order import FirstOrder, FullSpace
from orthoprox._adaptive.rules import StagnationMonitor
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox.nonsmooth import Zero

STEP_RULES = range(len(SETTINGS.margins))
every_rule = pytest.mark.parametrize("rule", STEP_RULES)


@every_rule
def test_the_first_curvature_bounds_that_of_the_lagrangian(rule):
    """c >= L + 2 |Y|_2 for any sign of Y; it scales with the problem."""
    for Y in (symmetric(6, 3), -symmetric(6, 3), np.diag([3.0, 1.0, 0.0]), -np.diag([3.0, 1.0, 0.0])):
        c = rules.initial_curvature(SETTINGS, 5.0, Y, rule)
        assert c >= (5.0 + 2 * np.linalg.norm(Y, 2)) * (1 - 1e-12)
        assert rules.initial_curvature(SETTINGS, 4 * 5.0, 4 * Y, rule) == pytest.approx(4 * c)


@every_rule
def test_the_inertia_is_nesterovs_and_starts_afresh_against_the_motion(rule):
    """theta = (t - 1) / t+ with t+^2 - t+ = t^2, at most that of the settings, and only with the
    first step rule.
    """
    t, most = 1.0, SETTINGS.inertia if rule == 0 else 0.0
    for _ in range(200):
        last, (t, theta) = t, rules.inertia(SETTINGS, t, rule, -1.0)
        assert t**2 - t == pytest.approx(last**2)
        assert theta == min((last - 1) / t, most)
    assert theta == most < 1
    assert rules.inertia(SETTINGS, t, rule, 1.0) == (1.0, 0.0)
    assert rules.inertia(replace(SETTINGS, inertia=0.0), t, rule, -1.0)[1] == 0.0


def test_inertia_restarts_where_a_large_x_leaves_the_manifold():
    """Once, where an entry of E'E - I comes above a tenth."""
    near, far, large = np.diag([0.05, -0.1]), np.array([[0.0, 0.11], [0.11, 0.0]]), SMALL.entries + 1
    assert rules.leaves_manifold(SETTINGS, large, near, far)
    assert not rules.leaves_manifold(SETTINGS, SMALL.entries, near, far)
    assert not rules.leaves_manifold(SETTINGS, large, far, far)
    assert not rules.leaves_manifold(SETTINGS, large, far, near)
    assert not rules.leaves_manifold(SETTINGS, large, near, near)


@every_rule
def test_the_next_curvature_follows_what_was_measured(rule):
    """It rises at once where the curvature of the Lagrangian does, falls slowly, and scales with
    the problem.
    """

    def following(c, measured, safety=1.0):
        return rules.next_curvature(SETTINGS, c, rule, safety, measured)

    assert following(1.0, 3.0) >= 3.0
    assert 0.9 <= following(1.0, 0.0) <= 1.0
    assert following(4.0, 12.0) == 4 * following(1.0, 3.0)
    assert following(1.0, 3.0, safety=2.0) == 2 * following(1.0, 3.0)


def test_the_dual_step_is_longer_where_columns_hardly_overlap():
    """The factor of columns that share small entries alone is above 1, and larger where only
    feasibility lacks; others: 1.
    """
    X = np.zeros((5, 3))
    X[0, 0] = X[1, 1] = X[2, 2] = 0.99
    X[3, 0] = X[3, 1] = 0.1
    overlap = FullSpace(op.Problem(smooth.Quadratic(np.eye(5)), Zero(), (5, 3)), SETTINGS).overlap
    weights = rules.dual_weights(*overlap(X), SETTINGS.weight)
    shared = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(weights, weights.T)
    np.testing.assert_allclose(weights[~shared], 1.0)
    exact = 2 / (2 * 0.1**2)  # 2 / M_ab
    last = rules.dual_weights(*overlap(X), SETTINGS.weight**2)[0, 1]
    assert 1 < weights[0, 1] < last <= exact * (1 + 1e-12)
    assert np.all(rules.dual_weights(*overlap(X0), SETTINGS.weight) <= 1.0 + 1e-12)


@pytest.mark.parametrize("size", [0.0, 0.5, 1.0, 3.0])
def test_the_first_prox_point_is_within_the_divergence_bound(size):
    """An eigenvalue of P'P - I is below the bound, and so is any of X'X - I for |X|_2 <= 2^.5."""
    P = size * stiefel.random_point(12, 3, seed=7)
    assert rules.divergence_bound(P) >= max(1.0, np.linalg.eigvalsh(stiefel.defect(P))[-1])
    assert rules.divergence_bound(P) < np.inf


# --- stagnation ---


def updates(monitor, residuals, k=SETTINGS):
    """The monitor before and after each residual."""
    monitors = [monitor]
    for residual in residuals:
        monitors.append(monitors[-1].update(k, residual))
    return monitors


def first_change(monitor, k=SETTINGS):
    """After how many iterations without progress the step rule changes."""
    return next(j for j, now in enumerate(updates(monitor, [0.1] * 1000, k)) if now.step_rule != monitor.step_rule)


def test_a_fast_run_keeps_its_step_rule():
    """Residuals that fall by 1 % in an iteration are fast enough."""
    assert updates(StagnationMonitor(), [0.99**k for k in range(1000)])[-1].step_rule == 0


def test_a_residual_of_zero_is_not_slow():
    assert updates(StagnationMonitor(), [0.0] * 1000)[-1].step_rule == 0


def test_a_run_without_progress_tries_each_step_rule_in_turn():
    """Constant or rising residuals are slow; the rules never go back, and in the end none is
    left.
    """
    for growth in (1.0, 1.01):
        monitors = updates(StagnationMonitor(), [0.1 * growth**k for k in range(600)])
        assert all(new.step_rule - old.step_rule in (0, 1) for old, new in pairwise(monitors))
        assert monitors[-1].step_rule >= len(STEP_RULES)
        assert monitors[SETTINGS.window + 10].step_rule < len(STEP_RULES)


def test_a_monitor_with_more_patience_changes_its_step_rule_later():
    """After a window to compare with, and as many slow ones as its patience says."""
    changes = [first_change(StagnationMonitor(patience=patience)) for patience in (1, 2, 3, 4)]
    assert changes == [(1 + patience) * SETTINGS.window for patience in (1, 2, 3, 4)]
    assert all(
        first_change(StagnationMonitor(1, patience)) == first_change(StagnationMonitor(0, patience)) for patience in (2, 4)
    )


def test_a_change_of_the_step_rule_keeps_the_patience_and_nothing_else():
    changed = updates(StagnationMonitor(patience=3), [0.1] * first_change(StagnationMonitor(patience=3)))[-1]
    assert changed == StagnationMonitor(1, patience=3)


def test_a_goal_that_is_near_makes_the_same_progress_fast_enough():
    """What is slow depends on the iterations that are left, not on the rate alone."""
    residuals = [0.01 * 0.999**k for k in range(400)]
    assert updates(StagnationMonitor(), residuals, replace(SETTINGS, goal=1e-300))[-1].step_rule > 0
    assert updates(StagnationMonitor(), residuals, replace(SETTINGS, goal=1e-2, identified=0.5))[-1].step_rule == 0


def test_an_iterate_is_its_matrices_and_numbers():
    """It comes back from floats as it was, counts as integers; nothing but its memory stays
    behind.
    """
    problem = op.Problem(smooth.Quadratic(symmetric(1, 20)), op.nonsmooth.L1(0.3), (20, 3))
    one, other = (FirstOrder(SETTINGS).first(problem, c * stiefel.random_point(20, 3)) for c in (1.0, 1.1))
    one = replace(one, vanished=2, theta=0.5, monitor=StagnationMonitor(1, 4, 7, 0.1, 0.2, 1))
    matrices = {name: getattr(one, name) for name in rules.MATRICES}
    numbers = {name: np.float64(getattr(one, name)) for name in rules.NUMBERS}
    numbers |= {name: np.float64(getattr(one.monitor, name)) for name in rules.MONITOR}
    same = rules.Iterate.of(matrices, numbers, other.memory)
    for field in fields(one):
        expected = getattr(other if field.name == "memory" else one, field.name)
        assert np.all(getattr(same, field.name) == expected), field.name
        assert type(getattr(same, field.name)) is type(expected), field.name
    assert all(type(getattr(same.monitor, name)) is type(getattr(one.monitor, name)) for name in rules.MONITOR)
