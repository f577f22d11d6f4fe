"""What is run for each table and figure: ranges, the specs themselves, and the keys of runs."""

import json
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import product

import numpy as np
import pytest

from orthoprox.reproduce.sections import SECTIONS
from orthoprox.reproduce.spec import Run, Spec, load, names, values
from orthoprox.reproduce.studies import STUDIES
from orthoprox.solvers import SOLVERS

IDS = names()
OWN = [name for name in IDS if not load(name).uses]  # those with runs of their own


@cache
def runs_of(name, quick=False):
    return load(name, quick=quick).runs()


# Ranges


def test_ranges_by_step_have_both_ends_and_no_rounding_errors():
    beta = values({"from": 0.01, "to": 1.0, "step": 0.01})
    assert len(beta) == 100
    assert beta == [k / 100 for k in range(1, 101)]
    r = values({"from": 7.0, "to": 66.0, "step": 0.1})
    assert len(r) == 591
    assert (r[0], r[-1], r[3]) == (7.0, 66.0, 7.3)


def test_ranges_of_integers_are_integers():
    seeds = values({"from": 0, "to": 4, "step": 1})
    assert seeds == [0, 1, 2, 3, 4]
    assert all(type(seed) is int for seed in seeds)


def test_ranges_by_count_have_equal_ratios():
    found = values({"from": 0.001, "to": 2.0, "count": 40})
    assert len(found) == 40
    assert (found[0], found[-1]) == (0.001, 2.0)
    ratios = np.array(found[1:]) / np.array(found[:-1])
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-4)
    assert all(type(x) is float for x in found)


def test_lists_are_what_they_are():
    assert values([3, "a", 0.5]) == [3, "a", 0.5]


# Specs


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", IDS)
def test_every_spec_loads_with_words_for_the_reader(name, quick):
    spec = load(name, quick=quick)
    assert spec.id == name
    assert all((spec.title, spec.reference, spec.about))
    assert spec.uses in IDS if spec.uses else spec.study in STUDIES
    assert "quick" not in spec.content


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", OWN)
def test_keys_are_unique_and_solvers_known(name, quick):
    spec, runs = load(name, quick=quick), runs_of(name, quick)
    assert len({run.key for run in runs}) == len(runs) > 0
    assert {run.at["solver"] for run in runs} == set(spec.content["solvers"]) <= set(SOLVERS)
    assert all(run.at["solver"] == run.settings["solver"] for run in runs)


def test_ids_are_those_of_the_sections_in_the_order_of_the_paper():
    assert IDS == list(SECTIONS)
    orders = [load(name).content["order"] for name in IDS]
    assert orders == sorted(set(orders))


@pytest.mark.parametrize("name", OWN)
def test_the_quick_version_has_fewer_or_smaller_runs(name):
    full, quick = runs_of(name), runs_of(name, True)
    assert 0 < len(quick) <= len(full)
    assert len(quick) < len(full) or max(run.at["m"] for run in quick) < min(run.at["m"] for run in full)
    assert {run.at["solver"] for run in quick} == {run.at["solver"] for run in full}


def test_an_unknown_id_gets_the_nearest_one_suggested():
    with pytest.raises(ValueError, match="Did you mean 'table-spca'"):
        load("table-spc")


def test_a_spec_that_uses_another_has_no_runs_of_its_own():
    assert load("fig-spca-scaling").uses == "table-spca"
    assert load("fig-spca-scaling").runs() == []


def small(**content):
    basis = {
        "title": "t",
        "reference": "r",
        "about": "a",
        "study": "spca",
        "problem": {"n": "m // 2", "data": "word"},
        "grid": {"m": [10, 20], "seed": {"from": 0, "to": 2, "step": 1}},
        "solvers": {"soc": {"penalty": 1.0}, "lsalm": {"rho": 2.0, "r": 3.0}},
        "stop": {"below": {"step": 1e-4}, "max_iterations": 5},
    }
    return Spec("small", {**basis, **content})


def test_the_grid_is_the_full_product_for_every_solver():
    places = [(run.at["m"], run.at["seed"], run.at["solver"]) for run in small().runs()]
    assert sorted(places) == sorted(product([10, 20], [0, 1, 2], ["soc", "lsalm"]))


def test_runs_on_one_instance_stand_together():
    places = [(run.at["m"], run.at["seed"]) for run in small().runs()]
    assert places == [place for place in product([10, 20], [0, 1, 2]) for _ in range(2)]


