"""Lower minima near the end of a run."""

import warnings
from dataclasses import replace
from importlib import import_module
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import stiefel
from orthoprox._adaptive.settings import EFFORTS, SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run import hops
from orthoprox._run.call import Call
from orthoprox._run.conclusion import lower_minima
from orthoprox.problems.problem import counted
from orthoprox.solvers import Adaptive
from orthoprox.stopping import MaxIterations, Stationary, Status
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.parts import Part
from small_problems import GAUSSIAN, raising

module = import_module("orthoprox._run.conclusion")
FAILURES = SETTINGS.rounds // 2
X0 = stiefel.random_point(60, 30, seed=0)
RNG = np.random.default_rng


def a_call(problem=GAUSSIAN, deadline=None):
    rule, meter, deadline = Stationary(1e-6) | MaxIterations(30_000), Meter("start"), deadline or Deadline()
    evaluator = Evaluator.at(problem, X0)
    return Call(counted(problem, meter.work, deadline), Adaptive(), rule, evaluator, meter, deadline)


def solved(problem, start, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        return op.minimize(problem, start, polish=False, **options)


@pytest.fixture(scope="module")
def first():
    return solved(GAUSSIAN, X0)


def test_a_lower_minimum_is_found_nearby(first):
    """On Gaussian data with many minima, the first run ends in one that is not the lowest."""
    call = a_call()
    found = lower_minima(call, first, RNG(0))
    assert found.converged
    assert found.projected_objective < 1.01 * first.projected_objective  # both are negative
    parts = {part.name: part for part in call.meter.totals()["phases"]}
    assert set(parts) == {"start", "lower minima"}  # which has its runs, too
    assert parts["lower minima"].objective == found.projected_objective


def test_looking_for_lower_minima_never_returns_a_higher_one(first, monkeypatch):
    higher = solved(GAUSSIAN, stiefel.random_point(60, 30, seed=3))
    better = min(first, higher, key=lambda result: result.projected_objective)
    worse = max(first, higher, key=lambda result: result.projected_objective)
    tried = []
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, floor=1e12))
    monkeypatch.setattr(module, "run", lambda call, X: tried.append(X) or worse)
    assert lower_minima(a_call(), better, RNG(0)) is better
    assert 1 <= len(tried) <= 1 + FAILURES  # the first after an exchange of columns


@pytest.mark.parametrize("why", ["time is over", "too much work", "smooth", "not converged", "interrupted"])
def test_nothing_is_looked_for_where_it_is_not_asked_for(monkeypatch, why):
    problem = op.Problem(GAUSSIAN.smooth, op.nonsmooth.Zero(), (60, 30)) if why == "smooth" else GAUSSIAN
    if why == "too much work":
        monkeypatch.setattr(hops, "SMALL", replace(SMALL, floor=10 * problem.flops))
    if why == "interrupted":
        monkeypatch.setattr(hops, "neighbours", raising(KeyboardInterrupt))
    result = solved(problem, "random", max_iterations=3 if why == "not converged" else None)
    monkeypatch.setattr(module, "run", raising(AssertionError))
    call = a_call(problem, Deadline(1e-9) if why == "time is over" else None)
    assert lower_minima(call, result, RNG(0)) is result
    booked = {part.name for part in call.meter.totals()["phases"]}
    assert ("lower minima" in booked) == (why in ("time is over", "too much work", "interrupted"))


def test_an_interrupted_search_for_lower_minima_keeps_the_best(first, monkeypatch):
    stopped = solved(GAUSSIAN, "random", callback=raising(StopIteration))
    assert stopped.status is Status.INTERRUPTED
    runs, call = [], a_call()

    def interrupted(call, X):
        call.deadline.interrupted = True
        return runs.append(X) or stopped

    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, floor=1e12))
    monkeypatch.setattr(module, "run", interrupted)
    assert lower_minima(call, first, RNG(0)) is first
    assert len(runs) == 1


def like(result, share, status=Status.CONVERGED, X=None):
    """The result with a share of its objective, another status or another point; f is negative."""
    value = share * result.projected_objective
    measured = replace(result.measurement, projected_objective=value)
    return replace(result, status=status, measurement=measured, X=result.X if X is None else X)


JITTER = normal(7, 60, 30)


