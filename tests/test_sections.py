"""Sections of the report: rows that are the paper's agree with it, others do not, and few of them are enough."""

from copy import deepcopy
from functools import cache

import numpy as np
import pytest

from orthoprox.reproduce import comparison
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.comparison import (
    agreeing,
    by,
    converged,
    deviation,
    difference,
    factor,
    fastest,
    mean,
    per_iteration,
    select,
    shared,
    speeds,
    statement,
    trapped,
)
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.run import Item
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.sections import SECTIONS
from orthoprox.reproduce.spec import Spec, load

IDS = list(SECTIONS)
OURS = ["fig-methods"]  # which the paper does not have
PAPER = [name for name in IDS if name not in OURS]
TABLES = ["table-spca", "fig-spca-scaling", "table-spca-rsm", "table-matching"]
FIGURES = [name for name in PAPER if name not in TABLES]
STEPS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 20000]  # recorded iterations


# Rows that say what the paper says, and rows that say the opposite


def shortened(name, quick=False):
    """Return a spec; the figures with fewer instances, and the map, which has 94,560 runs, with fewer pairs."""
    spec = load(name, quick=quick)
    if name not in FIGURES:
        return spec
    content = deepcopy(dict(spec.content))
    content["grid"]["seed"] = {"from": 0, "to": min(19, max(spec.grid["seed"])), "step": 1}
    if name == "fig-qp-r-beta":
        content["every"] = {"r": {"from": 7.0, "to": 66.0, "step": 5.9}, "beta": {"from": 0.1, "to": 0.25, "step": 0.03}}
    if name == "fig-qp-range":
        content["each"] = {key: {**given, "count": 10} for key, given in spec.content["each"].items()}
    return Spec(name, content)


@cache
def runs_of(name, quick=False):
    return source(name, quick).runs()


def source(name, quick=False):
    spec = load(name, quick=quick)
    return shortened(spec.uses or name, quick)


def from_table(spec, run, far):
    """Return the paper's entry in the column of a method."""
    at, axis = run.at, "frame" if "frame" in run.at else "m"
    if at["solver"] not in spec.paper:
        return {"iterations": 9000, "cpu_seconds": 60.0, "objective": -118.0, "sparsity": 0.99, "feasibility": 1e-5}
    k = spec.paper[axis].index(at[axis]) if at[axis] in spec.paper[axis] else 0
    entry = {column: values[k] for column, values in spec.paper[at["solver"]].items()}
    spread = 1 if at["seed"] % 2 else -1  # of the seeds, around the average
    time = entry["T"] * (100 if far and at["solver"] == "lsalm" else 1)
    found = {"iterations": entry["I"] * (10 if far else 1), "cpu_seconds": time, "seconds": time, "feasibility": 1e-6}
    if "Obj" in entry:
        found["objective"] = entry["Obj"] * (1.2 if far else 1)
    if "S" in entry:
        found["sparsity"] = entry["S"] / 100 - (0.05 if far else 0)
    if "F" in entry:
        found["objective"] += 0.5 * spread
        found |= {"f_measure": entry["F"] + 0.02 * spread - (0.5 if far else 0), "permutation": at["seed"] % 4 != 0}
    if "start" in at:
        found |= {"distance": 1e-3, "objective": -1.0, "start_objective": 0.0, "sparsity": 0.99}
    return found


def of_range(spec, run, far):
    return {"iterations": 200, "fails": far and run.at["seed"] == 0}


def of_beta(spec, run, far):
    beta = run.at["beta"]
    return {"iterations": round(1000 * beta if far else 100 / beta), "fails": not far and beta > spec.paper["threshold"]}


def of_map(spec, run, far):
    r, beta = run.at["r"], run.at["beta"]
    height = (66 - r if far else r - 7) / 59
    return {"iterations": round(1e4 * beta / r if far else 10 * r / beta), "fails": beta > 0.1 + 0.15 * height + 1e-9}


def of_rho(spec, run, far):
    rho, eps = run.at["rho"], run.at["eps"]
    speed = {0.1: 0, 0.2: 1e-3, 0.5: 2e-3, 1.0: 1e-2, 50.0: 1e-3}[rho]  # of the decay
    if far:
        speed = {0.1: 5e-3, 0.2: 2e-2, 0.5: 1e-2, 1.0: 5e-3, 50.0: 5e-4}[rho]
    first = 1.0 if rho < 50 or far else 0.05
    floor = 3 * eps
    constraint = [first * float(np.exp(-speed * k)) + floor for k in STEPS]
    found = {"at_iterations": STEPS, "constraint": constraint, "update": [x / 10 for x in constraint]}
    return {"iterations": STEPS[-1], "feasibility": constraint[-1], "floor": floor * (5 if far else 1), **found}


