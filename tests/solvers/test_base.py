"""What every method is: three members of its own, defaults for the rest, and needs of either
term.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox.smooth.base import HasHessian
from orthoprox.solvers.base import Ability, Auto, Facts, Solver
from orthoprox.stopping import MaxIterations, Stationary, Status

HESSIAN = Ability("the Hessian of l as a matrix", "does not show one", HasHessian, term="smooth")


@dataclass(frozen=True)
class State:
    X: np.ndarray  # X^k


@dataclass(frozen=True)
class Power(Solver[State]):
    """The power method X+ = polar(-grad l(X)), for a concave quadratic l and g = 0."""

    facts: ClassVar = Facts(
        "Power",
        nonsmooth=False,
        single_loop=True,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
    )

    def init(self, problem, X0):
        return State(X0)

    def step(self, problem, state):
        return State(stiefel.polar(-problem.smooth.grad(state.X)))

    def residuals(self, problem, old, new):
        moved = stiefel.norm(new.X - old.X)
        return {"step": lambda: moved, "constraint": lambda: 0.0, "prox": lambda: moved}


@dataclass(frozen=True)
class Demanding(Power):
    """The same, for those l that show their Hessian."""

    needs = (HESSIAN,)


@dataclass(frozen=True)
class Failing(Power):
    """The same, until its third step."""

    def init(self, problem, X0):
        return Numbered(X0, 0)

    def step(self, problem, state):
        return Numbered(super().step(problem, state).X if state.k < 3 else np.nan * state.X, state.k + 1)

    def failure(self, state):
        return "No step is left." if state.k == 4 else ""


@dataclass(frozen=True)
class Numbered(State):
    k: int


@dataclass(frozen=True)
class Modest(Power):
    """The same, but it reports its start, whatever it found."""

    def conclude(self, problem, first, last):
        return first, "This is the start."


@dataclass(frozen=True)
class Observant(Power):
    """The same, from a start that the evaluator's step is known at."""

    def begin(self, problem, X0, evaluator):
        assert evaluator.problem is problem
        assert evaluator.step == pytest.approx(1 / 5.0, rel=0.1)  # 1 / L
        return State(X0[:, ::-1])


@dataclass(frozen=True)
class Polished(Power):
    """The same, polished after a run, from principal components."""

    auto: ClassVar = Auto(start="pca", polish=True)

    def default_stop(self, certified, budget):
        return certified | budget | MaxIterations(7)


A = np.diag([5.0, 3.0, 1.0, 0.5])
VARIANCE = op.Problem(op.smooth.Quadratic(-A), op.nonsmooth.Zero(), (4, 2))
X0 = stiefel.random_point(4, 2, seed=0)


def test_a_method_is_its_first_state_its_step_and_its_residuals():
    """The rest has defaults; the loop runs it, certifies it, and it reaches the eigenvalue sum."""
    result = op.solve(VARIANCE, Power(), X0)
    assert result.converged
    assert result.objective == pytest.approx(-(5 + 3) / 2)
    assert result.multiplier is None
    assert result.parameters == {}


def test_a_need_can_be_a_property_of_the_smooth_term():
    assert op.solve(VARIANCE, Demanding(), X0).converged
    bare = op.Problem(op.smooth.Function(VARIANCE.smooth.value, VARIANCE.smooth.grad), op.nonsmooth.Zero(), (4, 2))
    with pytest.raises(TypeError, match="Power needs the Hessian of l as a matrix; Function does not show one"):
        op.solve(bare, Demanding(), X0)


def test_a_diverged_run_gets_some_advice():
    assert "check_grad" in Power().advice(VARIANCE, State(X0))


def test_a_method_that_fails_says_why_and_its_best_measured_point_is_returned():
    result = op.solve(VARIANCE, Failing(), X0, stop=Stationary(1e-12))
    assert result.status is Status.FAILED
    assert result.message.startswith("Failed: the method cannot go on. Reached: ")
    assert result.message.endswith("No step is left.")
    assert result.iterations == 4
    assert np.all(np.isfinite(result.X))
    assert result.measurement.kkt_error == pytest.approx(result.history["kkt_error"].min())


def test_a_method_that_fails_at_once_returns_its_start():
    @dataclass(frozen=True)
    class Hopeless(Power):
        def failure(self, state):
            return "Not for this problem."

    with pytest.warns(op.ConvergenceWarning, match=r"Failed: the method cannot go on.*Not for this problem\."):
        result = op.minimize(VARIANCE, X0, method=Hopeless())
    np.testing.assert_array_equal(result.X, X0)


def test_a_method_has_the_last_word_about_its_point():
    """If it reports another point than the last, the rule was not met there."""
    result = op.solve(VARIANCE, Modest(), X0)
    assert result.status is Status.STALLED
    np.testing.assert_array_equal(result.X, X0)
    assert "This is the start." in result.message
    assert op.solve(VARIANCE, Modest(), X0, stop=MaxIterations(3)).status is Status.ITERATIONS


def test_a_run_begins_with_the_evaluator_that_measures_it():
    result = op.solve(VARIANCE, Observant(), X0, stop=MaxIterations(0))
    np.testing.assert_array_equal(result.X, X0[:, ::-1])


def test_a_method_says_what_auto_means():
    """Its start, its polish and its stopping rule."""
    with pytest.warns(op.ConvergenceWarning):
        random, pca = (op.minimize(VARIANCE, method=method, max_iterations=0, polish=False) for method in (Power(), Polished()))
    np.testing.assert_array_equal(random.X, op.starts.random(VARIANCE, np.random.default_rng(0)))
    assert op.minimize(VARIANCE, method=Power()).polished is False
    polished = op.minimize(VARIANCE, method=Polished(), tol=1e-4)
    assert polished.polished
    np.testing.assert_array_equal(pca.X, op.starts.pca(VARIANCE, np.random.default_rng(0)))
    assert polished.iterations <= 7
