"""How the default method goes from one phase to another."""

from dataclasses import replace

import numpy as np
import pytest
from orthoprox._adaptive.stagnation import STEP_RULES, StagnationMonitor

import orthoprox as op
from adaptive_cases import X0, scaled, with_iterate
from cases import normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1
from orthoprox.solvers import Adaptive, adaptive


def test_a_vanishing_column_is_a_divergence_and_the_run_recovers():
    """From X = 0, where X'X = I cannot act, the run comes back to the manifold soon, with a larger
    penalty.
    """
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    state, nothing = solver.init(problem, X0), np.zeros((30, 4))
    frozen = op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4))  # no gradient brings the columns back
    state = with_iterate(state, X=nothing, E=nothing, Z=nothing, D=nothing, G=-np.eye(4), EY=nothing, EG=nothing)
    for _ in range(25):
        state = solver.step(frozen, state)
    assert state.divergences == 1
    assert state.lsalm.penalty_safety > 1
    assert stiefel.norm(stiefel.defect(solver.output(state))) < 3.0
    for _ in range(300):
        state = solver.step(problem, state)
    assert stiefel.norm(stiefel.defect(solver.output(state))) < 1e-4


def _run(problem, solver, state, iterations):
    """Return the last state, and the divergences and the size of X'X - I after each iteration."""
    divergences, sizes = [], []
    for _ in range(iterations):
        state = solver.step(problem, state)
        divergences.append(state.divergences)
        sizes.append(stiefel.norm(stiefel.defect(solver.output(state))))
    return state, divergences, sizes


def test_an_exploding_step_is_a_divergence_and_the_run_recovers():
    """With a multiplier that drives X outwards the first step leaves the manifold; the run comes
    back and converges.
    """
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    Y = -100 * np.eye(X0.shape[1])
    state, divergences, sizes = _run(problem, solver, with_iterate(solver.init(problem, X0), Y=Y, EY=X0 @ Y), 600)
    assert divergences[0] == 1 == divergences[-1]
    assert sizes[-1] <= 1e-6
    assert problem.value(stiefel.polar(solver.output(state))) < problem.value(X0)


def test_a_curvature_that_is_far_too_small_is_corrected_without_a_divergence():
    """The first steps go far, but inertia starts anew there and the measured curvature takes
    over.
    """
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    _, divergences, sizes = _run(problem, solver, with_iterate(solver.init(problem, X0), c=1e-3), 600)
    assert max(sizes) > 1.0
    assert divergences[-1] == 0
    assert sizes[-1] <= 1e-6


def test_the_safety_factor_grows_where_all_step_rules_are_slow_after_newton():
    """At the edge of stability a run can cycle for ever; each time that all step rules have failed,
    c gets a margin.
    """
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    state = replace(
        with_iterate(solver.init(problem, X0), monitor=StagnationMonitor(step_rule=len(STEP_RULES))), newton_used=True
    )
    new = solver._judge(problem, state)
    assert new.newton is None
    assert new.lsalm.safety > state.lsalm.safety
    assert new.lsalm.monitor == StagnationMonitor.later()


def test_a_gradient_that_is_not_finite_outside_some_ball_does_not_end_the_run():
    """l is defined near the manifold only: steps that leave it are taken back."""
    A = symmetric(4, 20)

    def grad(X):
        return A @ X if np.linalg.norm(X) <= 1.2 * 3**0.5 else np.nan * X

    problem = op.Problem(smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), L1(0.5), (20, 3))
    state = solver_state = Adaptive().init(problem, stiefel.random_point(20, 3, seed=5))
    state = with_iterate(solver_state, c=0.05 * solver_state.lsalm.c)
    for _ in range(800):
        state = Adaptive().step(problem, state)
    assert state.divergences > 0
    proof = op.certificate(problem, Adaptive().output(state), multiplier=Adaptive().multiplier(state))
    assert proof.upper <= 1e-4 * proof.gradient


def test_the_last_good_point_has_no_vanishing_column():
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    frozen, nothing = op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4)), np.zeros((30, 4))
    state = with_iterate(solver.init(problem, X0), X=nothing, E=nothing, Z=nothing, D=nothing, EY=nothing, EG=nothing)
    assert np.array_equal(solver.step(frozen, state).lsalm.good, X0)


def test_after_a_divergence_f_is_compared_with_the_start_again():
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    state = replace(solver.init(problem, X0), compared_with_start=True)
    assert not solver._restart(problem, state, state.lsalm).compared_with_start


def test_a_nearly_stationary_point_above_the_start_sends_newtons_method_back_there():
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    state = with_iterate(solver.init(problem, X0), gap=0.0, X=stiefel.random_point(30, 4, seed=9))
    assert solver._judge(problem, replace(state, value=1e9)).newton is None
    back = solver._judge(problem, replace(state, value=-1e9))
    assert np.array_equal(back.newton.X, X0)
    assert back.newton_until_end


def slow(problem, X0):
    """A state near the end of a run from X0 whose last step rule has turned out slow."""
    solver = Adaptive()
    state = solver.init(problem, X0)
    for _ in range(150):
        state = solver.step(problem, state)
    return replace(state, lsalm=replace(state.lsalm, monitor=StagnationMonitor(step_rule=len(STEP_RULES))), next_polish=0.0)


@pytest.mark.parametrize("helps", [True, False])
def test_a_slow_run_with_a_large_sparse_x_is_polished_or_goes_on(monkeypatch, helps):
    """Not by Newton's method for the smoothed problem, whose steps are dear there."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    state = slow(problem, op.starts.coordinates(problem, np.random.default_rng(0)))
    point = stiefel.polar(state.lsalm.X), state.lsalm.Y
    monkeypatch.setattr(adaptive, "polish", lambda *_: point if helps else None)
    new = Adaptive()._judge(problem, state)
    assert new.newton is None
    if helps:
        np.testing.assert_array_equal(new.lsalm.X, point[0])
        assert new.next_polish < max(state.lsalm.stationarity, state.lsalm.feasibility)
    else:
        assert new.lsalm.monitor.step_rule == 0
        assert new.lsalm.safety > state.lsalm.safety


def test_a_small_slow_run_goes_over_to_newton(monkeypatch):
    monkeypatch.setattr(adaptive, "polish", None)
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    assert Adaptive()._judge(problem, slow(problem, stiefel.random_point(20, 4, seed=0))).newton is not None


def test_polishing_is_tried_again_only_where_it_has_failed(monkeypatch):
    """After a failure at a smaller residual, after a success not at all."""
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    state = Adaptive().init(problem, stiefel.random_point(20, 4, seed=0))
    monkeypatch.setattr(adaptive, "polish", lambda problem, X, Y, evaluator: None)
    assert 0 < adaptive._polished(problem, state, 1e-4).next_polish < 1e-4
    monkeypatch.setattr(adaptive, "polish", lambda problem, X, Y, evaluator: (X, Y))
    assert adaptive._polished(problem, state, 1e-4).next_polish == 0.0
