"""Runs from several starts."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run import multistart
from orthoprox._run.meter import Meter
from orthoprox._run.multistart import solve_from
from orthoprox._run.run import Call, run
from orthoprox.nonsmooth import L1
from orthoprox.problems.problem import counted
from orthoprox.smooth import Function
from orthoprox.stopping import MaxIterations, Stationary, Status
from orthoprox.stopping.deadline import Deadline


def a_call(problem, rule, deadline=None):
    X0 = op.stiefel.random_point(*problem.shape, seed=0)
    meter, deadline = Meter("start"), deadline or Deadline()
    evaluator = Evaluator.at(problem, X0)
    return Call(counted(problem, meter.work, deadline), op.solvers.Adaptive(), rule, evaluator, meter, deadline, history=False)


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=pytest.mark.extended)])
def test_several_starts_return_the_best_of_their_runs(monkeypatch, cores):
    monkeypatch.setattr(multistart, "cores", lambda: cores)
    problem, rule = gaussian_pca(m=12, n=3), Stationary(1e-6) | MaxIterations(5000)
    starts = [op.stiefel.random_point(12, 3, seed=seed) for seed in range(4)]
    alone = [op.solve(problem, op.solvers.Adaptive(), X0, stop=rule) for X0 in starts]
    best = solve_from(a_call(problem, rule), problem, starts)
    assert best.projected_objective == pytest.approx(min(result.projected_objective for result in alone), rel=1e-9)


@pytest.mark.extended
def test_processor_time_counts_what_other_processes_did(monkeypatch):
    """The run that is returned was one of theirs."""
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    result = op.minimize(gaussian_pca(m=12, n=3), "random", n_starts=2, polish=False)
    assert 0 < result.run_cpu_seconds < result.cpu_seconds - 0.1  # to load the library takes longer


def test_what_cannot_travel_runs_in_this_process():
    A = normal(0, 30, 10)
    problem = op.Problem(Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X)), L1(0.5), (10, 2))
    assert op.minimize(problem, "random", n_starts=3).converged


def test_a_run_that_converged_is_preferred(monkeypatch):
    """Even to a lower one that did not."""
    ends = iter([(False, -3.0), (True, -1.0), (True, -2.0)])

    def run(*_):
        converged, objective = next(ends)
        status = Status.CONVERGED if converged else Status.ITERATIONS
        return SimpleNamespace(status=status, measurement=SimpleNamespace(projected_objective=objective))

    monkeypatch.setattr(multistart, "cores", lambda: 1)
    monkeypatch.setattr(multistart, "run", run)
    best = solve_from(a_call(gaussian_pca(), MaxIterations(1)), gaussian_pca(), [0, 1, 2])
    assert best.measurement.projected_objective == -2.0


@pytest.mark.extended
def test_where_processes_do_not_come_up_runs_are_done_in_turn():
    """As in a program that is read from a pipe, whose main part other processes cannot find."""
    program = "import orthoprox as op; A = op.datasets.five_components(50, 12, seed=0); p = op.problems.sparse_pca(A, 2, 0.5)\n"
    program += "print(op.minimize(p, 'random', n_starts=3).converged)\n"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_an_interrupt_ends_all_runs_in_turn(monkeypatch):
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
    starts = [op.stiefel.random_point(10, 2, seed=seed) for seed in range(3)]
    spied = lambda call, X0: begun.append(X0) or run(call, X0)  # noqa: E731
    monkeypatch.setattr(multistart, "run", spied)
    best = solve_from(a_call(problem, Stationary(1e-6) | MaxIterations(5000)), problem, starts)
    assert len(begun) == 2
    assert best.status is Status.INTERRUPTED


class Spied(Deadline):
    """A deadline that keeps the shares of its time."""

    def __init__(self):
        super().__init__()
        self.shares = []

    def part(self, share=1.0):
        self.shares.append(share)
        return super().part(share)


def test_runs_that_wait_for_each_other_share_the_time(monkeypatch):
    monkeypatch.setattr(multistart, "cores", lambda: 1)
    starts = [op.stiefel.random_point(12, 3, seed=seed) for seed in range(3)]
    problem, deadline = gaussian_pca(m=12, n=3), Spied()
    solve_from(a_call(problem, MaxIterations(1), deadline), problem, starts)
    assert deadline.shares == [1 / 3, 1 / 2, 1]
