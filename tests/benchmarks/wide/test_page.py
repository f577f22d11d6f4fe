"""The page of wide data, from rows that are made up."""

import pytest
from benchmarks.wide.cases import settings
from benchmarks.wide.page import gap, goals, listing, older, summary


def row(study="planted", variant="plain", shape=(200, 20000, 10), **more):
    return {
        "study": study,
        "case": f"{variant}, seed 2000",
        "part": "heldout",
        "variant": variant,
        "shape": list(shape),
        "units": 2.0,
        "ratio": 7.0,
        "gradients": 100,
        "objective": -20.0,
        "truth": -20.0 if study == "planted" else None,
        "kkt_error": 1e-15,
        "converged": True,
        "nonzeros": [1, 50, 80],
        "megabytes": 300.0,
    } | more


def test_the_gap_is_relative_to_the_objective_or_to_one():
    assert gap(row(objective=-19.0)) == pytest.approx(0.05)
    assert gap(row(objective=0.3, truth=0.1)) == pytest.approx(0.2)


def test_targets_are_met_or_not():
    found = {one.claim: one for one in goals([row(), row(units=11.0), row("counts", "words", megabytes=2000.0)], settings())}
    assert not found["200 x 20,000, n = 10: units, largest"].met
    assert not found["sparse counts: MB, largest"].met
    assert found["sparse counts: units, largest"].met
    high = [row(), row(objective=-19.0)]
    assert not goals(high, settings())[0].met
    assert goals([row()] * 20, settings())[0].met


def test_a_line_for_each_variant_and_case():
    rows = [row(), row("counts", "words"), row("counts", "words")]
    assert len(summary(rows, 1e-3, "heldout").strip().splitlines()) == 2 + 2
    assert len(listing(rows).strip().splitlines()) == 2 + 3


def test_an_older_commit_is_compared_on_the_cases_that_both_have_run():
    now = [{"case": "words, seed 0", "units": 5.0, "objective": -10.0}]
    then = [{"case": name, "units": 90.0, "objective": -9.0, "status": "TIME"} for name in ("words, seed 0", "cells, seed 0")]
    text = older(now, then)
    assert "| words, seed 0 | 90.0" in text
    assert "+1.0e-01" in text
    assert "cells" not in text
