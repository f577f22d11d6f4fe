"""Sparse PCA: the start that a subgradient method improves, and the baseline."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import polar, tangent
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import spca


@pytest.mark.parametrize(("kind", "project"), [("tangent", tangent), ("euclidean", lambda X, W: W)])
def test_the_subgradient_start_takes_steps_of_length_k_to_the_minus_three_quarters(kind, project):
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 4, 0.5)
    X = X0 = op.stiefel.random_point(20, 4, seed=1)
    for k in (1, 2, 3):
        X = polar(X - k**-0.75 * project(X, problem.smooth.grad(X) + 0.5 * np.sign(X)))
    assert np.allclose(spca.subgradient_start(problem, X0, 3, kind), X, rtol=0, atol=1e-12)


def test_methods_stop_when_they_reach_the_objective_of_the_baseline_and_not_before():
    runs = [run for run in load("table-spca-rsm", quick=True).runs() if run.at["m"] == 100 and run.at["seed"] == 0]
    outcomes = dict(zip([run.at["solver"] for run in runs], spca.execute_compared([run.settings for run in runs]), strict=True))
    target = outcomes["manpg-ada"]["objective"] + 1e-4
    for name in ("soc", "radmm", "lsalm"):
        assert outcomes[name]["status"] == "CONVERGED"
        assert outcomes[name]["objective"] <= target
        assert outcomes[name]["iterations"] > 10
        assert 0 < outcomes[name]["distance"] < 0.1
    assert outcomes["lsalm"]["feasibility"] <= 1e-4
    assert outcomes["manpg-ada"]["distance"] == 0