def test_formulas_of_the_problem_see_the_grid_and_words_stay():
    for run in small().runs():
        m = run.at["m"]
        assert run.settings["problem"] == {"n": m // 2, "m": m, "seed": run.at["seed"], "data": "word"}


def test_only_restricts_a_solver_to_a_part_of_the_grid():
    spec = small(solvers={"soc": {"penalty": 1.0, "only": {"m": [20], "seed": [0, 2]}}, "lsalm": {"rho": 2.0}})
    found = Counter(run.at["solver"] for run in spec.runs())
    assert found == {"soc": 2, "lsalm": 6}
    places = {(run.at["m"], run.at["seed"]) for run in spec.runs() if run.at["solver"] == "soc"}
    assert places == {(20, 0), (20, 2)}
    assert all("only" not in run.settings["parameters"] for run in spec.runs())
    full = [run.at for run in load("table-spca").runs() if run.at["solver"] == "pamal"]
    assert full == [{"solver": "pamal", "m": 300, "seed": 0}]
    quick = [run.at for run in load("table-spca", quick=True).runs() if run.at["solver"] == "pamal"]
    assert quick == [{"solver": "pamal", "m": 100, "seed": 0}]


@pytest.mark.parametrize("quick", [False, True])
def test_each_changes_exactly_one_parameter(quick):
    spec = load("fig-qp-range", quick=quick)
    given = spec.content["solvers"]["lsalm"]
    one = [run for run in runs_of("fig-qp-range", quick) if run.at["seed"] == 3]
    count = 10 if quick else 40
    assert Counter(run.at["parameter"] for run in one) == {"baseline": 1, **dict.fromkeys(spec.content["each"], count)}
    for run in one:
        changed = {name: value for name, value in run.settings["parameters"].items() if value != given[name]}
        expected = {} if run.at["parameter"] == "baseline" else {run.at["parameter"]: run.at["value"]}
        assert changed == expected


def test_every_is_the_full_product():
    spec, runs = load("fig-qp-r-beta"), runs_of("fig-qp-r-beta")
    assert len(runs) == 94_560 == 591 * 16 * 10
    places = {(run.at["r"], run.at["beta"], run.at["seed"]) for run in runs}
    assert places == set(product(spec.varied("r"), spec.varied("beta"), range(10)))
    assert all(run.settings["parameters"]["r"] == run.at["r"] for run in runs)
    assert all(run.settings["parameters"]["beta"] == run.at["beta"] for run in runs)


def test_varied_gives_the_values_of_each_and_of_every():
    assert load("fig-qp-rho").varied("rho") == [0.1, 0.2, 0.5, 1.0, 50.0]
    assert len(load("fig-qp-range").varied("lam")) == 40
    assert len(load("fig-qp-beta").varied("beta")) == 100


# Keys


def settings():
    return load("table-spca-rsm", quick=True).runs()[3].settings


def leaves(tree, path=()):
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name)


@pytest.mark.parametrize("path", list(leaves(settings())), ids=".".join)
def test_the_key_depends_on_every_setting(path):
    changed = deepcopy(settings())
    place = changed
    for name in path[:-1]:
        place = place[name]
    before = place[path[-1]]
    place[path[-1]] = before + "x" if isinstance(before, str) else before * 2 + 1
    assert Run({}, changed).key != Run({}, settings()).key
    del place[path[-1]]
    assert Run({}, changed).key != Run({}, settings()).key


def reversed_order(tree):
    return {name: reversed_order(value) if isinstance(value, dict) else value for name, value in reversed(tree.items())}


def test_the_key_depends_neither_on_the_order_of_the_settings_nor_on_the_place():
    turned = reversed_order(settings())
    assert list(turned) != list(settings())
    assert Run({"m": 1}, turned).key == Run({}, settings()).key


@pytest.mark.extended
def test_the_key_is_the_same_in_another_process():
    code = "from orthoprox.reproduce.spec import load; print(*(r.key for r in load('table-spca', quick=True).runs()))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert other.stdout.split() == [run.key for run in load("table-spca", quick=True).runs()]


def test_settings_survive_json_so_that_rows_find_their_runs_again():
    for name in OWN:
        run = load(name, quick=True).runs()[0]
        assert Run(run.at, json.loads(json.dumps(run.settings))).key == run.key
