"""What happens before and after a run of minimize: lower minima nearby, budgets, and interrupts."""

import warnings
from importlib import import_module

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import finish, starts
from orthoprox.finish import lowered, settled
from orthoprox.search import flops, search
from orthoprox.stopping import Status

minimizing = import_module("orthoprox.minimize")
GAUSSIAN = op.problems.sparse_pca(normal(0, 50, 60) / 7, 30, 0.8)


def solve_from(problem):
    return lambda X: op.minimize(problem, X, polish=False, project=True)


def test_a_lower_minimum_is_found_nearby():
    """On Gaussian data with many minima, the first run ends in one that is not the lowest."""
    run = solve_from(GAUSSIAN)
    first = run(op.stiefel.random_point(60, 30, seed=0))
    found = lowered(first, run, lambda: False, np.random.default_rng(0))
    assert found.converged
    assert found.projected_objective < 1.01 * first.projected_objective  # both are negative


def test_looking_for_lower_minima_never_returns_a_higher_one():
    first = solve_from(GAUSSIAN)(op.stiefel.random_point(60, 30, seed=0))
    higher = solve_from(GAUSSIAN)(op.stiefel.random_point(60, 30, seed=3))
    better = min(first, higher, key=lambda result: result.projected_objective)
    worse = max(first, higher, key=lambda result: result.projected_objective)
    tried = []
    assert lowered(better, lambda X: tried.append(X) or worse, lambda: False, np.random.default_rng(0)) is better
    assert len(tried) == finish._FAILURES


@pytest.mark.parametrize("why", ["time is over", "too much work", "smooth", "not converged", "interrupted"])
def test_nothing_is_looked_for_where_it_is_not_asked_for(monkeypatch, why):
    problem = op.Problem(GAUSSIAN.smooth, op.nonsmooth.Zero(), (60, 30)) if why == "smooth" else GAUSSIAN
    if why == "too much work":
        monkeypatch.setattr(finish, "WORK", 10 * flops(problem))
    if why == "interrupted":
        monkeypatch.setattr(finish, "along", raising(KeyboardInterrupt))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        most = 3 if why == "not converged" else None
        result = op.minimize(problem, "random", polish=False, max_iterations=most)
    assert lowered(result, raising(AssertionError), lambda: why == "time is over", np.random.default_rng(0)) is result


def test_an_interrupted_search_for_lower_minima_keeps_the_best():
    first = solve_from(GAUSSIAN)(op.stiefel.random_point(60, 30, seed=0))
    with pytest.warns(op.ConvergenceWarning):
        stopped = op.minimize(GAUSSIAN, "random", callback=raising(StopIteration))
    assert stopped.status is Status.INTERRUPTED
    runs = []
    assert lowered(first, lambda X: runs.append(X) or stopped, lambda: False, np.random.default_rng(0)) is first
    assert len(runs) == 1


def raising(error):
    def function(*args, **options):
        raise error

    return function


def test_auto_ends_no_higher_than_the_run_from_its_start():
    X0 = search(GAUSSIAN, np.random.default_rng(0))[0]
    assert op.minimize(GAUSSIAN).projected_objective <= op.minimize(GAUSSIAN, X0).projected_objective + 1e-9


def test_the_search_takes_what_is_at_hand_when_time_is_short():
    tried = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("orthoprox.search"), "_height", lambda problem, X: tried.append(X) or 0.0)
        found = search(GAUSSIAN, np.random.default_rng(0), 3, enough=lambda: True)
    assert len(found) == 3
    assert tried == []
    np.testing.assert_array_equal(found[0], starts.coordinates(GAUSSIAN, np.random.default_rng(0)))


def test_a_time_budget_holds_for_the_search_too(monkeypatch):
    """A search that would take for ever is cut at half of the budget, and the run gets what is left."""

    class Slow:
        wall_seconds = 0.0

    def slow(problem, rng, number, *, enough):
        while not enough():
            Slow.wall_seconds += 1.0
        return [starts.random(problem, rng)]

    seen = []
    monkeypatch.setattr(minimizing, "Clock", Slow)
    monkeypatch.setattr(minimizing, "search", slow)
    monkeypatch.setattr(minimizing, "MaxSeconds", lambda seconds: seen.append(seconds) or op.stopping.MaxIterations(1))
    with pytest.warns(op.ConvergenceWarning):
        op.minimize(GAUSSIAN, max_seconds=10.0)
    assert seen[0] == pytest.approx(5.0)


def test_an_interrupt_while_a_start_is_sought_returns_a_point(monkeypatch):
    monkeypatch.setattr(minimizing, "search", raising(KeyboardInterrupt))
    with pytest.warns(op.ConvergenceWarning, match="search for a start"):
        result = op.minimize(GAUSSIAN)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 0
    assert result.measurement.feasibility < 1e-10


def test_what_is_proved_is_called_converged():
    """A budget may end a run at the very iteration that reached the tolerance."""
    with pytest.warns(op.ConvergenceWarning):
        short = op.minimize(GAUSSIAN, "random", max_iterations=3, polish=False)
    assert settled(short, 1e-6) is short
    proved = settled(short, 2 * short.measurement.shortfall)
    assert proved.converged
    assert proved.message == Status.CONVERGED.value


@pytest.mark.parametrize("mus", [None, 0.5, "ab"])
def test_weights_that_are_no_list(mus):
    with pytest.raises(TypeError, match="needs a list of weights"):
        op.path(GAUSSIAN, mus)
