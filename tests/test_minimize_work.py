"""The work of a call: a term that counts finds what the result says, and the parts add up."""

from importlib import import_module
from math import isfinite

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import LARGE as ADAPTIVE
from cases import PROBLEMS, gaussian_pca
from counting import counting_problem
from orthoprox._linalg.packed import PackedEntries
from orthoprox.problems.work import Work
from orthoprox.stopping.parts import PARTS
from small_problems import GAUSSIAN
from small_problems import PROBLEMS as SMALL

multistart = import_module("orthoprox._run.multistart")
CALLS = PROBLEMS | SMALL | {"gaussian": GAUSSIAN}
LARGE = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)  # large enough for working-set epochs


def counts(work):
    """What a term can count: all but the runs."""
    return work.gradients, work.values, work.proxes


def adds_up(result):
    """The parts of a call are its whole."""
    assert [part.name for part in result.phases] == [name for name in PARTS if name in {part.name for part in result.phases}]
    assert sum(part.gradients for part in result.phases) == result.work.gradients
    assert sum(part.seconds for part in result.phases) == result.seconds
    assert all(part.seconds >= 0 and part.gradients >= 0 for part in result.phases)
    return {part.name: part for part in result.phases}


@pytest.mark.parametrize("name", CALLS)
def test_a_counting_term_finds_the_work_of_a_default_call(name):
    found = Work()
    result = op.minimize(counting_problem(CALLS[name], found))
    assert counts(result.work) == counts(found)
    parts = adds_up(result)
    assert all(isfinite(part.objective) or part.name == "start" for part in result.phases)  # a start may be outside a domain
    assert parts["certificate"].objective == result.projected_objective


@pytest.mark.parametrize(
    "penalty", [op.nonsmooth.L1(0.5), op.nonsmooth.MCP(0.5), op.nonsmooth.SCAD(0.5)], ids=lambda g: type(g).__name__
)
def test_steps_on_a_working_set_are_not_evaluations(penalty, monkeypatch):
    """They see some entries alone: a term that counts does not see them."""
    found, epochs = Work(), []
    monkeypatch.setattr(PackedEntries, "cross", spied(PackedEntries.cross, epochs))
    problem = op.Problem(LARGE.smooth, penalty, LARGE.shape)
    result = op.minimize(counting_problem(problem, found), "coordinates")
    assert counts(result.work) == counts(found)
    assert epochs


def spied(method, calls):
    return lambda *arguments: calls.append(1) or method(*arguments)


def test_the_parts_of_a_default_call():
    """It chooses a start, runs, looks for lower minima, polishes and certifies."""
    result = op.minimize(GAUSSIAN)
    parts = adds_up(result)
    assert set(PARTS) - set(parts) <= {"polish"}  # which may be part of the run
    assert parts["start"].objective >= parts["run"].objective >= parts["lower minima"].objective
    assert parts["certificate"].objective == result.projected_objective
    assert result.projected_objective == pytest.approx(parts["lower minima"].objective, rel=1e-6)
    assert parts["run"].gradients >= 1
    assert parts["lower minima"].gradients > parts["run"].gradients


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"start": "random", "method": ADAPTIVE}, ["start", "run", "polish", "certificate"]),
        ({"start": "random", "polish": False}, ["start", "run", "certificate"]),
        ({"method": "lsalm"}, ["start", "run", "certificate"]),
    ],
)
def test_only_what_took_place_is_a_part(options, names):
    result = op.minimize(GAUSSIAN, tol=1e-4, **options)
    assert list(adds_up(result)) == names
    assert result.work.runs == 1


def test_the_iterations_and_run_seconds_are_those_of_the_run_that_found_the_point():
    """The rest is of the whole call."""
    result = op.minimize(GAUSSIAN, "random", effort="normal")
    left = {part.name: part.objective for part in result.phases}
    assert left["lower minima"] < left["run"]  # a later run ended lower
    assert result.history["iteration"][-1] == result.iterations
    assert result.history["run_seconds"][-1] <= result.run_seconds < result.seconds
    assert result.iterations < result.work.gradients / result.work.runs


def test_a_counting_term_finds_the_work_of_several_starts_in_turn():
    """It cannot be sent to another process."""
    found = Work()
    result = op.minimize(counting_problem(gaussian_pca(), found), n_starts=3)
    assert counts(result.work) == counts(found)
    assert result.work.runs >= 3
    adds_up(result)


@pytest.mark.extended
def test_the_work_of_processes_is_that_of_runs_in_turn(monkeypatch):
    monkeypatch.setattr(multistart, "cores", lambda: 2)
    apart = op.minimize(gaussian_pca(), n_starts=3)
    adds_up(apart)
    monkeypatch.setattr(multistart, "cores", lambda: 1)
    in_turn = op.minimize(gaussian_pca(), n_starts=3)
    assert apart.work == in_turn.work
    np.testing.assert_allclose(apart.X, in_turn.X, atol=1e-12)


def test_a_counting_term_finds_the_work_of_a_path():
    """Each result has the work of its own weight."""
    found = Work()
    results = op.path(counting_problem(gaussian_pca(), found), [0.6, 0.4, 0.2])
    assert counts(sum((result.work for result in results), Work())) == counts(found)
    for result in results:
        assert sum(part.gradients for part in result.phases) == result.work.gradients
        assert sum(part.seconds for part in result.phases) == pytest.approx(result.seconds)


def test_what_a_callback_does_is_counted_with_the_certificates():
    found = Work()
    problem = counting_problem(gaussian_pca(), found)
    plain = op.minimize(problem, "random")
    found.gradients = found.values = found.proxes = 0
    seen = op.minimize(problem, "random", callback=lambda now: now.problem.grad(now.X))
    assert counts(seen.work) == counts(found)
    more = seen.phases[-1].gradients - plain.phases[-1].gradients
    assert (seen.phases[-1].name, more) == ("certificate", seen.iterations + 1)
    assert seen.phases[1].gradients == plain.phases[1].gradients


@pytest.mark.parametrize("options", [{"max_iterations": 0}, {"max_iterations": 7}, {"max_seconds": 1e-9}])
def test_a_call_that_is_cut_short_is_counted(options):
    found = Work()
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(counting_problem(GAUSSIAN, found), **options)
    assert counts(result.work) == counts(found)
    adds_up(result)


def test_an_interrupted_call_is_counted():
    def stop(now):
        if now.iteration == 5:
            raise KeyboardInterrupt

    found = Work()
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(counting_problem(GAUSSIAN, found), callback=stop)
    assert counts(result.work) == counts(found)
    adds_up(result)


def test_equal_input_gives_equal_output_and_equal_work():
    """No decision rests on a clock."""
    first, second = op.minimize(GAUSSIAN), op.minimize(GAUSSIAN)
    np.testing.assert_array_equal(first.X, second.X)
    assert first.work == second.work
    assert [part.gradients for part in first.phases] == [part.gradients for part in second.phases]


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=pytest.mark.extended)])
def test_the_result_has_the_users_problem(monkeypatch, cores):
    monkeypatch.setattr(multistart, "cores", lambda: cores)
    problem = gaussian_pca()
    X0 = op.stiefel.random_point(*problem.shape)
    for result in (
        op.minimize(problem, tol=1e-3),
        op.minimize(problem, "random", tol=1e-3, n_starts=2),
        op.solve(problem, op.LSALM(), X0, stop=op.stopping.MaxIterations(3)),
    ):
        assert result.problem is problem
