"""Sections of the report: rows that are the paper's agree with it, others do not."""

from copy import deepcopy

import numpy as np
import pytest

from orthoprox.reproduce import comparison
from orthoprox.reproduce.comparison import (
    select,
)
from orthoprox.reproduce.sections import SECTIONS, scaling
from orthoprox.reproduce.spec import load
from paper_rows import FIGURES, IDS, MAKERS, OURS, PAPER, TABLES, rows_of, section, shortened, source


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
    rows = changed(rows_of("table-spca"), 0.01, "run_cpu_seconds", solver="radmm", m=600)
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
    """The first method needs a second for each power of ten; a method that does not get there has a
    dash.
    """
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


def test_the_default_call_stands_beside_lsalm_on_the_same_instances():
    made = section("table-default", rows_of("table-default"))
    assert made.verdict.startswith("The whole call takes 0.10 to 0.10 times the time of LSALM's run and ends lower on 54 of 60")
    lsalm, call = ("10.00", "100", "-100.00", "99.00"), ("1.00", "100", "-100.90", "99.00")
    assert made.tables[0].rows[0] == ("300", "10", *lsalm, *call, "0.10", "9", "0")
    made = section("table-default", rows_of("table-default", far=True))
    assert made.verdict.endswith("ends lower on 0 of 60 instances, higher on 54.")


def test_every_method_of_the_picture_has_a_look_of_its_own():
    axes = section("fig-methods", rows_of("fig-methods")).figures["fig-methods"].axes[0]
    named = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert len({line.get_color() for line in named}) == len(named) >= 16


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


def test_exponents_are_fitted_seed_by_seed():
    """The time of seed 0 grows as m, that of seed 1 as m^3; seed 2 lacks a size."""
    groups = {
        m: {
            name: [{"at": {"seed": k}, "run_cpu_seconds": float(m ** (1 + 2 * k)), "iterations": m} for k in range(seeds)]
            for name in scaling.SOLVERS
        }
        for m, seeds in ((300, 2), (600, 3))
    }
    found = scaling._by_seed(groups)
    np.testing.assert_allclose(found["T", "soc"], [1, 3])
    np.testing.assert_allclose(found["T/I", "lsalm"], [0, 2], atol=1e-9)
