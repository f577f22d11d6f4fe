"""Lower minima near the end of a run, and the status that a certificate proves."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import stiefel
from orthoprox._run import finish
from orthoprox._run.finish import lower_minima, with_certified_status
from orthoprox.starts.search import flops
from orthoprox.stopping import Status
from small_problems import GAUSSIAN, raising


def solve_from(problem):
    return lambda X: op.minimize(problem, X, polish=False, project=True)


def test_a_lower_minimum_is_found_nearby():
    """On Gaussian data with many minima, the first run ends in one that is not the lowest."""
    run = solve_from(GAUSSIAN)
    first = run(stiefel.random_point(60, 30, seed=0))
    found = lower_minima(first, run, lambda: False, np.random.default_rng(0))
    assert found.converged
    assert found.projected_objective < 1.01 * first.projected_objective  # both are negative


def test_looking_for_lower_minima_never_returns_a_higher_one():
    first = solve_from(GAUSSIAN)(stiefel.random_point(60, 30, seed=0))
    higher = solve_from(GAUSSIAN)(stiefel.random_point(60, 30, seed=3))
    better = min(first, higher, key=lambda result: result.projected_objective)
    worse = max(first, higher, key=lambda result: result.projected_objective)
    tried = []
    assert lower_minima(better, lambda X: tried.append(X) or worse, lambda: False, np.random.default_rng(0)) is better
    assert 1 <= len(tried) <= finish._FAILURES


@pytest.mark.parametrize("why", ["time is over", "too much work", "smooth", "not converged", "interrupted"])
def test_nothing_is_looked_for_where_it_is_not_asked_for(monkeypatch, why):
    problem = op.Problem(GAUSSIAN.smooth, op.nonsmooth.Zero(), (60, 30)) if why == "smooth" else GAUSSIAN
    if why == "too much work":
        monkeypatch.setattr(finish, "WORK", 10 * flops(problem))
    if why == "interrupted":
        monkeypatch.setattr(finish, "follow", raising(KeyboardInterrupt))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        most = 3 if why == "not converged" else None
        result = op.minimize(problem, "random", polish=False, max_iterations=most)
    assert lower_minima(result, raising(AssertionError), lambda: why == "time is over", np.random.default_rng(0)) is result


def test_an_interrupted_search_for_lower_minima_keeps_the_best():
    first = solve_from(GAUSSIAN)(stiefel.random_point(60, 30, seed=0))
    with pytest.warns(op.ConvergenceWarning):
        stopped = op.minimize(GAUSSIAN, "random", callback=raising(StopIteration))
    assert stopped.status is Status.INTERRUPTED
    runs = []
    assert lower_minima(first, lambda X: runs.append(X) or stopped, lambda: False, np.random.default_rng(0)) is first
    assert len(runs) == 1


def test_what_is_proved_is_called_converged():
    """A budget may end a run at the very iteration that reached the tolerance."""
    with pytest.warns(op.ConvergenceWarning):
        short = op.minimize(GAUSSIAN, "random", max_iterations=3, polish=False)
    assert with_certified_status(short, 1e-6) is short
    proved = with_certified_status(short, 2 * short.measurement.kkt_error)
    assert proved.converged
    assert proved.message == Status.CONVERGED.value


@pytest.fixture(scope="module")
def first():
    return op.minimize(GAUSSIAN, stiefel.random_point(60, 30, seed=0), polish=False)


def like(result, share, status=Status.CONVERGED, X=None):
    """The result with a share of its objective, another status or another point; f is negative."""
    value = share * result.projected_objective
    measured = replace(result.measurement, projected_objective=value)
    return replace(result, status=status, measurement=measured, X=result.X if X is None else X)


JITTER = normal(7, 60, 30)


def rounds(first, outcomes, monkeypatch, overhead=0.0, probe_value=lambda problem, X: 0.0):
    """Return what ``lower_minima`` returns, (X, stages) of each path and where the runs begin;
    these end as told, then fail.
    """
    paths, runs, ends = [], [], iter(outcomes)
    monkeypatch.setattr(finish, "_OVERHEAD", overhead)
    monkeypatch.setattr(finish, "follow", lambda problem, X, stages: paths.append((X, stages)) or X)
    monkeypatch.setattr(finish, "probe_value", probe_value)
    monkeypatch.setattr(finish, "random_direction", lambda problem, rng: JITTER)
    run = lambda X: runs.append(X) or next(ends, like(first, 1.0))  # noqa: E731
    return lower_minima(first, run, lambda: False, np.random.default_rng(0)), paths, runs


def test_paths_begin_at_the_minimum_and_then_around_it(first, monkeypatch):
    """A wide and a narrow one from the minimum itself, then wide ones from points near it and
    far.
    """
    found, paths, runs = rounds(first, [], monkeypatch)
    assert found is first  # as low is not lower
    assert (len(paths), len(runs)) == (2 * finish._FAILURES, finish._FAILURES)
    X = stiefel.polar(first.X)
    near, far = (stiefel.polar(X + jitter * JITTER) for jitter in finish._JITTERS)
    for k, (start, stages) in enumerate(paths):
        np.testing.assert_array_equal(start, X if k < 2 else (near, far)[k % 2], err_msg=str(k))
        assert stages == (finish._NARROW if k == 1 else finish._WIDE)


def test_the_path_with_the_lower_end_is_followed(first, monkeypatch):
    far = stiefel.polar(stiefel.polar(first.X) + finish._JITTERS[1] * JITTER)
    low = lambda problem, X: 0.0 if np.array_equal(X, far) else 1.0  # noqa: E731
    _, _, runs = rounds(first, [], monkeypatch, probe_value=low)
    for X in runs[1:]:
        np.testing.assert_array_equal(X, far)


def test_a_lower_minimum_is_where_the_next_paths_begin(first, monkeypatch):
    lower = like(first, 1.1, X=stiefel.random_point(60, 30, seed=1))
    found, paths, runs = rounds(first, [like(first, 1.0), lower], monkeypatch)
    assert found is lower
    assert len(runs) == 2 + finish._FAILURES  # the count of failures begins again
    for k, stages in ((4, finish._WIDE), (5, finish._NARROW)):
        np.testing.assert_array_equal(paths[k][0], stiefel.polar(lower.X))
        assert paths[k][1] == stages


def test_there_are_no_more_rounds_than_allowed(first, monkeypatch):
    found, _, runs = rounds(first, [like(first, 1 + k / 100) for k in range(1, 40)], monkeypatch)
    assert len(runs) == finish._ROUNDS
    assert found.projected_objective == (1 + finish._ROUNDS / 100) * first.projected_objective


def test_a_lower_point_that_has_not_converged_is_not_taken(first, monkeypatch):
    assert rounds(first, [like(first, 1.1, Status.TIME)], monkeypatch)[0] is first


def test_the_work_of_the_runs_counts_too(first, monkeypatch):
    """More work allows more rounds, none where a run alone costs more; the overhead of an iteration
    counts as work.
    """

    def number(work, overhead=0.0):
        monkeypatch.setattr(finish, "WORK", work)
        return len(rounds(first, [], monkeypatch, overhead=overhead)[2])

    one = 2 * first.iterations * flops(GAUSSIAN)
    numbers = [number(k * one) for k in (0.5, 4, 16, 64)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 0 < numbers[-1]
    assert number(64 * one, overhead=1e3 * flops(GAUSSIAN)) < numbers[-1]  # a small problem takes time, too


@pytest.mark.parametrize("status", list(Status))
def test_only_a_run_that_ended_by_itself_or_by_a_budget_gets_the_status_of_its_certificate(first, status):
    proved = with_certified_status(replace(first, status=status), 2 * first.measurement.kkt_error)
    assert proved.converged == (status not in (Status.DIVERGED, Status.INTERRUPTED))


def test_a_second_path_is_not_begun_when_time_is_over(first, monkeypatch):
    begun, looks = [], iter([False, True, True])
    monkeypatch.setattr(finish, "follow", lambda problem, X, stages: begun.append(stages) or X)
    monkeypatch.setattr(finish, "probe_value", raising(AssertionError))
    assert lower_minima(first, lambda X: like(first, 1.0), lambda: next(looks), np.random.default_rng(0)) is first
    assert begun == [finish._WIDE]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, ZeroDivisionError])
def test_an_error_or_interrupt_within_a_further_run_keeps_the_best(first, monkeypatch, error):
    """Ctrl-C may come before the loop of that run, which would handle it; l need not be defined
    where a path leads.
    """
    monkeypatch.setattr(finish, "follow", lambda problem, X, stages: X)
    assert lower_minima(first, raising(error), lambda: False, np.random.default_rng(0)) is first
