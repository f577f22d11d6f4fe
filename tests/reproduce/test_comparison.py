"""Numbers of the paper beside those found here, and averages over rows."""

import numpy as np
import pytest

from orthoprox.reproduce.comparison import (
    agreeing,
    apart,
    averages,
    by,
    by_chance,
    converged,
    deviation,
    difference,
    factor,
    fastest,
    mean,
    over,
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
    reasons = {"T": "times", "soc": "that of SOC"}
    found = fastest("m = 3", {"soc": 2.0, "lsalm": 1.0, "radmm": 3.0}, reasons)
    assert (found.what, found.here, found.agrees) == (
        "m = 3: LSALM is the fastest",
        "LSALM 1.00 s < SOC 2.00 s < RADMM 3.00 s",
        True,
    )
    found = fastest("m = 3", {"soc": 0.5, "lsalm": 1.0}, reasons)
    assert (found.here, found.agrees, found.sentence) == ("SOC 0.50 s < LSALM 1.00 s", False, "that of SOC")
    assert fastest("m = 3", {"radmm": 0.5, "lsalm": 1.0}, reasons).sentence == "times"


def timed(**times):
    """Return rows of two instances with these average times, of which the first takes a half of it
    and LSALM's are equal; SOC needs twice as many iterations.
    """
    parts = {name: (1.0, 1.0) if name == "lsalm" else (0.5, 1.5) for name in times}
    count = {name: 20 if name == "soc" else 10 for name in times}
    return {
        name: [row(at={"seed": k}, run_cpu_seconds=time * parts[name][k], iterations=count[name]) for k in (0, 1)]
        for name, time in times.items()
    }


def test_speeds_compare_times_over_that_of_lsalm_with_the_same_method_ahead():
    paper = {"soc": (2.4, 30), "radmm": (1.2, 10), "lsalm": (2.0, 10)}
    reasons = {"T": "times", "soc": "that of SOC"}
    found = speeds("m = 3", paper, timed(soc=12.0, radmm=6.0, lsalm=10.0), reasons, 10)
    assert [(claim.what, claim.agrees, claim.sentence, claim.tested) for claim in found] == [
        ("m = 3: time, SOC/LSALM", True, "", ""),
        ("m = 3: time, RADMM/LSALM", True, "", ""),
    ]
    found = speeds("m = 3", paper, timed(soc=0.9, radmm=0.95, lsalm=1.0), reasons, 10)
    assert [(claim.agrees, claim.sentence) for claim in found] == [(False, "that of SOC"), (False, "times")]
    assert [(claim.paper, claim.here) for claim in found] == [("1.20", "0.90"), ("0.60", "0.95")]
    parts = "iterations over LSALM's are 0.67 times the paper's, times per iteration 1.12; from 2 instances"
    assert found[0].tested.startswith(parts), found[0].tested


def test_time_and_iterations_over_those_of_lsalm():
    pairs = averages(timed(soc=0.9, lsalm=1.0))
    assert pairs == {"soc": (0.9, 20), "lsalm": (1.0, 10)}
    assert over(pairs, "soc") == (0.9, 2)
    assert apart(2, 3) == apart(3, 2) == 1.5


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


def test_an_average_of_further_instances_is_to_be_expected_around_ours():
    """Five instances have the average 3 and the deviation 1.58; Student's quantile is 2.776."""
    width = 2.776 * 1.5811 * (1 / 5 + 1 / 10) ** 0.5
    told = by_chance([5, 1, 2, 4, 3], 5.4, 10, form="{:.2f}")
    expected = f"from 5 instances {3 - width:.2f} to {3 + width:.2f} is to be expected, and the paper's 5.40 is"
    assert told == f"{expected} within that: chance may explain it."
    told = by_chance([5, 1, 2, 4, 3], 5.5, 10, form="{:.2f}")
    assert told.endswith("5.50 is outside of that: chance does not explain it.")
    assert by_chance([3], 3, 10) == "one instance is too few to tell what chance does."


def test_a_ratio_of_averages_that_is_the_same_in_all_instances_leaves_nothing_to_chance():
    told = by_chance([2.0, 4.0, 10.0], 2.01, 10, base=[1.0, 2.0, 5.0], form="{:.2f}")
    assert told.startswith("from 3 instances 2.00 to 2.00 is to be expected")
    assert told.endswith("chance does not explain it.")


def test_the_interval_of_an_average_holds_as_often_as_it_says():
    rng = np.random.default_rng(0)
    inside = [
        "within" in by_chance(list(rng.normal(10, 1, 3)), rng.normal(10, 1, 10).mean(), 10, form="{:.6f}") for _ in range(2000)
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)