def rounds(first, outcomes, monkeypatch, floor=1e12, probe_value=lambda problem, X: 0.0, exchanged=None, deadline=None):
    """Return what ``lower_minima`` returns if no problem is small, (X, stages) of each path and
    where the runs begin; these end as told, then fail. No columns are exchanged, or as told.
    """
    paths, runs, ends = [], [], iter(outcomes)
    monkeypatch.setattr(hops, "exchangeable", lambda problem, X: exchanged is not None)
    monkeypatch.setattr(hops, "exchanged", exchanged)
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, floor=floor))
    monkeypatch.setattr(hops, "follow", lambda problem, X, stages: paths.append((X, stages)) or X)
    monkeypatch.setattr(hops, "probe_value", probe_value)
    monkeypatch.setattr(hops, "random_direction", lambda problem, rng: JITTER)
    monkeypatch.setattr(module, "run", lambda call, X: runs.append(X) or next(ends, like(first, 1.0)))
    return lower_minima(a_call(deadline=deadline), first, RNG(0)), paths, runs


def test_paths_begin_at_the_minimum_and_then_around_it(first, monkeypatch):
    """A wide and a narrow one from the minimum itself, then wide ones from points near it and
    far.
    """
    found, paths, runs = rounds(first, [], monkeypatch)
    assert found is first  # as low is not lower
    assert (len(paths), len(runs)) == (2 * FAILURES, FAILURES)
    X = first.X
    near, far = (X + jitter * JITTER for jitter in SETTINGS.jitters)
    for k, (start, stages) in enumerate(paths):
        np.testing.assert_array_equal(start, X if k < 2 else (near, far)[k % 2], err_msg=str(k))
        assert stages == (SETTINGS.widths[1:] if k == 1 else SETTINGS.widths)


def test_the_path_with_the_lower_end_is_followed(first, monkeypatch):
    far = first.X + SETTINGS.jitters[1] * JITTER
    low = lambda problem, X: 0.0 if np.array_equal(X, far) else 1.0  # noqa: E731
    _, _, runs = rounds(first, [], monkeypatch, probe_value=low)
    for X in runs[1:]:
        np.testing.assert_array_equal(X, far)


def test_a_lower_minimum_is_where_the_next_paths_begin(first, monkeypatch):
    lower = like(first, 1.1, X=stiefel.random_point(60, 30, seed=1))
    found, paths, runs = rounds(first, [like(first, 1.0), lower], monkeypatch)
    assert found is lower
    assert len(runs) == 2 + FAILURES  # the count of failures begins again
    for k, stages in ((4, SETTINGS.widths), (5, SETTINGS.widths[1:])):
        np.testing.assert_array_equal(paths[k][0], lower.X)
        assert paths[k][1] == stages


def test_there_are_no_more_rounds_than_allowed(first, monkeypatch):
    found, _, runs = rounds(first, [like(first, 1 + k / 100) for k in range(1, 40)], monkeypatch)
    assert len(runs) == SETTINGS.rounds
    assert found.projected_objective == (1 + SETTINGS.rounds / 100) * first.projected_objective


def test_a_lower_point_that_has_not_converged_is_not_taken(first, monkeypatch):
    assert rounds(first, [like(first, 1.1, Status.ITERATIONS)], monkeypatch)[0] is first


def test_a_lower_point_is_taken_if_time_is_over(first, monkeypatch):
    late = like(first, 1.1, Status.TIME)
    assert rounds(first, [late], monkeypatch)[0] is late
    assert rounds(first, [like(first, 1.0, Status.TIME)], monkeypatch)[0] is first


def test_hops_leave_time_for_a_run(first, monkeypatch):
    """They may take half of what is left, and a run begins where they are then."""
    deadline, begun = Deadline(1000.0), []

    def exchanged(problem, X, rng, gradients, patience):
        begun.append(deadline._limit - perf_counter())
        return X + 1, 1.1 * first.projected_objective

    lower = like(first, 1.1, Status.TIME)
    found, _, runs = rounds(first, [lower], monkeypatch, exchanged=exchanged, deadline=deadline)
    assert found is lower
    assert begun[0] == pytest.approx(500, rel=0.01)
    np.testing.assert_array_equal(runs[0], first.X + 1)


def test_the_work_of_the_runs_counts_too(first, monkeypatch):
    """A round is begun only if its paths and a run like the first are affordable."""
    path = 2 * (SETTINGS.window * (1 + len(SETTINGS.widths)) + SETTINGS.probe)
    one = (path + first.iterations) * max(GAUSSIAN.flops, SETTINGS.overhead)
    assert len(rounds(first, [], monkeypatch, floor=0.99 * one)[2]) == 0
    assert len(rounds(first, [], monkeypatch, floor=1.01 * one)[2]) == FAILURES  # mocked rounds cost nothing


