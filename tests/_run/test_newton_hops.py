"""Hops that compiled Newton steps take to a minimum: a run is made from the last of them alone."""

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox._adaptive.compiled import loop
from orthoprox._adaptive.small import SMALL
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run import hops
from orthoprox._run.call import Call
from orthoprox._run.conclusion import lower_minima
from orthoprox.problems.problem import counted
from orthoprox.solvers import Adaptive
from orthoprox.stopping import MaxIterations, Stationary, Status
from orthoprox.stopping.clock import Deadline, Meter
from small_problems import GAUSSIAN

module = import_module("orthoprox._run.conclusion")


@pytest.fixture(scope="module")
def results():
    """Two minima, the lower one first."""
    found = [op.minimize(GAUSSIAN, stiefel.random_point(60, 30, seed=k), polish=False, compiled=False) for k in range(4)]
    found.sort(key=lambda result: result.projected_objective)
    return found[0], found[-1]


def searched(results, monkeypatch, happens=lambda deadline: None):
    """Search from the higher minimum. Newton's method ends at the lower one in the first round,
    higher in all others; before each of these something ``happens``. Return what is found, how
    often Newton's method was at work, and where runs began.
    """
    lower, higher = results
    rounds, runs, run, meter, deadline = [], [], module.run, Meter("start"), Deadline(1e6)
    work = Call(
        counted(GAUSSIAN, meter.work, deadline),
        Adaptive(),
        Stationary(1e-6) | MaxIterations(30_000),
        Evaluator.at(GAUSSIAN, higher.X),
        meter,
        deadline,
    )
    fast = counted(GAUSSIAN, meter.work, deadline, loop=SimpleNamespace(newton=True, flops=1.0))

    def advanced(problem, X, steps, tol):
        rounds.append(X)
        if len(rounds) > 1:
            happens(deadline)
        here = SimpleNamespace(F=lower.projected_objective + (len(rounds) > 1), X=lower.X)
        return SimpleNamespace(here=here, Lam=-lower.multiplier)

    monkeypatch.setattr(hops, "SMALL", replace(SMALL, floor=1e12))
    monkeypatch.setattr(hops, "shifted", lambda *_: [])
    monkeypatch.setattr(hops, "probe_ends", lambda problem, points, **_: [(0.0, points[0])])
    monkeypatch.setattr(hops, "begun", lambda problem, X, t: X)
    monkeypatch.setattr(hops, "advanced", advanced)
    monkeypatch.setattr(module, "run", lambda call, X0: runs.append(X0) or run(replace(call, problem=work.problem), X0))
    with deadline.listening():
        found = lower_minima(replace(work, problem=fast), replace(higher, phases=()), np.random.default_rng(0))
    return found, len(rounds), runs


def test_a_run_is_made_at_last_from_where_newtons_method_has_ended(results, monkeypatch):
    """The hops after it begin there at once."""
    found, rounds, runs = searched(results, monkeypatch)
    assert rounds > 1
    assert len(runs) == 1
    assert runs[0] is results[0].X
    assert found.converged
    assert found.projected_objective <= results[0].projected_objective + 1e-9


def interrupt(deadline):
    raise KeyboardInterrupt


def end(deadline):
    deadline._now = lambda: 1e300


@pytest.mark.parametrize("happens", [interrupt, end])
def test_what_newtons_method_has_found_is_not_lost_when_the_call_has_to_end(results, monkeypatch, happens):
    found, rounds, _ = searched(results, monkeypatch, happens)
    assert rounds == 2
    assert found.status in (Status.CONVERGED, Status.INTERRUPTED, Status.TIME)
    assert found.projected_objective <= results[0].projected_objective + 1e-9


@pytest.fixture(scope="module")
def small_call():
    """A call on a small table whose Newton steps are compiled, and its start."""
    pytest.importorskip("numba")
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    return problem, stiefel.random_point(20, 4, seed=0)


def begun_call(problem, X, seconds=None):
    meter, deadline = Meter("start"), Deadline(seconds)
    inside = counted(problem, meter.work, deadline, loop=loop(problem))
    rule = Stationary(1e-6) | MaxIterations(30_000)
    return Call(inside, Adaptive(), rule, Evaluator.at(problem, X), meter, deadline)


def test_compiled_newton_steps_take_a_start_to_a_minimum(small_call):
    problem, X = small_call
    call = begun_call(problem, X)
    end = hops.descended(call, X)
    assert problem.value(end) < problem.value(X)
    assert op.metrics.feasibility(end) <= 1e-12
    assert op.minimize(problem, end, max_iterations=20, compiled=False).converged
    assert call.meter.work.gradients > 0


def test_without_compiled_newton_steps_a_start_stays(small_call):
    problem, X = small_call
    call = begun_call(problem, X)
    assert hops.descended(replace(call, problem=counted(problem, call.meter.work, call.deadline)), X) is X


def test_without_time_a_start_stays(small_call):
    problem, X = small_call
    call = begun_call(problem, X, 1e-9)
    assert hops.descended(call, X) is X


def test_a_default_call_with_compiled_loops_runs_from_there(small_call):
    problem, _ = small_call
    result = op.minimize(problem, compiled=True)
    assert result.converged
    assert result.iterations <= 20
    assert next(part.name for part in result.phases) == "start"


def test_steps_that_end_higher_than_the_start_are_left(small_call, monkeypatch):
    """A full step is compared one step later: time may be over between."""
    problem, X = small_call
    call = begun_call(problem, X)
    above = SimpleNamespace(F=float(problem.value(X)) + 1, X=-X, D=X)
    higher = SimpleNamespace(here=above, size=0.0, used=1.0)
    monkeypatch.setattr(hops, "advanced", lambda *_: higher)
    assert hops.descended(call, X) is X


def test_the_part_of_the_start_tells_where_newton_steps_have_led(small_call):
    problem, _ = small_call
    result = op.minimize(problem, compiled=True, effort="fast")
    start = next(part for part in result.phases if part.name == "start")
    np.testing.assert_allclose(start.objective, result.projected_objective, rtol=1e-6)
