"""The search for the best start."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.nonsmooth import L1
from orthoprox.smooth import Function
from orthoprox.starts import STARTS
from orthoprox.starts import search as module
from orthoprox.starts.search import search


def test_the_search_takes_the_candidate_whose_probe_ends_lowest(monkeypatch):
    problem, points = gaussian_pca(), {}
    monkeypatch.setattr(module, "SMALL", replace(module.SMALL, entries=0))
    for seed, name in enumerate(["coordinates", "pca", "random", "smoothed"]):
        points[name] = op.stiefel.random_point(20, 4, seed=seed)
        if name != "coordinates":
            monkeypatch.setattr(module, name, lambda problem, rng, X=points[name]: X)
    monkeypatch.setattr(module, "affordable_coordinates", lambda problem, rng: [points["coordinates"]])
    probe_values = {name: module.probe_value(problem, X) for name, X in points.items()}
    ranked = sorted(probe_values, key=probe_values.get)
    assert search(problem, np.random.default_rng(0))[0] is points[ranked[0]]
    affordable = module.SETTINGS.probe * 3 * problem.flops  # three probes, and no path of smoothed problems
    monkeypatch.setattr(module, "SETTINGS", replace(SETTINGS, work=affordable))
    assert search(problem, np.random.default_rng(0))[0] is points[min(["coordinates", "pca", "random"], key=probe_values.get)]
    two = search(problem, np.random.default_rng(0), 2)  # pca and random are tried twice, and are the same point here
    assert two[0] is points[ranked[0]]
    assert any(two[1] is points[name] for name in ranked[:2])


@pytest.mark.parametrize(("n", "name"), [(300, "coordinates"), (3, "pca")])
def test_large_problems_are_not_probed(monkeypatch, n, name):
    monkeypatch.setattr(module, "SETTINGS", replace(SETTINGS, work=0.0))
    monkeypatch.setattr(module, "probe_value", None)
    problem = gaussian_pca(m=800 if n == 300 else 40, n=n, p=5)
    expected = STARTS[name](problem, np.random.default_rng(1))
    np.testing.assert_array_equal(search(problem, np.random.default_rng(1))[0], expected)


def test_few_columns_of_many_rows_are_not_searched_for_coordinates(monkeypatch):
    monkeypatch.setattr(sys.modules["orthoprox.starts.points"], "coordinates", None)
    assert len(search(gaussian_pca(m=400, n=1), np.random.default_rng(0))) == 1


def test_the_search_does_without_coordinates_where_l_is_not_finite_there():
    log = Function(lambda X: np.sum(np.log(X**2 + 1e-300)), lambda X: 2 * X / (X**2 + 0.0))
    with np.errstate(all="ignore"):
        assert len(search(op.Problem(log, L1(0.1), (6, 2)), np.random.default_rng(0))) == 1


def test_auto_is_no_worse_than_its_candidates_on_sparse_components():
    """The default start finds at least as good a minimum as each candidate alone, within 2 %."""
    problem = op.problems.sparse_pca(op.datasets.five_components(200, 60, seed=1), 30, 0.5)
    objectives = {name: op.minimize(problem, name, tol=1e-5).projected_objective for name in ("random", "pca", "coordinates")}
    best = min(objectives.values())
    assert op.minimize(problem, tol=1e-5).projected_objective <= best + 0.02 * abs(best)
