"""Runs from several starts."""

from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from elsewhere import Deadly, run_or_die, sleep_instead, slow_problem
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run import multistart
from orthoprox._run.call import Call
from orthoprox._run.multistart import solve_from
from orthoprox._run.run import run
from orthoprox.nonsmooth import L1
from orthoprox.problems.problem import counted
from orthoprox.smooth import Function
from orthoprox.stopping import MaxIterations, Stationary, Status
from orthoprox.stopping.clock import Deadline, Meter

RULE = Stationary(1e-6) | MaxIterations(5000)


def a_call(problem, rule, deadline=None):
    X0 = op.stiefel.random_point(*problem.shape, seed=0)
    meter, deadline = Meter("start"), deadline or Deadline()
    counting = counted(problem, meter.work, deadline)
    return Call(counting, op.solvers.Adaptive(), rule, Evaluator.at(counting, X0), meter, deadline, history=False)


def points(problem, number):
    return [op.stiefel.random_point(*problem.shape, seed=seed) for seed in range(number)]


@pytest.fixture
def here(monkeypatch):
    """No process is started."""
    monkeypatch.setattr(multistart, "cores", lambda: 1)


@pytest.fixture
def apart(monkeypatch):
    """Runs share two processes, and none is left for this one."""
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "run", lambda *_: pytest.fail("a run in this process"))


def the_best_is_returned():
    problem = gaussian_pca(m=12, n=3)
    starts = points(problem, 4)
    alone = [op.solve(problem, op.solvers.Adaptive(), X0, stop=RULE, history=False) for X0 in starts]
    call = a_call(problem, RULE)
    best = solve_from(call, problem, starts)
    assert best.projected_objective == pytest.approx(min(result.projected_objective for result in alone), rel=1e-9)
    assert best.problem is call.problem
    assert call.meter.work.runs == 4


def test_several_starts_return_the_best_of_their_runs(here):
    the_best_is_returned()


@pytest.mark.extended
def test_several_starts_in_processes_return_the_best_of_their_runs(apart):
    the_best_is_returned()


@pytest.mark.extended
def test_runs_in_processes_are_those_of_runs_in_turn(monkeypatch):
    """Bit for bit, where this process has one BLAS thread, too."""
    problem = gaussian_pca(m=12, n=3)
    calls = [a_call(problem, RULE) for _ in range(2)]
    results = []
    for call, cores in zip(calls, (1, 2), strict=True):
        monkeypatch.setattr(multistart, "cores", lambda cores=cores: cores)
        results.append(solve_from(call, problem, points(problem, 3)))
    one, other = results
    np.testing.assert_array_equal(one.X, other.X)
    assert (one.measurement, one.iterations, one.status) == (other.measurement, other.iterations, other.status)
    assert calls[0].meter.work == calls[1].meter.work


@pytest.mark.extended
def test_processor_time_counts_what_other_processes_did(apart):
    """The run that is returned was one of theirs."""
    result = op.minimize(gaussian_pca(m=12, n=3), "random", n_starts=2, polish=False)
    assert 0 < result.run_cpu_seconds < result.cpu_seconds - 0.1  # to load the library takes longer


# What is run in this process


def test_what_cannot_be_pickled_runs_in_this_process(monkeypatch):
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "Workers", lambda number: pytest.fail("processes"))
    A = normal(0, 30, 10)
    problem = op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X)), L1(0.5), (10, 2))
    assert op.minimize(problem, "random", n_starts=3).converged


@pytest.mark.extended
def test_what_a_worker_cannot_do_runs_in_this_process(monkeypatch, capfd):
    """It dies at the first gradient, and nobody is told."""
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    problem = slow_problem(0.0, kind=Deadly)
    result = op.minimize(problem, "random", n_starts=3)
    assert result.converged
    assert result.work.runs == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.extended
def test_results_of_workers_are_kept_if_one_dies(monkeypatch):
    """Only what is missing is run here."""
    begun = []
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "run", lambda call, X0: begun.append(X0) or run(call, X0))
    monkeypatch.setattr(multistart, "_apart", run_or_die)
    problem = gaussian_pca(m=12, n=3)
    starts = [*points(problem, 2), np.eye(12, 3)]
    best = solve_from(a_call(problem, RULE), problem, starts)
    assert best.converged
    assert len(begun) == 1
    assert begun[0] is starts[2]


def test_processes_that_cannot_be_started_are_done_without(monkeypatch):
    def none(number):
        raise OSError("too many processes")

    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "Workers", none)
    assert op.minimize(gaussian_pca(), "random", n_starts=2).converged


def test_a_short_budget_is_not_spent_on_processes(monkeypatch):
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "Workers", lambda number: pytest.fail("processes"))
    op.minimize(gaussian_pca(), "random", n_starts=2, max_seconds=2.0)


# Which one is returned


