"""Probes: some iterations from a start."""

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import steps
from cases import gaussian_pca
from orthoprox.solvers import Adaptive
from orthoprox.starts import STARTS
from orthoprox.starts.search import advance, probe_value


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
