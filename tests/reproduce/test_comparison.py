"""Numbers of the paper beside those found here, and averages over rows."""

import numpy as np
import pytest

from orthoprox.reproduce.comparison import (
    agreeing,
    by,
    by_chance,
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
from orthoprox.reproduce.section import Claim


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


def timed(**times):
    """Return rows of two instances with these average times, of which the first takes a half of it
    and LSALM's are equal.
    """
    parts = {name: (1.0, 1.0) if name == "lsalm" else (0.5, 1.5) for name in times}
    return {
        name: [row(at={"seed": seed}, run_cpu_seconds=time * parts[name][seed]) for seed in (0, 1)]
        for name, time in times.items()
    }


def test_speeds_compare_times_over_that_of_lsalm_with_the_same_method_ahead():
    paper = {"soc": 2.4, "radmm": 1.2, "lsalm": 2.0}
    reasons = {"T": "times", "soc": "that of SOC"}
    found = speeds("m = 3", paper, timed(soc=12.0, radmm=6.0, lsalm=10.0), reasons)
    assert [(claim.what, claim.agrees, claim.sentence) for claim in found] == [
        ("m = 3: time, SOC/LSALM", True, ""),
        ("m = 3: time, RADMM/LSALM", True, ""),
    ]
    assert [claim.tested for claim in found] == ["", ""]
    found = speeds("m = 3", paper, timed(soc=0.9, radmm=0.95, lsalm=1.0), reasons)
    assert [(claim.agrees, claim.sentence) for claim in found] == [(False, "that of SOC"), (False, "times")]
    assert [(claim.paper, claim.here) for claim in found] == [("1.20", "0.90"), ("0.60", "0.95")]
    assert found[1].tested.startswith("the ratios of the 2 instances go from 0.47 to 1.42; the paper's, 0.60, is within")


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
    rows = [row(x=1.0, run_cpu_seconds=1.0, iterations=10), row(x=4.0, run_cpu_seconds=5.0, iterations=20)]
    assert mean(rows, "x") == 2.5
    assert deviation(rows, "x") == pytest.approx(3 / 2**0.5)
    assert np.isnan(deviation(rows[:1], "x"))
    assert per_iteration(rows) == pytest.approx(6 / 30)
    assert per_iteration([row(run_cpu_seconds=1.0, iterations=0)]) == 1.0


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


def test_chance_is_told_by_the_range_of_the_instances():
    told = by_chance([3, 1, 2], 2.5, of="the counts", form="{:.1f}")
    assert told.startswith("the counts of the 3 instances go from 1.0 to 3.0; the paper's, 2.5, is within that range")
    assert told.endswith(": chance may explain it.")
    told = by_chance([3, 1, 2], 3.5, of="the counts", form="{:.1f}", otherwise="No other reason was found.")
    assert told.endswith("3.5, is outside of that range: chance alone does not explain it. No other reason was found.")
