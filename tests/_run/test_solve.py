"""The one loop: what it returns, whatever happens to the run."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run.call import Call
from orthoprox._run.ending import STALLED_STEPS
from orthoprox._run.run import _Run
from orthoprox.solvers import Adaptive
from orthoprox.stopping import MaxIterations, MaxSeconds, Stationary, Status
from orthoprox.stopping.clock import Deadline, Meter
from small_problems import DIVERGING, SPARSE, X0, A

DIVERGING_SLOWLY = op.LSALM(rho=0.5, lam=2.0, r=0.1, alpha=1.4, beta=0.9, eps=0.0, box=2.0)  # cycles off the manifold


def a_run(solver, rule):
    """A run on SPARSE that has not begun."""
    return _Run(Call(SPARSE, solver, rule, Evaluator.at(SPARSE, X0), Meter("run"), Deadline()), None)


def test_measurements_happen_at_powers_of_two_and_then_every_256():
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(800))
    assert result.history["iteration"].tolist() == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 800]
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(25), every=10)
    assert result.history["iteration"].tolist() == [0, 10, 20, 25]
    lengths = {len(column) for column in result.history.values()}
    assert lengths == {4}


def test_iteration_budget_returns_the_last_iterate():
    """After k steps X is X^k exactly, whatever was measured in between."""
    solver = op.LSALM()
    state = solver.init(SPARSE, X0)
    for _ in range(37):
        state = solver.step(SPARSE, state)
    result = op.solve(SPARSE, solver, X0, stop=MaxIterations(37))
    assert np.array_equal(result.X, state.X)
    assert result.status is Status.ITERATIONS
    assert result.iterations == 37


def test_time_budget_counts_all_time():
    def slow(now):
        while now.evaluator is not None and clock.seconds() < 0.02 * now.iteration:
            pass

    clock = Meter("run")
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxSeconds(0.1), callback=slow)
    assert result.status is Status.TIME
    assert result.seconds >= 0.1
    assert result.run_seconds < 0.5 * result.seconds  # the callback is off the method's clocks
    assert 0 < result.run_cpu_seconds < 0.5 * result.cpu_seconds


def test_divergence_is_seen_and_a_finite_point_returned():
    """Bad parameters end as diverged, with the best point measured and the parameter to change."""
    result = op.solve(SPARSE, DIVERGING, X0)
    assert result.status is Status.DIVERGED
    assert np.all(np.isfinite(result.X))
    assert result.iterations < 50
    assert "stability radius" in result.message
    assert "it would be below with lam = " in result.message
    assert result.measurement.kkt_error <= result.history["kkt_error"].min() * (1 + 1e-9)


def test_a_term_that_returns_nan_ends_the_run():
    calls = []

    def grad(X):
        calls.append(1)
        return A @ X if len(calls) < 100 else np.nan * X

    problem = op.Problem(op.smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), op.nonsmooth.Zero(), (20, 3))
    result = op.solve(problem, op.LSALM(rho=1.0, lam=0.1, r=0.1, alpha=1.0, beta=0.9, eps=0.0), X0)
    assert result.status is Status.FAILED
    assert "The gradient of the smooth term Function is not finite" in result.message
    assert np.all(np.isfinite(result.X))


@pytest.mark.parametrize("kept", [True, False])
def test_a_run_that_is_cut_short_keeps_its_last_row(kept):
    def interrupt(now):
        if now.iteration == 70:
            raise KeyboardInterrupt

    result = op.solve(SPARSE, op.LSALM(), X0, callback=interrupt, history=kept)
    assert result.status is Status.INTERRUPTED
    assert (len(result.history["iteration"]) == 1) != kept
    with pytest.warns(op.ConvergenceWarning, match="Diverged"):
        diverged = op.minimize(SPARSE, method=DIVERGING, history=kept)
    assert np.isfinite(diverged.history["objective"][-1])


def test_ctrl_c_returns_the_best_point_so_far():
    def interrupt(now):
        if now.iteration == 70:
            raise KeyboardInterrupt

    result = op.solve(SPARSE, op.LSALM(), X0, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 70
    assert np.array_equal(result.X, op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(69)).X)
    assert result.projected_objective < result.history["projected_objective"].min()


def test_a_callback_stops_the_run():
    """StopIteration ends the run at the current point; its words become the message."""

    def stop(now):
        if now.iteration == 20:
            raise StopIteration("seen enough")

    result = op.solve(SPARSE, op.LSALM(), X0, callback=stop)
    assert result.status is Status.INTERRUPTED
    assert "seen enough" in result.message
    assert np.array_equal(result.X, op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(20)).X)


@pytest.mark.parametrize("error", [RuntimeError, ZeroDivisionError, np.linalg.LinAlgError])
def test_other_errors_of_a_callback_are_not_swallowed(error):
    def broken(now):
        raise error("broken")

    with pytest.raises(error, match="broken"):
        op.solve(SPARSE, op.LSALM(), X0, callback=broken)


def test_a_zero_column_is_called_stalled():
    """A column that the prox sets to zero is stuck; the run says so instead of using up its
    budget.
    """
    rng = np.random.default_rng(72)
    problem = op.problems.quadratic(*op.datasets.random_quadratic(20, 2, seed=rng), 0.35)
    start = stiefel.random_point(20, 2, rng)
    result = op.solve(problem, op.LSALM.paper("quadratic", problem), start, stop=op.stopping.paper.quadratic)
    assert result.status is Status.STALLED
    assert "1 column(s) of X are zero" in result.message
    assert result.iterations < 1000


def test_history_ends_at_the_returned_point():
    result = op.solve(SPARSE, op.LSALM(), X0, stop=Stationary(1e-5))
    assert result.history["iteration"][-1] == result.iterations
    assert result.history["objective"][-1] == result.objective
    assert np.all(np.diff(result.history["run_seconds"]) >= 0)
    assert np.all(result.history["seconds"] >= result.history["run_seconds"])
    assert result.history["seconds"][-1] <= result.seconds


def test_the_random_start_is_like_the_data():
    data = op.datasets.five_components(50, 20).astype(np.float32)
    result = op.solve(
        op.problems.sparse_pca(data, 3, 0.3),
        op.LSALM(),
        op.starts.random(op.problems.sparse_pca(data, 3, 0.3), np.random.default_rng(0)),
        stop=Stationary(1e-3),
    )
    assert result.X.dtype == np.float32


def test_motion_resets_the_count_of_still_steps():
    """Nearly as many steps of rest as make a run stall, one of motion, and as many of rest: not
    stalled.
    """
    run = a_run(op.LSALM(), MaxIterations(10**6))
    run.rounding_length = 1e-15
    state = op.LSALM().init(SPARSE, X0)
    for moved in [0.0] * (STALLED_STEPS - 10) + [1.0] + [0.0] * (STALLED_STEPS - 10):
        run.iteration = 3
        assert run._inspect(state, {"step": lambda moved=moved: moved}) is None
    assert [run._inspect(state, {"step": lambda: 0.0}) for _ in range(10)][-1].status is Status.STALLED


def test_a_run_far_from_the_manifold_is_diverged_under_any_rule():
    """|X'X - I| beyond 1e6 at a measurement ends the run, even where the box keeps its steps
    short.
    """
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.1)
    wild = op.LSALM(rho=0.0, lam=1.0, r=0.0, alpha=1e-9, beta=0.5, eps=0.0, Y0=0.0, box=1e4)
    result = op.solve(problem, wild, stiefel.random_point(20, 3, 0), stop=op.stopping.paper.sparse_pca)
    assert result.status is Status.DIVERGED


def test_time_budget_returns_the_best_point():
    """The paper's constants on small L cycle; when the time is up the best measured point comes
    back, not the last.
    """
    result = op.solve(SPARSE, DIVERGING_SLOWLY, X0, stop=MaxSeconds(0.05))
    assert result.status is Status.TIME
    assert result.measurement.kkt_error <= result.history["kkt_error"].min() * 1.01


def test_a_start_has_to_lie_on_the_manifold_to_half_precision():
    """Up to n times the root of the machine precision; beyond that it is refused."""
    allowed = 3 * np.finfo(float).eps ** 0.5
    for factor, fine in ((0.4, True), (3.0, False)):
        start = X0 * (1 + factor * allowed / (2 * 3**0.5))
        if fine:
            assert op.solve(SPARSE, op.LSALM(), start, stop=MaxIterations(0)).iterations == 0
        else:
            with pytest.raises(ValueError, match="off the manifold"):
                op.solve(SPARSE, op.LSALM(), start)


@pytest.mark.parametrize("solver", [Adaptive(), op.LSALM()])
@pytest.mark.parametrize("status", list(Status))
def test_a_run_that_ended_badly_returns_its_best_point(solver, status):
    ending = a_run(solver, Stationary())._ending(status, solver.init(SPARSE, X0))
    assert ending.best == (status in (Status.STALLED, Status.TIME, Status.DIVERGED))


def test_a_last_certificate_that_is_worse_does_not_replace_the_one_that_the_rule_has_seen(monkeypatch):
    """As with a gradient that is huge now and then: what is reported is what was proved."""
    certify = Evaluator.certify

    def worse(self, X, multiplier, *, work=0):
        proof = certify(self, X, multiplier, work=work)
        return replace(proof, upper=1e300) if work else proof

    monkeypatch.setattr(Evaluator, "certify", worse)
    result = op.solve(SPARSE, op.LSALM(), X0)
    assert result.status is Status.CONVERGED
    assert result.measurement.kkt_error <= 1e-6
    assert result.certificate.upper < 1
