"""What an iteration costs, and how much of it is the polar factor."""

import numpy as np
import pytest

from orthoprox._linalg.products import support
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import costs, spca

LARGE = np.eye(800, 400)  # whose products go over its nonzero entries where they may


@pytest.fixture(scope="module")
def runs():
    """One run of each method, with products over all entries of X."""
    found = [run.settings for run in load("tested-polar", quick=True).runs() if run.at["m"] == 100 and run.at["seed"] == 0]
    return {settings["solver"]: {**settings, "stop": {**settings["stop"], "max_iterations": 20}} for settings in found}


def test_the_time_of_the_polar_factor_is_a_part_of_the_time_of_the_run(runs):
    found = dict(zip(runs, costs.execute(list(runs.values())), strict=True))
    assert found["lsalm"]["polar_share"] < 0.1, "one, to tell the objective on the manifold"
    assert all(0.01 < found[name]["polar_share"] < 1 for name in ("soc", "radmm"))


def test_products_go_over_all_entries(runs, monkeypatch):
    seen = []
    method = type(costs.solver(runs["lsalm"], costs.spca.instance(runs["lsalm"])[0]))
    step = method.step
    monkeypatch.setattr(method, "step", lambda *given: (seen.append(support(LARGE)), step(*given))[1])
    assert support(LARGE) is not None
    costs.execute([runs["lsalm"]])
    assert seen == [None] * 20


def test_a_profiler_changes_no_result(runs):
    settings = runs["radmm"]
    products = {**settings, "problem": {**settings["problem"], "products": "dense"}}
    (profiled,), (alone,) = costs.execute([settings]), spca.execute([products])
    assert profiled["objective"] == alone["objective"]
    assert profiled["iterations"] == alone["iterations"] == 20


def test_methods_and_numbers_are_those_of_the_table():
    ours, table = (load(name).content for name in ("tested-polar", "table-spca"))
    assert all(given == table["solvers"][name] for name, given in ours["solvers"].items())
    assert all(ours["paper"][name][key] == table["paper"][name][key] for name in ours["solvers"] for key in ("T", "I"))
    assert ours["problem"] == table["problem"]
    assert ours["grid"]["m"] == table["grid"]["m"] == ours["paper"]["m"]
