"""What minimize does before and after a run: the search for a start, lower minima, budgets and
interrupts.
"""

from importlib import import_module

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox._run.run import run
from orthoprox.starts.search import search
from orthoprox.stopping import MaxIterations, Stationary, Status
from small_problems import GAUSSIAN, raising

minimizing = import_module("orthoprox.minimize")


def test_auto_ends_no_higher_than_the_run_from_its_start():
    X0 = search(GAUSSIAN, np.random.default_rng(0))[0]
    assert op.minimize(GAUSSIAN).projected_objective <= op.minimize(GAUSSIAN, X0).projected_objective + 1e-9


def test_an_interrupt_while_a_start_is_sought_returns_a_point(monkeypatch):
    monkeypatch.setattr(minimizing, "search", raising(KeyboardInterrupt))
    with pytest.warns(op.ConvergenceWarning, match="Ctrl-C"):
        result = op.minimize(GAUSSIAN)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 0
    assert result.measurement.feasibility < 1e-10


def test_lower_minima_are_looked_for_without_the_callback(monkeypatch):
    seen, calls = [], []

    def spy(call, result, rng, starts, effort):
        seen.append(len(calls))
        return run(call, stiefel.polar(result.X))

    monkeypatch.setattr(minimizing, "lower_minima", spy)
    op.minimize(GAUSSIAN, callback=calls.append, polish=False)
    assert seen == [len(calls)]


@pytest.mark.parametrize("options", [{"stop": Stationary(1e-3)}, {"start": "random"}, {"method": "manpg"}])
def test_lower_minima_are_looked_for_after_auto_alone(monkeypatch, options):
    monkeypatch.setattr(minimizing, "lower_minima", None)
    assert op.minimize(GAUSSIAN, polish=False, **{"tol": 1e-3} | options).converged


def test_a_rule_of_ones_own_decides_what_is_converged():
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(GAUSSIAN, "random", stop=MaxIterations(3), tol=10.0)
    assert result.status is Status.ITERATIONS


def test_an_interrupted_search_for_several_starts_returns_one_point(monkeypatch):
    def search(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(minimizing, "search", search)
    with pytest.warns(op.ConvergenceWarning, match="Ctrl-C"):
        result = op.minimize(GAUSSIAN, n_starts=3)
    assert result.status is Status.INTERRUPTED
