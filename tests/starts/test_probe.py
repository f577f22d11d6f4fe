"""Probes: some iterations from a start."""

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import steps
from cases import gaussian_pca
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.solvers import Adaptive
from orthoprox.starts import STARTS
from orthoprox.starts.search import advance, probe_ends, probe_value
from within_calls import Clock


def test_a_probe_measures_f_on_the_manifold():
    problem = gaussian_pca()
    value = probe_value(problem, STARTS["random"](problem, np.random.default_rng(0)))
    assert value >= op.minimize(problem, n_starts=1).objective - 1e-6
    assert value < problem.value(STARTS["random"](problem, np.random.default_rng(0)))


@pytest.mark.parametrize("iterations", [0, 1, 40])
def test_a_probe_is_the_first_order_phase_of_the_default_method(iterations):
    """The same iterates as those of the method without Newton's."""
    problem, solver = gaussian_pca(), Adaptive(newton=False)
    X = STARTS["random"](problem, np.random.default_rng(0))
    first = solver.init(problem, X)
    states = [first, *steps(solver, problem, first, iterations)]
    np.testing.assert_array_equal(advance(problem, X, iterations), solver.output(states[-1]))


@pytest.mark.parametrize("calls", [1, 7, 40])
def test_a_probe_ends_where_it_is_when_time_is_over(calls):
    """It returns the last iterate whose step was made."""
    problem, clock = gaussian_pca(), Clock(10**9)
    X, inside = STARTS["random"](problem, np.random.default_rng(0)), counted(problem, Work(), clock)
    advance(inside, X, 0)
    clock.left = 10**9 - clock.left + calls  # what the first iterate takes, and some more
    cut = advance(inside, X, 100)
    assert clock.left == -1
    np.testing.assert_array_equal(cut, advance(problem, X, calls // 2))  # a step takes a prox and a gradient


@pytest.mark.parametrize("calls", [1, 3, 30, 10**9])
def test_probes_keep_what_they_have_when_time_is_over(calls):
    """Each end is no higher than its start, in its precision, and the lowest comes first."""
    problem = gaussian_pca()
    rng = np.random.default_rng(0)
    points = [STARTS["random"](problem, rng).astype(np.float32) for _ in range(8)]

    clock = Clock(10**9)
    inside = counted(problem, Work(), clock)
    first = [float(problem.value(X)) for X in points]
    clock.left = 40 + calls  # the first iterates are there
    found = probe_ends(inside, points)
    assert len(found) == len(points)
    values = [value for value, _ in found]
    assert values[0] == min(values) <= min(first)
    assert {X.dtype for _, X in found} == {np.dtype(np.float32)}