@pytest.mark.parametrize("effort", ["fast", "normal", "thorough"])
def test_effort_is_the_work_that_hops_may_take(first, monkeypatch, effort):
    """None, that of the run or a floor, ten times that; and as many rounds."""
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    short, long = (replace(first, phases=(Part("run", 1.0, number, 0.0),)) for number in (1, 10**6))
    factor = {"fast": 0, "normal": 1, "thorough": 10}[effort]
    cost = max(GAUSSIAN.flops, SETTINGS.overhead)
    budget, state = hops.begin(a_call(), short, EFFORTS[effort], ())
    assert budget.allowed * cost == pytest.approx(factor * SETTINGS.floor)
    assert state.left == factor * SETTINGS.rounds
    assert hops.begin(a_call(), long, EFFORTS[effort], ())[0].allowed == factor * 10**6


@pytest.mark.parametrize("failures", [3, 20])
def test_hops_of_a_small_problem_end_where_they_find_nothing(first, monkeypatch, failures):
    """Some rounds in vain are the end, one more than half the columns if that is more; a run is
    made only from an end that is lower.
    """
    probed, runs, vain = [], [], max(failures, 30 // 2 + 1)
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, failures=failures, floor=1e12))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, rounds=100))
    monkeypatch.setattr(module, "run", lambda call, X: runs.append(X) or first)

    def ends(problem, points, value):
        probed.append(len(points))
        return [(value, points[0])]

    for value, number in ((1.0, 0), (1.5, vain)):
        value *= first.projected_objective
        monkeypatch.setattr(hops, "probe_ends", lambda problem, points, value=value, **_: ends(problem, points, value))
        assert lower_minima(a_call(), first, RNG(0)) is first
        assert len(runs) == number
    assert probed == [SMALL.stack] * 2 * vain


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, ZeroDivisionError])
def test_an_error_or_interrupt_within_a_further_run_keeps_the_best(first, monkeypatch, error):
    """Ctrl-C may come before the loop of that run, which would handle it; l need not be defined
    where a path leads.
    """
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    monkeypatch.setattr(hops, "follow", lambda problem, X, stages: X)
    monkeypatch.setattr(module, "run", raising(error))
    assert lower_minima(a_call(), first, RNG(0)) is first


@pytest.mark.parametrize("exchanges", [False, True])
def test_further_starts_are_tried_before_the_first_path_and_after_exchanges(first, monkeypatch, exchanges):
    """The runner-up of the start search ends lower, and hops go on at its minimum."""
    other, seen = stiefel.random_point(60, 30, seed=1), []

    def exchanged(problem, X, rng, gradients, patience):
        seen.append((X, len(begun)))
        return X, 0.0

    monkeypatch.setattr(hops, "exchangeable", lambda problem, X: exchanges)
    monkeypatch.setattr(hops, "exchanged", exchanged)
    lower, begun = like(first, 1.1, X=stiefel.random_point(60, 30, seed=2)), []
    monkeypatch.setattr(hops, "SMALL", replace(SMALL, entries=0))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, floor=1e12))
    monkeypatch.setattr(hops, "follow", lambda problem, X, stages: X)
    monkeypatch.setattr(hops, "probe_value", lambda problem, X: 0.0)
    monkeypatch.setattr(module, "run", lambda call, X: begun.append(X) or (lower if X is other else first))
    assert lower_minima(a_call(), first, RNG(0), [other]) is lower
    at = next(k for k, X in enumerate(begun) if X is other)
    assert begun[at + 1] is lower.X
    if exchanges:
        assert seen[0][0] is first.X
        assert seen[0][1] == 0  # before any run
        assert seen[1][0] is lower.X
    else:
        assert at == 0


def test_thorough_is_more_work_on_a_small_problem_too():
    normal, thorough = (op.minimize(GAUSSIAN, effort=effort) for effort in ("normal", "thorough"))
    spent = [sum(part.gradients for part in result.phases if part.name == "lower minima") for result in (normal, thorough)]
    assert spent[1] > 3 * spent[0]
    assert thorough.projected_objective <= normal.projected_objective


def test_a_slow_run_is_no_hop(monkeypatch):
    """A run of the search that takes more iterations than that is given up."""
    result = solved(GAUSSIAN, X0)
    monkeypatch.setattr(module, "SETTINGS", replace(SETTINGS, slow=3))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, rounds=0))
    call = a_call()
    found = lower_minima(call, result, RNG(0), [stiefel.random_point(60, 30, seed=seed) for seed in range(3)])
    assert found is result
    assert call.meter.work.runs > 0