def stand_in(monkeypatch, ends):
    """Let the runs end as told: whether they converged, and where."""
    ends = iter(ends)

    def run(*_):
        converged, objective = next(ends)
        status = Status.CONVERGED if converged else Status.ITERATIONS
        return SimpleNamespace(status=status, measurement=SimpleNamespace(projected_objective=objective))

    monkeypatch.setattr(multistart, "run", run)


@pytest.mark.parametrize(
    ("ends", "best"),
    [
        ([(False, -3.0), (True, -1.0), (True, -2.0)], -2.0),  # even to a lower one that did not
        ([(False, np.nan), (False, -3.0), (False, np.nan)], -3.0),
    ],
)
def test_a_run_that_converged_is_preferred_and_nan_is_not(here, monkeypatch, ends, best):
    stand_in(monkeypatch, ends)
    found = solve_from(a_call(gaussian_pca(), MaxIterations(1)), gaussian_pca(), [0, 1, 2])
    assert found.measurement.projected_objective == best


def test_an_interrupt_ends_all_runs_in_turn(here, monkeypatch):
    """The second is interrupted, the third never begins, and the best point so far is returned as
    interrupted.
    """
    begun, calls, A = [], [], normal(0, 30, 10)

    def grad(X):
        calls.append(len(begun))
        if calls.count(2) == 30:  # in the second run
            raise KeyboardInterrupt
        return -2 * A.T @ (A @ X)

    problem = op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), grad), L1(0.5), (10, 2))
    monkeypatch.setattr(multistart, "run", lambda call, X0: begun.append(X0) or run(call, X0))
    with pytest.warns(op.ConvergenceWarning, match="Ctrl-C"):
        result = op.minimize(problem, "random", n_starts=3)
    assert len(begun) == 2
    assert result.status is Status.INTERRUPTED
    assert result.measurement.kkt_error <= 1e-6  # the first had converged


def test_an_interrupt_does_not_lose_the_first_start(monkeypatch):
    """It is the best one that was probed. Here it had not begun, and another run has been
    interrupted at a point that is worse.
    """
    problem = gaussian_pca(m=12, n=3)
    call = a_call(problem, RULE)
    good = op.minimize(problem).projected()
    starts = [good, *points(problem, 1)]
    monkeypatch.setattr(multistart, "_side_by_side", lambda *given: given[3].__setitem__(1, bad))
    call.deadline.interrupted = True
    bad = run(call, starts[1])
    assert solve_from(call, problem, starts).projected_objective == pytest.approx(float(problem.value(good)))


# The deadline


def test_runs_in_turn_share_the_time(here, monkeypatch):
    """Each has its share of what is left: a third, a half, all."""
    shares = []

    def run(call, X0):
        shares.append(call.deadline._limit - call.deadline._end + call.deadline.left())
        return SimpleNamespace(status=Status.TIME, measurement=SimpleNamespace(projected_objective=0.0))

    monkeypatch.setattr(multistart, "run", run)
    problem = gaussian_pca(m=12, n=3)
    solve_from(a_call(problem, RULE, Deadline(60.0)), problem, points(problem, 3))
    assert shares == pytest.approx([20, 30, 60], rel=0.05)


@pytest.mark.parametrize(("cores", "turns"), [(2, [2, 1, 1]), (3, [1, 1, 1])])
def test_runs_that_wait_for_each_other_in_processes_share_the_time(monkeypatch, cores, turns):
    """Of three runs on two cores the last waits for the first that ends."""
    asked = []

    class Workers:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def submit(self, function, *arguments, seconds):
            asked.append(seconds())
            done = Future()
            done.set_result((found, False))
            return done

    problem = gaussian_pca(m=12, n=3)
    found = run(a_call(problem, MaxIterations(1)), points(problem, 1)[0])
    monkeypatch.setattr(multistart, "cores", lambda: cores)
    monkeypatch.setattr(multistart, "Workers", Workers)
    solve_from(a_call(problem, RULE, Deadline(60.0)), problem, points(problem, 3))
    assert asked == pytest.approx([60 / turn for turn in turns], rel=0.05)


@pytest.mark.extended
@pytest.mark.parametrize("pause", [0.05, 0.2])
def test_a_budget_holds_in_processes(apart, pause):
    """With 10 %, .1 s and three calls of the gradient; half a second for a busy machine."""
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(slow_problem(pause), "random", n_starts=3, max_seconds=6.0, tol=1e-14, polish=False)
    assert result.status is Status.TIME
    assert result.seconds <= 6.0 + 0.6 + 0.1 + 3 * pause + 0.5
    assert result.work.runs == 3
    assert result.work.gradients > 10


@pytest.mark.extended
def test_a_worker_that_does_not_answer_is_given_up(monkeypatch):
    """Here it sleeps, far beyond the deadline; the result is of a run in this process."""
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    monkeypatch.setattr(multistart, "_apart", sleep_instead)
    problem = gaussian_pca(m=12, n=3)
    call = a_call(problem, RULE, Deadline(4.0))
    assert solve_from(call, problem, points(problem, 3)).X.shape == problem.shape
    assert -3 < call.deadline.left() < 0