def of_methods(spec, run, far):
    """Each method reaches 1e-8 in steps of a factor ten, the later ones later; or none does."""
    place = 1 + list(spec.content["solvers"]).index(run.at["solver"])
    certificates = [1.0, 0.3, 0.5, 0.2] if far else [10.0**-k for k in range(9)]
    found = {"at_iterations": list(range(len(certificates))), "at_seconds": [place * (k + 1) for k in range(len(certificates))]}
    return {**found, "certificates": certificates, "projected_objective": -place / 7, "iterations": len(certificates)}


MAKERS = {
    "fig-qp-range": of_range,
    "fig-qp-beta": of_beta,
    "fig-qp-r-beta": of_map,
    "fig-qp-rho": of_rho,
    "fig-methods": of_methods,
}


def rows_of(name, quick=False, far=False, keep=lambda run: True):
    """Return rows for some runs of a spec: as the paper has them, or far from it."""
    spec, make = source(name, quick), MAKERS.get(name, from_table)
    rows = []
    for run in filter(keep, runs_of(name, quick)):
        found = make(spec, run, far)
        fails = found.pop("fails", False)
        status = {"status": "ITERATIONS" if fails else "CONVERGED", "zero_columns": int(fails)}
        rows.append({"key": run.key, "at": run.at, "state": State.DONE, **status, **found})
    return rows


def section(name, rows, quick=False):
    made = SECTIONS[name](shortened(name, quick), rows, quick)
    draw(made)
    return made


def draw(made):
    """Draw the figures, which must have something in all of their axes."""
    for figure in made.figures.values():
        figure.draw_without_rendering()
        assert figure.axes
        for axes in figure.axes:
            assert axes.lines or axes.collections or axes.patches or axes.images, axes.get_title()


def says(name, rows, quick=False):
    """Return the section, or None where it says that the rows are too few for it."""
    try:
        return section(name, rows, quick)
    except IncompleteError as missing:
        return None if str(missing) else pytest.fail("It does not say what is missing.")


def test_every_section_has_rows_here():
    assert set(TABLES) <= set(IDS)
    assert set(FIGURES + OURS) == set(MAKERS)


@pytest.mark.parametrize("name", IDS)
def test_sections_say_what_is_shown(name):
    spec, made = load(name), section(name, rows_of(name))
    assert (made.id, made.title, made.reference, made.about) == (spec.id, spec.title, spec.reference, spec.about)
    assert made.verdict
    assert bool(made.claims) is (name in PAPER)
    assert set(made.captions) == set(made.figures)
    assert all(made.captions.values())
    assert bool(made.figures) is name.startswith("fig-")
    assert bool(made.tables) or name.startswith("fig-")
    assert all(table.rows for table in made.tables)
    assert all(claim.what and claim.paper and claim.here for claim in made.claims)
    assert len({claim.what for claim in made.claims}) == len(made.claims)


@pytest.mark.parametrize("name", PAPER)
def test_rows_that_are_the_paper_s_agree_with_it(name):
    made = section(name, rows_of(name))
    differing = [(claim.what, claim.paper, claim.here) for claim in made.claims if claim.agrees is not True]
    assert differing == []
    assert all(claim.sentence == "" for claim in made.claims if claim.agrees)


