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


def waited(monkeypatch, problem):
    """The starts and the length of each call of ``probe_ends`` in a search, and what the search
    takes.
    """
    calls, probe_ends = [], module.probe_ends

    def watched(problem, starts, length=None):
        calls.append((starts, length))
        return probe_ends(problem, starts, length)

    monkeypatch.setattr(module, "probe_ends", watched)
    return calls, search(problem, np.random.default_rng(0))[0]


def test_principal_components_get_a_longer_probe(monkeypatch):
    """Before all others, from where they are, eigenvectors of A'A; then the lowest end has one, and
    the lower of the two is taken.
    """
    problem = gaussian_pca(m=100, n=10, p=60)
    calls, taken = waited(monkeypatch, problem)
    assert [length for _, length in calls] == [module.SMALL.hasty, None, module.SMALL.hasty]
    ((V,), _), (candidates, _), ((lowest,), _) = calls
    H = problem.smooth.A.T @ problem.smooth.A
    np.testing.assert_array_equal(V, candidates[0])
    np.testing.assert_allclose(H @ V, V * np.diag(V.T @ H @ V), atol=1e-8)
    ends = [module.probe_ends(problem, [X], int(module.SMALL.hasty))[0] for X in (V, lowest)]
    np.testing.assert_array_equal(taken, min(ends, key=lambda end: end[0])[1])


@pytest.mark.parametrize(
    "problem", [gaussian_pca(m=40, n=5), op.problems.compressed_modes(128, 8, 0.1)], ids=["tiny", "without a matrix"]
)
def test_nothing_waits_for_principal_components_where_hops_or_runs_do_the_same(monkeypatch, problem):
    assert len(waited(monkeypatch, problem)[0]) == 1


def test_there_are_enough_starts_of_each_number(monkeypatch):
    """Two kinds half as often as starts are asked for, and no kind less than once."""
    monkeypatch.setattr(module, "SMALL", replace(module.SMALL, entries=0))
    asked = []
    for kind in ("pca", "random"):
        monkeypatch.setattr(module, kind, lambda problem, rng, kind=kind: asked.append(kind) or np.eye(20, 4))
    for number, each in ((1, 1), (2, 1), (3, 1), (4, 2), (7, 3)):
        asked.clear()
        assert len(search(gaussian_pca(), np.random.default_rng(0), number)) == number
        assert asked.count("pca") == each