def exchanging(first, values, outcomes, monkeypatch, floor=1e12):
    """The same if columns are exchanged, which ends at these shares of the first objective; also
    what each exchange was allowed.
    """
    allowed, shares = [], iter(values)

    def exchanged(problem, X, rng, gradients, patience):
        allowed.append((gradients, patience))
        return X + 1, next(shares) * first.projected_objective

    return *rounds(first, outcomes, monkeypatch, floor, exchanged=exchanged), allowed


def test_columns_are_exchanged_before_paths_are_followed(first, monkeypatch):
    """A run is made only if they end lower; in vain they are no failure of a path."""
    found, paths, runs, allowed = exchanging(first, [1.0], [], monkeypatch)
    assert found is first
    assert (len(allowed), len(runs), len(paths)) == (1, FAILURES, 2 * FAILURES)
    np.testing.assert_array_equal(paths[0][0], first.X)  # from the minimum itself


def test_where_exchanges_lead_down_they_are_all_there_is(first, monkeypatch):
    lower = like(first, 1.1)
    found, paths, runs, allowed = exchanging(first, [1.1, 1.1], [lower], monkeypatch)
    assert found is lower
    assert (len(allowed), len(paths)) == (2, 0)
    np.testing.assert_array_equal(runs[0], first.X + 1)


def test_an_exchange_leaves_enough_of_the_floor_for_a_run(first, monkeypatch):
    cost, wanted = max(GAUSSIAN.flops, SETTINGS.overhead), hops.ROUND * SETTINGS.rounds + first.iterations
    _, _, _, allowed = exchanging(first, [1.0], [], monkeypatch, floor=1.01 * wanted * cost)
    assert allowed == [(pytest.approx(1.01 * wanted - first.iterations), SETTINGS.rounds)]
    _, _, _, allowed = exchanging(first, [1.0], [], monkeypatch, floor=0.99 * hops.ROUND * SETTINGS.rounds * cost)
    assert allowed == []  # however long the run took


def ends_of_hops(first, monkeypatch, values, gain, *, floor=1e12, gradients=0):
    """Return how many rounds of compiled hops there are, and how many ends Newton's method takes
    further, by ``gain`` each. Probes end above the best by these values and take some gradients.
    """
    counts, work = {"rounds": 0, "newton": 0}, a_call()
    problem = counted(GAUSSIAN, work.meter.work, work.deadline, loop=SimpleNamespace(newton=True, flops=1.0))

    def probe_ends(problem, points, **_):
        counts["rounds"] += 1
        problem.count(gradients=gradients, proxes=0)
        return [(first.projected_objective + value, points[0]) for value in values]

    def advanced(problem, X, steps, tol):
        value = values[counts["newton"] % min(2, len(values))] - gain
        counts["newton"] += 1
        return SimpleNamespace(here=SimpleNamespace(F=first.projected_objective + value, X=first.X), Lam=-first.multiplier)

    monkeypatch.setattr(hops, "SMALL", replace(SMALL, floor=floor))
    monkeypatch.setattr(hops, "SETTINGS", replace(SETTINGS, rounds=100))
    monkeypatch.setattr(hops, "shifted", lambda *_: [])
    monkeypatch.setattr(hops, "probe_ends", probe_ends)
    monkeypatch.setattr(hops, "begun", lambda problem, X, t: X)
    monkeypatch.setattr(hops, "advanced", advanced)
    lower_minima(replace(work, problem=problem), replace(first, phases=()), RNG(0))
    return counts


def test_newtons_method_takes_further_what_may_get_below_the_best(first, monkeypatch):
    """It gains 2.5; twice as much would bring the second end below the best, but not the third."""
    counts = ends_of_hops(first, monkeypatch, [3.0, 4.0, 5.0, 20.0], 2.5)
    assert counts == {"rounds": 16, "newton": 32}


@pytest.mark.parametrize(("gradients", "number"), [(1000, 3), (2000, 1)])
def test_no_round_begins_that_would_exceed_the_work_if_it_took_as_much_as_the_last(first, monkeypatch, gradients, number):
    counts = ends_of_hops(first, monkeypatch, [3.0], 0, floor=3400 * SMALL.overhead, gradients=gradients)
    assert counts["rounds"] == number
