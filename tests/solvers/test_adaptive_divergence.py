"""Divergences of the default method, from which a run recovers, and failures, which it says."""

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import LARGE, X0, scaled, steps, with_iterate
from cases import normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, Zero
from orthoprox.solvers import Adaptive
from orthoprox.solvers.adaptive import State

SOLVER = LARGE


def divergences(states):
    return [state.now.memory.divergences for state in states]


def sizes(states):
    """|X'X - I| along a run."""
    return [stiefel.norm(stiefel.defect(SOLVER.output(state))) for state in states]


def test_a_vanishing_column_is_a_divergence_and_the_run_recovers():
    """From X = 0, where X'X = I cannot act, the run comes back to the manifold soon, with a larger
    safety factor.
    """
    problem, nothing = scaled(1.0)["quadratic"], np.zeros((30, 4))
    frozen = op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4))  # no gradient brings the columns back
    state = SOLVER.init(problem, X0)
    state = with_iterate(state, X=nothing, E=nothing, Z=nothing, D=nothing, G=-np.eye(4), EY=nothing, EG=nothing)
    lost = steps(SOLVER, frozen, state, 25)
    assert divergences(lost)[-1] == 1
    assert lost[-1].now.memory.safety > 1
    assert sizes(lost)[-1] < 3.0
    assert sizes(steps(SOLVER, problem, lost[-1], 300))[-1] < 1e-4


def test_an_exploding_step_is_a_divergence_and_the_run_recovers():
    """With a multiplier that drives X outwards the first step leaves the manifold; the run comes
    back and converges.
    """
    problem, Y = scaled(1.0)["sparse_pca"], -100 * np.eye(4)
    states = steps(SOLVER, problem, with_iterate(SOLVER.init(problem, X0), Y=Y, EY=X0 @ Y), 600)
    assert divergences(states)[0] == 1 == divergences(states)[-1]
    assert sizes(states)[-1] <= 1e-6
    assert problem.value(stiefel.polar(SOLVER.output(states[-1]))) < problem.value(X0)


@pytest.mark.parametrize("factor", [1e-6, 1e-2, 0.3, 0.5])
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "rows"])
def test_a_curvature_that_is_too_small_is_corrected(name, factor):
    """The first steps go far. The measured curvature takes over, or one restart does, and the run
    converges.
    """
    problem = scaled(1.0)[name]
    first = SOLVER.init(problem, X0)
    states = steps(SOLVER, problem, with_iterate(first, c=factor * first.now.c), 200)
    assert divergences(states)[-1] <= 1
    assert sizes(states)[-1] <= 1e-6


def test_a_gradient_that_is_not_finite_outside_some_ball_does_not_end_the_run():
    """l is defined near the manifold only: steps that leave it are taken back."""
    A = symmetric(4, 20)

    def grad(X):
        return A @ X if np.linalg.norm(X) <= 1.2 * 3**0.5 else np.nan * X

    problem = op.Problem(smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), L1(0.5), (20, 3))
    first = SOLVER.init(problem, stiefel.random_point(20, 3, seed=5))
    states = steps(SOLVER, problem, with_iterate(first, c=0.05 * first.now.c), 800)
    assert divergences(states)[-1] > 0
    assert {state.now.failed for state in states} == {""}
    proof = op.certificate(problem, SOLVER.output(states[-1]), multiplier=SOLVER.multiplier(states[-1]))
    assert proof.upper <= 1e-4 * proof.gradient


def test_after_a_divergence_f_is_compared_with_the_start_again():
    """A restart is not called near a solution, so that its next step across the tolerance is
    judged.
    """
    problem, Y = scaled(1.0)["sparse_pca"], -100 * np.eye(4)
    state = steps(SOLVER, problem, SOLVER.init(problem, X0), 300)[-1]
    assert state.now.residual <= SOLVER.settings.identified
    again = SOLVER.step(problem, with_iterate(state, Y=Y, EY=state.now.E @ Y))
    assert divergences([again]) == [1]
    assert again.now.residual > SOLVER.settings.identified


# --- failures ---


class Breaking(smooth.Smooth):
    """A quadratic whose gradient is not finite from some moment on."""

    def __init__(self, A):
        self.A, self.broken = A, False

    def value(self, X):
        return np.sum(X * (self.A @ X)) / 2

    def grad(self, X):
        return np.nan * X if self.broken else self.A @ X

    def value_and_grad(self, X):
        return self.value(X), self.grad(X)


PHASES = ["first order", "smoothing Newton", "late first order", "descent", "first order alone"]


def broken(name, ell, g):
    """A problem, and the state of a phase at the moment when its gradient breaks."""
    problem = op.Problem(ell, g, (20, 3))
    solver = Adaptive(newton=False)
    state = steps(solver, problem, solver.init(problem, stiefel.random_point(20, 3, seed=5)), 10)[-1]
    point = solver.phases["first order"].point(problem, state.now)
    state = State(name, solver.phases[name].start(problem, point, state.now.memory))
    ell.broken = True
    return problem, state


def until_failed(problem, state):
    """The states up to the first failure."""
    states = [state]
    with np.errstate(all="ignore"):
        while not states[-1].now.failed and len(states) < 100:
            states.append(SOLVER.step(problem, states[-1]))
    return states


@pytest.mark.parametrize("g", [L1(0.5), Zero()], ids=["l1", "smooth"])
@pytest.mark.parametrize("name", PHASES)
def test_a_gradient_that_becomes_non_finite_is_a_failure_with_a_reason(name, g):
    """It is said soon, in words, and never by a NaN in X."""
    states = until_failed(*broken(name, Breaking(symmetric(4, 20)), g))
    assert "not finite" in SOLVER.failure(states[-1])
    assert {SOLVER.failure(state) for state in states[:-1]} == {""}
    assert len(states) <= 10
    for state in states:
        assert np.all(np.isfinite(SOLVER.output(state)))
    assert sizes(states)[-1] < 1


def test_a_run_without_a_failure_says_none():
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    states = steps(SOLVER, problem, SOLVER.init(problem, stiefel.random_point(20, 4, seed=0)), 200)
    assert {state.now.failed for state in states} == {""}
