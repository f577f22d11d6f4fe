"""The page of the suite, from rows whose numbers are easy to check."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks.studies.page import fill
from benchmarks.studies.rows import Rows
from benchmarks.suite.cases import settings
from benchmarks.suite.page import block, budgets, page

from benchmarks.suite import best, compare, goals

WHO = {"minimize": 0.05, "before": 1.0}


def row(objective, units=0.05, *, part="heldout", converged=True):
    return {
        "parts": [part],
        "start": "auto",
        "objective": objective,
        "units": units,
        "converged": converged,
        "status": "CONVERGED" if converged else "ITERATIONS",
        "work": {"gradients": 30},
        "phases": {"run": [3.0, 10], "lower minima": [1.0, 10]},
    }


def of(*rows):
    return [{"study": "tables", "case": f"digits {k}", **one} for k, one in enumerate(rows)]


@pytest.fixture
def kept(tmp_path):
    """Ours is as low as before on one case, lower on another, higher on a third, which a peer
    failed.
    """
    found = {"minimize": [row(-2.0), row(-3.0, 0.2), row(-1.0, 4.0, converged=False)]}
    found["before"] = [row(-2.0, 1.0), row(-2.5, 2.0), row(-1.1, 3.0)]
    found["peers"] = [{"who": "cdopt", "start": "pca", "objective": value} for value in (-1.9, -2.9, None)]
    rows = {}
    for who, own in found.items():
        rows[who] = Rows(tmp_path / f"{who}.jsonl")
        for k, one in enumerate(own):
            rows[who].append(SimpleNamespace(at={"study": "tables", "case": f"digits {k}"}), [one])
    return rows


def test_the_page_compares_with_everyone(kept):
    text = page(kept, {"digits 0": -2.0, "digits 1": -3.0, "digits 2": -1.1}, settings())
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    assert ["tables, held out", "this version", "0.200", "4.000", "4.000", "2 of 3"] in lines
    assert ["tables, held out", "best known", "2 of 3", "0 of 3"] in lines
    assert ["tables, held out", "before", "2 of 3", "1 of 3"] in lines
    assert ["tables, held out", "peers", "2 of 2", "2 of 2"] in lines
    assert ["tables, held out", "75 %, 50 %", "25 %, 50 %"] in lines
    disappointing = ["digits 2", "4.000", "3.000", "30", "-1", "9.1e-02", "9.1e-02", "", "**iterations**"]
    assert disappointing in lines


def test_the_table_of_the_readme_leaves_out_what_methods_are_tuned_on(kept):
    kept["minimize"].append(SimpleNamespace(at={"study": "tables", "case": "wine"}), [row(-1.0, part="tuning")])
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block(kept, 1e-6).splitlines()]
    assert lines[2:] == [["tables, held out", "2 of 3", "0.20", "2.00", "2 of 3; worst +9e-02", "2 of 2; worst -3e-02"]]


def test_the_readme_has_a_place_for_it():
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert "\na new table\n" in fill(readme, "a new table", "tables")
    assert fill("a\n<!-- tables -->\nold\n<!-- end -->\nb", "new", "tables") == "a\n<!-- tables -->\nnew\n<!-- end -->\nb"


def test_targets_are_those_of_the_held_out_part():
    rows = {"minimize": of(row(-1.0), row(-1.0, part="tuning", converged=False), row(-1.0, 0.5))}
    found = {goal.claim: goal for goal in goals.goals(rows, settings())}
    assert found["tables that converge"].found == "2 of 2"
    assert found["tables, units, median"].met
    assert not found["tables, units, 90th percentile"].met


def test_what_is_equal_is_not_above_and_not_below():
    rows = of(row(-1.0), row(-1.0 + 2e-6), row(-1.0 - 2e-6), row(1.0 - 5e-7))
    others = {"digits 0": -1.0, "digits 1": -1.0, "digits 2": -1.0, "digits 3": 1.0}
    assert compare.count(rows, others, 1e-6) == ("3 of 4", "1 of 4")


def test_quantiles_are_values():
    assert [compare.quantile(range(1, 11), share) for share in (0.5, 0.9, 1.0)] == [5, 9, 10]


def test_the_best_known_is_only_lowered(tmp_path):
    file = tmp_path / "best.json"
    assert best.lower(of(row(-1.0), row(-2.0)), file) == ["digits 0", "digits 1"]
    assert best.lower(of(row(-0.5), row(-2.0 - 1e-12), row(None)), file) == []
    assert best.lower(of(row(-1.5)), file) == ["digits 0"]
    assert best.read(file) == {"digits 0": -1.5, "digits 1": -2.0}


def test_a_random_start_is_compared_with_the_best_of_its_problem():
    rows = [{"study": "modes", "case": f"modes 256, n = 4, mu = 0.1{seed}", **row(2.0)} for seed in ("", ", seed 7")]
    rows[1]["objective"] = 2.5
    assert compare.lowest(rows) == {"modes 256, n = 4, mu = 0.1": 2.0}
    assert compare.gaps(rows, compare.lowest(rows)) == [0.0, 0.25]


def families(value, *, part="heldout", **more):
    return [{"study": "families", "case": f"AR(1), seed {k}", **row(value, part=part), **more} for k in range(4)]


def test_a_seed_is_lost_to_a_single_peer_at_its_best_start():
    """Two peers that win two seeds each have not won four; 1e-4 is of max(1, |f|)."""
    peers = [dict(one, who=who, start=start) for who in ("a", "b") for start in ("x", "y") for one in families(1.0)]
    for one in peers:
        del one["parts"]
    peers[0]["objective"] = peers[5]["objective"] = peers[10]["objective"] = peers[15]["objective"] = -0.5
    for value, number in ((-0.5 + 5e-5, 0), (-0.5 + 2e-4, 2)):
        rows = {"minimize": families(value), "minimize-thorough": families(value), "peers": peers}
        found = [goal for goal in goals.goals(rows, settings()) if "lost" in goal.claim]
        assert [goal.found for goal in found] == [f"AR(1): {number}"] * 2
        assert all(goal.met for goal in found)
    rows["minimize-thorough"] = families(1.1)  # above all
    found = [goal for goal in goals.goals(rows, settings()) if "lost" in goal.claim]
    assert [goal.met for goal in found] == [True, False]


def test_larger_problems_are_compared_with_before_size_by_size():
    """A ratio for each case that both have, its median for each size."""
    ours, before = (
        [
            {"study": "large", "case": f"large {m}, n = 2, seed {k}", **row(-1.0, units=units)}
            for m, own in sizes.items()
            for k, units in enumerate(own)
        ]
        for sizes in ({500: (1.0, 2.0, 9.0, 7.0), 800: (3.0,)}, {500: (2.0, 2.0, 3.0), 800: (2.0,)})
    )
    found = goals._large(ours, before, 1.0)
    assert [(one.claim.split(":")[0], one.found, one.met) for one in found] == [
        ("large 500", "1", True),
        ("large 800", "1.5", False),
    ]
    assert goals._large(ours, [], 1.0) == []


def test_calls_with_a_budget_are_compared_with_the_run_whose_time_they_have():
    rows = [{"who": "pystop", "budget": 0.05, "objective": ours, "theirs": -2.0} for ours in (-2.0, -2.1, -1.9)]
    rows += [{"who": "cdopt", "budget": seconds, "objective": -2.0, "theirs": -2.0} for seconds in (0.1, 0.4, 0.2)]
    (target,) = goals._budgets(rows, 0.9, 1e-6)
    assert (target.found, target.met) == ("5 of 6", False)
    assert goals._budgets(rows, 0.8, 1e-6)[0].met
    assert goals._budgets([], 0.9, 1e-6) == []
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in budgets(rows, 1e-6).splitlines()]
    assert ["pystop", "0.05", "0.05", "0.05", "2 of 3", "1 of 3"] in lines
    assert ["cdopt", "0.1", "0.2", "0.4", "3 of 3", "0 of 3"] in lines
