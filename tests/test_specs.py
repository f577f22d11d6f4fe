"""What is run for each table and figure: formulas, ranges, conditions and the specs themselves."""

import json
import math
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import product

import numpy as np
import pytest

import orthoprox as op
from orthoprox.reproduce.condition import Condition
from orthoprox.reproduce.sections import SECTIONS
from orthoprox.reproduce.spec import Run, Spec, load, names, values
from orthoprox.reproduce.studies import STUDIES
from orthoprox.reproduce.studies.formula import evaluate, resolve
from orthoprox.reproduce.studies.study import constants, rule, solver
from orthoprox.solvers import SOLVERS
from orthoprox.stopping import Below, MaxIterations, ObjectiveBelow

NAMES = {"m": 300, "n": 150, "L": 4.0}
IDS = names()
OWN = [name for name in IDS if not load(name).uses]  # those with runs of their own


@cache
def runs_of(name, quick=False):
    return load(name, quick=quick).runs()


# Formulas


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1.5*L", 6.0),
        ("1/(2*L)", 0.125),
        ("1/2*L", 2.0),
        ("m // 2", 150),
        ("round(0.07*sqrt(m*n))", 15),
        ("1e-4*sqrt(m*n)", 1e-4 * math.sqrt(45000)),
        ("1 + 2*3 - 4/8", 6.5),
        ("-L**2", -16.0),
        ("2**3**2", 512),
        ("8 - 4 - 2", 2),
        ("max(m, n, 7)", 300),
        ("min(L, 2) + -1", 1.0),
    ],
)
def test_formulas_have_the_value_of_arithmetic(formula, value):
    assert evaluate(formula, NAMES) == value


@pytest.mark.parametrize(
    "formula",
    [
        "q + 1",  # an unknown name
        "sin(m)",  # an unknown function
        "abs(m)",
        "__import__('os')",
        "eval('1')",
        "m.real",
        "m.real()",
        "(1).bit_length()",
        "'text'",
        "'a' * 3",
        "sqrt('4')",
        "[1, 2]",
        "(1, 2)",
        "m[0]",
        "lambda: 1",
        "m if n else L",
        "m < n",
        "m and n",
        "not m",
        "True",
        "None",
        "1j",
        "max(*[1, 2])",
        "round(m, ndigits=1)",
        "(x := 3)",
        "[x for x in [1]]",
        "f'{m}'",
        "m % n",
        "m @ n",
        "~m",
        "m; n",
        "m n",
        "",
        "1 +",
    ],
)
def test_nothing_but_arithmetic_is_evaluated(formula):
    with pytest.raises(ValueError, match="is not a formula") as caught:
        evaluate(formula, NAMES)
    assert repr(formula) in str(caught.value)
    assert "sqrt" in str(caught.value)


@pytest.mark.parametrize("formula", ["m / (n - 150)", "sqrt(-L)", "1e308 ** 2"])
def test_formulas_without_a_value_are_errors_that_name_them(formula):
    with pytest.raises(ValueError, match="formula") as caught:
        evaluate(formula, NAMES)
    assert repr(formula) in str(caught.value)


def test_resolve_replaces_strings_except_words_and_leaves_the_rest():
    given = {"penalty": "1.5*L", "trial": "restart", "shrink": 0.5, "count": 3}
    assert resolve(given, NAMES, words=("trial",)) == {"penalty": 6.0, "trial": "restart", "shrink": 0.5, "count": 3}
    with pytest.raises(ValueError, match="'restart' is not a formula"):
        resolve(given, NAMES)


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


# Conditions


RUN = Run({"solver": "lsalm", "m": 300, "beta": 0.25}, {})


@pytest.mark.parametrize(
    ("text", "name", "sign", "value"),
    [
        ("m<=500", "m", "<=", 500),
        ("  m  >=  500 ", "m", ">=", 500),
        ("seed<3", "seed", "<", 3),
        ("beta > 1e-2", "beta", ">", 0.01),
        ("value == -.5", "value", "==", -0.5),
        ("solver == lsalm", "solver", "==", "lsalm"),
        ("solver==manpg-ada", "solver", "==", "manpg-ada"),
    ],
)
def test_conditions_are_read(text, name, sign, value):
    found = Condition.parse(text)
    assert (found.name, found.sign, found.value) == (name, sign, value)
    assert Condition.parse(str(found)) == found


@pytest.mark.parametrize("text", ["", "m", "m 500", "m <= ", "<= 500", "m = 500", "m != 5", "m <= 5 5", "3 < m < 5", "m<='a'"])
def test_what_is_not_a_condition_is_named_with_an_example(text):
    with pytest.raises(ValueError, match="is not a condition; it needs a form such as 'm <= 500'") as caught:
        Condition.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [
        ("<", True, False, False),
        ("<=", True, True, False),
        ("==", False, True, False),
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_signs_compare_as_they_do_in_arithmetic(sign, below, equal, above):
    found = [Condition.parse(f"m {sign} 300").holds(Run({"m": m}, {})) for m in (299, 300, 301)]
    assert found == [below, equal, above]


def test_words_are_compared_with_words():
    assert Condition.parse("solver == lsalm").holds(RUN)
    assert not Condition.parse("solver == soc").holds(RUN)


@pytest.mark.parametrize("text", ["m == lsalm", "solver == 3", "solver < 3"])
def test_words_and_numbers_cannot_be_compared(text):
    with pytest.raises(ValueError, match="cannot be compared"):
        Condition.parse(text).holds(RUN)


def test_runs_without_the_coordinate_meet_the_condition():
    assert Condition.parse("frame == 30").holds(RUN)
    assert Condition.parse("frame > word").holds(RUN)


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


# The paper's constants, rules and columns


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


def test_all_nonsmooth_methods_are_compared_at_their_defaults():
    """On both problems at (300, 150), from the same start."""
    spec = load("fig-methods")
    assert list(spec.content["solvers"]) == [name for name, kind in SOLVERS.items() if kind.facts.nonsmooth]
    assert all(given == {} for given in spec.content["solvers"].values())
    assert len(runs_of("fig-methods")) == 2 * len(spec.content["solvers"])
    for data in spec.grid["data"]:
        problems = [run.settings["problem"] for run in runs_of("fig-methods") if run.at["data"] == data]
        assert all(problem == problems[0] for problem in problems)
        assert (problems[0]["m"], problems[0]["n"], problems[0]["seed"]) == (300, 150, 0)
        assert data in problems[0]["mu"]


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


def test_the_key_is_the_same_in_another_process():
    code = "from orthoprox.reproduce.spec import load; print(*(r.key for r in load('table-spca', quick=True).runs()))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert other.stdout.split() == [run.key for run in load("table-spca", quick=True).runs()]


def test_settings_survive_json_so_that_rows_find_their_runs_again():
    for name in OWN:
        run = load(name, quick=True).runs()[0]
        assert Run(run.at, json.loads(json.dumps(run.settings))).key == run.key
