"""The specs say what the paper says: its constants, its stopping rules and its columns."""

import math
from functools import cache

import pytest

import orthoprox as op
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies.formula import resolve
from orthoprox.reproduce.studies.study import constants, rule, solver
from orthoprox.solvers import SOLVERS
from orthoprox.stopping import Below, MaxIterations, ObjectiveBelow


@cache
def runs_of(name, quick=False):
    return load(name, quick=quick).runs()


def with_constants(name, problem):
    (settings, *_) = [run.settings for run in runs_of(name) if run.settings["solver"] == "lsalm"]
    return solver(settings, problem)


def test_lsalm_of_the_quadratics_has_the_paper_s_constants():
    problem = op.problems.quadratic(*op.datasets.random_quadratic(20, 2, seed=0), 0.35)
    paper = op.LSALM.paper("quadratic", problem)
    assert with_constants("fig-qp-range", problem) == paper
    given = {**load("fig-qp-beta").content["solvers"]["lsalm"], "beta": 0.44}
    assert op.LSALM(**given) == paper


@pytest.mark.parametrize("name", ["table-spca", "table-spca-rsm"])
def test_lsalm_of_sparse_pca_has_the_paper_s_constants(name):
    problem = op.problems.sparse_pca(op.datasets.five_components(60, 40, seed=0), 20, 0.5)
    found, paper = with_constants(name, problem), op.LSALM.paper("sparse_pca", problem)
    assert found == paper
    L = constants(problem)["L"]
    assert (found.lam, found.alpha) == (1 / L, 2)
    soc, radmm = (load(name).content["solvers"][key] for key in ("soc", "radmm"))
    assert resolve(soc, constants(problem)) == {"penalty": 1.5 * L}
    assert resolve(radmm, constants(problem)) == {"gamma": 1e-12, "rho": L, "eta": 1 / (2 * L)}


def test_lsalm_of_matching_has_the_paper_s_constants():
    house = op.datasets.synthetic_house(frames=3)
    problem = op.problems.graph_matching(house[0], house[1], 2.0)
    assert with_constants("table-matching", problem) == op.LSALM.paper("matching", problem)


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        ("fig-qp-range", op.stopping.paper.quadratic),
        ("fig-qp-beta", op.stopping.paper.quadratic),
        ("fig-qp-r-beta", op.stopping.paper.quadratic),
        ("table-spca", op.stopping.paper.sparse_pca),
        ("table-matching", op.stopping.paper.matching),
    ],
)
def test_stopping_rules_are_the_paper_s(name, paper):
    problem = op.problems.sparse_pca(op.datasets.five_components(30, 10, seed=0), 5, 0.5)
    assert rule(load(name).content["stop"], problem) == paper


def test_stopping_rules_of_the_common_start_are_the_paper_s():
    problem = op.problems.sparse_pca(op.datasets.five_components(30, 10, seed=0), 5, 0.5)
    spec = load("table-spca-rsm")
    stop = spec.content["stop"]
    assert rule(stop, problem, -7.0 + stop["above_baseline"]) == op.stopping.paper.sparse_pca_rsm(-7.0)
    assert rule(spec.content["baseline"], problem) == Below(prox=1e-4 * math.sqrt(50)) | MaxIterations()


def test_a_target_is_one_more_thing_to_meet():
    problem = op.problems.sparse_pca(op.datasets.five_components(30, 10, seed=0), 5, 0.5)
    found = rule({"below": {"step": 1e-4}, "max_iterations": 7}, problem, -1.0)
    assert found == Below(step=1e-4) & ObjectiveBelow(-1.0) | MaxIterations(7)


@pytest.mark.parametrize(
    ("name", "axis", "columns"),
    [
        ("table-spca", "m", {"T", "I", "Obj", "S"}),
        ("table-spca-rsm", "m", {"T", "I"}),
        ("table-matching", "frame", {"T", "I", "Obj", "F"}),
    ],
)
def test_the_paper_s_columns_have_an_entry_for_each_of_its_sizes(name, axis, columns):
    spec = load(name)
    sizes = spec.paper[axis]
    assert sizes == spec.grid[axis]
    tables = {key: value for key, value in spec.paper.items() if isinstance(value, dict)}
    assert set(tables) == set(spec.content["solvers"]) - {"pamal"}
    for table in tables.values():
        assert set(table) == columns
        assert {len(column) for column in table.values()} == {len(sizes)}


def test_nonsmooth_methods_are_compared_at_their_defaults():
    """On both problems at (300, 150), from the same start."""
    spec = load("fig-methods")
    assert len(spec.content["solvers"]) >= 16
    assert all(SOLVERS[name].facts.nonsmooth for name in spec.content["solvers"])
    assert all(given == {} for given in spec.content["solvers"].values())
    assert len(runs_of("fig-methods")) == 2 * len(spec.content["solvers"])
    for data in spec.grid["data"]:
        problems = [run.settings["problem"] for run in runs_of("fig-methods") if run.at["data"] == data]
        assert all(problem == problems[0] for problem in problems)
        assert (problems[0]["m"], problems[0]["n"], problems[0]["seed"]) == (300, 150, 0)
        assert data in problems[0]["mu"]