@pytest.mark.parametrize("name", PAPER)
def test_rows_far_from_the_paper_s_differ_with_a_sentence(name):
    made = section(name, rows_of(name, far=True))
    differing = [claim for claim in made.claims if claim.agrees is False]
    assert len(differing) >= max(1, len(made.claims) // 4)
    assert [claim.what for claim in differing if not claim.sentence] == []
    assert all(claim.sentence == "" for claim in made.claims if claim.agrees)


@pytest.mark.parametrize("name", ["table-spca", "table-spca-rsm", "table-matching"])
def test_each_kind_of_claim_of_a_table_finds_its_own_difference(name):
    made = section(name, rows_of(name, far=True))
    kinds = ["is the fastest", "/LSALM", "iterations"] + (["objective"] if name != "table-spca-rsm" else [])
    kinds += ["sparsity"] if name == "table-spca" else ["F-measure"] if name == "table-matching" else []
    for kind in kinds:
        found = [claim for claim in made.claims if kind in claim.what]
        assert found
        assert any(claim.agrees is False for claim in found), kind


def changed(rows, factor, quantity, **at):
    chosen = {id(row) for row in select(rows, **at)}
    return [{**row, quantity: row[quantity] * factor} if id(row) in chosen else row for row in rows]


def test_a_change_of_one_entry_changes_the_claims_on_it_alone():
    rows = changed(rows_of("table-spca"), 10, "iterations", solver="soc", m=500)
    differing = {claim.what for claim in section("table-spca", rows).claims if not claim.agrees}
    assert differing == {"m = 500: SOC, iterations"}


def test_another_method_that_is_fastest_is_named():
    rows = changed(rows_of("table-spca"), 0.01, "cpu_seconds", solver="radmm", m=600)
    made = section("table-spca", rows)
    differing = {claim.what: claim for claim in made.claims if not claim.agrees}
    assert {"m = 600: LSALM is the fastest", "m = 600: time, RADMM/LSALM"} <= set(differing)
    assert differing["m = 600: LSALM is the fastest"].here.startswith("RADMM 0.44 s < LSALM 19.70 s")
    assert "at 5 of 6 sizes" in made.verdict


def test_tables_show_the_averages_of_the_rows():
    (table, *_) = section("table-spca", rows_of("table-spca")).tables
    lines = {line[0]: line for line in table.rows}
    assert list(lines) == ["300", "400", "500", "600", "700", "800"]
    assert lines["300"][1:6] == ("33.5", "504", f"{33.5 / 504:.4f}", "-117.9", "99.32")
    assert lines["800"][16:] == ("41.0", "1731", f"{41 / 1731:.4f}", "-325.0", "99.70")


def test_curves_of_the_methods_are_the_best_so_far_and_told_by_their_times():
    """The first method needs a second for each power of ten; a method that does not get there has a dash."""
    made = section("fig-methods", rows_of("fig-methods"))
    first = {table.title.split(":")[0]: table.rows[0] for table in made.tables}
    line = ("Adaptive LSALM", "1e-08", "5.00", "7.00", "9.00", "9", "-0.143", "converged")
    assert first == {"Sparse PCA": line, "Compressed modes": line}
    assert [row[0] for row in made.tables[0].rows] == [
        comparison.METHODS[name] for name in load("fig-methods").content["solvers"]
    ]
    told = "16 of 16 methods reach a certificate of 1e-06 within 60 s, Adaptive LSALM first, in 7 s."
    assert made.verdict == f"Sparse PCA: {told} Compressed modes: {told}"
    assert [len(axes.lines) for axes in made.figures["fig-methods"].axes] == [32, 32]  # curves and their ends

    made = section("fig-methods", rows_of("fig-methods", far=True))
    assert made.tables[1].rows[2][1:5] == ("2e-01", "-", "-", "12.00")
    assert "0 of 16 methods reach a certificate of 1e-06 within 60 s." in made.verdict
    (curve, *_) = made.figures["fig-methods"].axes[0].lines
    np.testing.assert_array_equal(curve.get_ydata(), [0.3, 0.3, 0.2])
    np.testing.assert_array_equal(curve.get_xdata(), [2, 3, 4])


def test_every_method_of_the_picture_has_a_look_of_its_own():
    axes = section("fig-methods", rows_of("fig-methods")).figures["fig-methods"].axes[0]
    named = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert len({line.get_color() for line in named}) == len(named) == 16


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", IDS)
def test_sections_are_pure_functions(name, quick):
    spec, rows = shortened(name, quick), rows_of(name, quick)
    before = deepcopy(rows)
    first, second = (SECTIONS[name](spec, rows, quick) for _ in range(2))
    assert rows == before
    assert spec == shortened(name, quick)
    assert (first.verdict, first.claims, first.tables, first.remarks) == (
        second.verdict,
        second.claims,
        second.tables,
        second.remarks,
    )


@pytest.mark.parametrize("name", IDS)
def test_the_order_of_the_rows_does_not_matter(name):
    rows = rows_of(name)
    first, turned = (SECTIONS[name](shortened(name), each, False) for each in (rows, rows[::-1]))
    assert [(claim.what, claim.agrees) for claim in first.claims] == [(claim.what, claim.agrees) for claim in turned.claims]
    assert [table.header for table in first.tables] == [table.header for table in turned.tables]


@pytest.mark.parametrize("name", IDS)
def test_the_reduced_size_is_shown(name):
    made = section(name, rows_of(name, quick=True), quick=True)
    assert made.tables or made.figures
    assert made.verdict
    if name in TABLES:
        assert made.claims == (), "numbers of other sizes are not compared"


# Few rows


PARTS = {
    "no rows": lambda run: False,
    "one seed": lambda run: run.at["seed"] == 0,
    "another seed": lambda run: run.at["seed"] == 3,
    "two seeds": lambda run: run.at["seed"] < 2,
    "later seeds": lambda run: run.at["seed"] > 7,
    "one method": lambda run: run.at["solver"] == "lsalm",
    "no lsalm": lambda run: run.at["solver"] != "lsalm",
    "without the first method": lambda run: run.at["solver"] not in ("manpg-ada", "rgd"),
    "one size": lambda run: run.at.get("m", 400) == 400 and run.at.get("frame", 60) == 60,
    "methods on different seeds": lambda run: (run.at["seed"] < 5) == (run.at["solver"] == "lsalm"),
    "one start": lambda run: run.at.get("start", "euclidean") == "euclidean",
    "baseline": lambda run: run.at.get("parameter", "baseline") == "baseline",
    "no baseline": lambda run: run.at.get("parameter") != "baseline",
    "one parameter": lambda run: run.at.get("parameter", "rho") in ("rho", "baseline"),
    "small beta": lambda run: run.at.get("beta", 0) <= 0.13,
    "large beta": lambda run: run.at.get("beta", 1) > 0.16,
    "one beta": lambda run: run.at.get("beta", 0.1) == 0.1,
    "one r": lambda run: run.at.get("r", 7.0) == 7.0,
    "one pair": lambda run: (run.at.get("r", 7.0), run.at.get("beta", 0.1)) == (7.0, 0.1),
    "one rho": lambda run: run.at.get("rho", 0.5) == 0.5,
    "large rho": lambda run: run.at.get("rho", 1.0) >= 1.0,
    "large eps": lambda run: run.at.get("eps", 1e-4) > 1e-8,
    "holes": lambda run: int(run.key, 16) % 3 == 0,
    "few": lambda run: int(run.key, 16) % 50 == 0,
}


def parts():
    """Yield the specs with the parts that leave out some of their rows."""
    for name in IDS:
        for part, keep in PARTS.items():
            if not all(map(keep, runs_of(name))):
                yield name, part


@pytest.mark.parametrize(("name", "part"), list(parts()))
def test_few_rows_make_a_section_or_say_what_is_missing(name, part):
    made = says(name, rows_of(name, keep=PARTS[part]))
    if part == "no rows":
        assert made is None
    if made is not None:
        assert isinstance(made, Section)
        assert made.verdict
        assert not any("nan" in text for claim in made.claims if claim.agrees is not None for text in (claim.here, claim.what))
        assert not any("nan" in text for text in (made.verdict, *made.remarks, *made.captions.values()))


def test_one_size_is_a_table_with_one_line_but_no_slope():
    rows = rows_of("table-spca", keep=PARTS["one size"])
    made = section("table-spca", rows)
    assert [line[0] for line in made.tables[0].rows] == ["400"]
    assert all(claim.agrees for claim in made.claims)
    with pytest.raises(IncompleteError, match="two sizes"):
        section("fig-spca-scaling", rows)


def failed(rows):
    """Return the rows with none that converged, some with numbers that are not finite."""
    ends = {"status": "ITERATIONS", "zero_columns": 1, "iterations": 30_000, "distance": 1.0}
    if "constraint" in rows[0]:
        ends |= {"feasibility": None, "floor": None, "constraint": [1.0] + [None] * 9, "update": [1.0] + [None] * 9}
    if "certificates" in rows[0]:
        ends |= {"certificates": [1.0, *[None] * (len(rows[0]["certificates"]) - 1)], "projected_objective": None}
    return [{**row, **ends} for row in rows]


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", IDS)
def test_runs_that_all_failed_make_a_section(name, quick):
    made = says(name, failed(rows_of(name, quick)), quick)
    if made is not None and name in FIGURES:
        assert any(claim.agrees is not True for claim in made.claims)


@pytest.mark.parametrize("k", [0, -1])
@pytest.mark.parametrize("name", FIGURES + OURS)
def test_one_run_without_finite_numbers_is_no_obstacle(name, k):
    rows = rows_of(name)
    rows[k : k + 1 or None] = failed([rows[k]])
    assert says(name, rows) is not None


class Rows(Ledger):
    """Has the rows it is given."""

    def __init__(self, rows):
        self.given = rows

    def rows(self, runs):
        return self.given


def item(name, rows):
    return Item(shortened(name, True), runs_of(name, True), Rows(rows))


def errors(rows):
    return [
        {key: row[key] for key in ("key", "at", "state")} | {"status": "ERROR", "message": "ValueError: no"} for row in rows
    ]


@pytest.mark.parametrize("name", IDS)
def test_errors_are_left_out_and_told(name):
    rows = rows_of(name, quick=True)
    made = reproduce.section(item(name, [*rows[:-2], *errors(rows[-2:])]), quick=True)
    draw(made)
    assert "Error: ValueError: no" in made.remarks
    assert any("error 2" in remark for remark in made.remarks)
    assert made.tables or made.figures


@pytest.mark.parametrize("name", IDS)
def test_nothing_but_errors_is_a_section_that_says_so(name):
    made = reproduce.section(item(name, errors(rows_of(name, quick=True))), quick=True)
    assert made.verdict.startswith("Not shown yet: ")
    assert "Error: ValueError: no" in made.remarks
    assert (made.figures, made.tables, made.claims) == ({}, (), ())


# The functions of comparison


def row(status="CONVERGED", at=None, **others):
    return {"status": status, "at": at or {}, **others}


@pytest.mark.parametrize(("here", "agrees"), [(10.0, True), (15.0, True), (15.1, False), (6.7, True), (6.6, False)])
def test_factor_agrees_within_its_bound_on_both_sides(here, agrees):
    found = factor("w", 10.0, here, 1.5, form="{:.1f}", reason="why")
    assert (found.what, found.paper, found.here) == ("w", "10.0", f"{here:.1f}")
    assert found.ratio == pytest.approx(here / 10)
    assert found.agrees is agrees
    assert found.sentence == ("" if agrees else "why")


@pytest.mark.parametrize(("here", "agrees"), [(-10.0, True), (-9.5, True), (-10.5, True), (-9.4, False), (10.0, False)])
def test_difference_agrees_within_its_bound_on_both_sides(here, agrees):
    found = difference("w", -10.0, here, 0.5, reason="why")
    assert (found.paper, found.here, found.ratio) == ("-10.0", f"{here:.1f}", here / -10)
    assert found.agrees is agrees
    assert found.sentence == ("" if agrees else "why")


def test_numbers_that_are_not_known_do_not_agree():
    assert factor("w", 1.0, float("nan"), 1.5).agrees is False
    assert difference("w", 1.0, float("nan"), 1.5).agrees is False


@pytest.mark.parametrize(("agrees", "sentence"), [(True, ""), (None, ""), (False, "why")])
def test_a_statement_gives_its_reason_where_it_does_not_hold(agrees, sentence):
    found = statement("w", "yes", "no", agrees, reason="why")
    assert (found.agrees, found.sentence, found.ratio) == (agrees, sentence, None)


def test_fastest_orders_the_methods():
    found = fastest("m = 3", {"soc": 2.0, "lsalm": 1.0, "radmm": 3.0}, "why")
    assert (found.what, found.here, found.agrees) == (
        "m = 3: LSALM is the fastest",
        "LSALM 1.00 s < SOC 2.00 s < RADMM 3.00 s",
        True,
    )
    found = fastest("m = 3", {"soc": 0.5, "lsalm": 1.0}, "why")
    assert (found.here, found.agrees, found.sentence) == ("SOC 0.50 s < LSALM 1.00 s", False, "why")


def test_speeds_compare_times_over_that_of_lsalm_with_the_same_method_ahead():
    paper = {"soc": 2.4, "radmm": 1.2, "lsalm": 2.0}
    reasons = {"T": "times", "soc": "that of SOC"}
    found = speeds("m = 3", paper, {"soc": 12.0, "radmm": 6.0, "lsalm": 10.0}, reasons)
    assert [(claim.what, claim.agrees, claim.sentence) for claim in found] == [
        ("m = 3: time, SOC/LSALM", True, ""),
        ("m = 3: time, RADMM/LSALM", True, ""),
    ]
    found = speeds("m = 3", paper, {"soc": 0.9, "radmm": 0.95, "lsalm": 1.0}, reasons)
    assert [(claim.agrees, claim.sentence) for claim in found] == [(False, "that of SOC"), (False, "times")]
    assert [(claim.paper, claim.here) for claim in found] == [("1.20", "0.90"), ("0.60", "0.95")]


def test_agreeing_counts_what_is_decided():
    claims = [Claim("", "", "", agrees=agrees) for agrees in (True, True, False, None)]
    assert agreeing(claims) == "2 of 3 comparisons with the paper agree."
    assert agreeing(claims[3:]) == agreeing([]) == ""


def test_select_takes_the_rows_at_a_place():
    rows = [row(at={"m": m, "solver": solver}) for m in (1, 2) for solver in "ab"]
    assert select(rows, m=1) == rows[:2]
    assert select(rows, m=2, solver="b") == rows[3:]
    assert select(rows) == rows
    assert select(rows, k=1) == []


def test_shared_takes_the_seeds_that_all_methods_have():
    rows = [
        row(at={"m": 1, "solver": solver, "seed": seed})
        for solver, seeds in (("a", (0, 1, 2)), ("b", (1, 2, 3)))
        for seed in seeds
    ]
    found = shared(rows, ("a", "b"), m=1)
    assert {name: [each["at"]["seed"] for each in group] for name, group in found.items()} == {"a": [1, 2], "b": [1, 2]}
    assert shared(rows, ("a", "c")) == {"a": [], "c": []}
    assert shared(rows, ("a", "b"), m=2) == {"a": [], "b": []}


def test_averages():
    rows = [row(x=1.0, cpu_seconds=1.0, iterations=10), row(x=4.0, cpu_seconds=5.0, iterations=20)]
    assert mean(rows, "x") == 2.5
    assert deviation(rows, "x") == pytest.approx(3 / 2**0.5)
    assert np.isnan(deviation(rows[:1], "x"))
    assert per_iteration(rows) == pytest.approx(6 / 30)
    assert per_iteration([row(cpu_seconds=1.0, iterations=0)]) == 1.0


@pytest.mark.parametrize("status", ["ITERATIONS", "STALLED", "DIVERGED", "ERROR"])
def test_only_converged_is_converged(status):
    assert converged(row())
    assert not converged(row(status))


def test_trapped_counts_zero_columns_among_the_failed():
    rows = [row(zero_columns=0), row("STALLED", zero_columns=2), row("ITERATIONS", zero_columns=0)]
    assert trapped(rows).startswith("1 of the 2 runs that did not converge ended with a column of X that is exactly zero")
    assert trapped(rows[:1]) == "All runs converged."


def test_by_groups_by_place():
    rows = [row(at={"seed": seed}) for seed in (3, 12, 5)]
    assert by(rows, lambda at: at["seed"] // 10) == {0: [rows[0], rows[2]], 1: [rows[1]]}


def test_every_method_of_the_specs_has_a_name():
    assert {solver for name in IDS for solver in source(name).content["solvers"]} <= set(comparison.METHODS)
    assert comparison.METHODS["manpg-ada"] == "ManPG-Ada"


def test_the_fast_interval_leaves_out_values_that_need_more_than_110_percent():
    rows = rows_of("fig-qp-range", quick=True)
    for each in rows:
        slow = each["at"]["parameter"] == "r" and each["at"]["value"] > 10
        each |= {"status": "CONVERGED", "iterations": 200 if slow else 100}
    (table,) = section("fig-qp-range", rows, quick=True).tables
    cells = {line[0]: line for line in table.rows}
    assert cells["r"][2].endswith("200*")
    assert float(cells["r"][3].split(" to ")[1]) < 10
    assert cells["beta"][2] == cells["beta"][3]


def test_an_instance_counts_only_where_all_methods_end_at_the_point_of_the_baseline():
    rows = rows_of("table-spca-rsm", quick=True)
    for each in rows:
        each["distance"] = 0.5 if each["at"]["solver"] == "soc" and each["at"]["seed"] == 1 else 0.001
        each["iterations"] = 1000 if each["at"]["seed"] == 1 else 10
    table = section("table-spca-rsm", rows, quick=True).tables[0]
    assert {line[1] for line in table.rows} == {"1 of 2"}
    assert {line[3] for line in table.rows} == {"10"}


def test_a_limit_of_beta_that_goes_up_and_down_does_not_grow_with_r():
    rows = rows_of("fig-qp-r-beta", quick=True)
    spec = source("fig-qp-r-beta", quick=True)
    r, beta = spec.varied("r"), spec.varied("beta")
    for each in rows:
        k = r.index(each["at"]["r"])
        limit = beta[-1] if k == len(r) - 1 else beta[1 + k % 2]
        each["status"] = "CONVERGED" if each["at"]["beta"] <= limit else "STALLED"
    claim = section("fig-qp-r-beta", rows, quick=True).claims[0]
    assert claim.agrees is False
    assert "rises" in claim.sentence
