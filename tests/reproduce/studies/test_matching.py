"""Graph matching: the start and the rounding."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import polar, tangent
from orthoprox.assignment import assign, f_measure
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import matching


def test_the_f_measure_of_a_matching_is_that_of_the_rounded_solution():
    (run,) = [run for run in load("table-matching", quick=True).runs() if run.at["solver"] == "rgd" and run.at["seed"] == 0]
    settings = {**run.settings, "problem": {**run.settings["problem"], "data": "synthetic_house"}}
    (outcome,) = matching.execute([settings])
    house = op.datasets.synthetic_house()
    problem = op.problems.graph_matching(house[0], house[29], 2.0)
    X0 = matching.gradient_start(problem, 0, 10, 0.1)
    method = op.solvers.RGD(trial="restart", step_size=0.1, shrink=0.5, decrease=0.5)
    X = op.solve(problem, method, X0, stop=op.stopping.paper.matching).X
    assert outcome["f_measure"] == f_measure(assign(X))
    assert outcome["permutation"] == (len(set(np.argmax(X, axis=1).tolist())) == 30)
    assert outcome["objective"] == pytest.approx(float(problem.value(X)), rel=1e-12)


def test_the_start_of_a_matching_is_that_of_fixed_riemannian_gradient_steps():
    house = op.datasets.synthetic_house(points=8)
    problem = op.problems.graph_matching(house[0], house[40], 2.0)
    X = op.stiefel.random_point(8, 8, np.random.default_rng(3))
    for _ in range(2):
        X = polar(X - 0.1 * tangent(X, problem.smooth.grad(X)))
    assert np.array_equal(matching.gradient_start(problem, 3, 2, 0.1), X)
