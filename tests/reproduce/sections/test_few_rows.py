"""Sections of few rows: they show what they can, or say what is missing."""

from dataclasses import replace

import pytest

from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.ledger import Ledger
from orthoprox.reproduce.run import Item
from orthoprox.reproduce.section import IncompleteError, Section
from paper_rows import FIGURES, IDS, OURS, draw, rows_of, runs_of, says, section, shortened

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


def test_rows_of_the_other_study_reach_the_section_but_its_errors_do_not(tmp_path):
    assert reproduce.items(tmp_path)["table-default"].beside.spec.id == "table-spca"
    theirs = [{**row, "projected_objective": -110.0} for row in rows_of("table-spca", quick=True)]
    ours = item("table-default", rows_of("table-default", quick=True))
    for others, instances in ((theirs, "2"), ([*theirs[1:], *errors(theirs[:1])], "1")):
        made = reproduce.section(replace(ours, beside=item("table-spca", others)), quick=True)
        assert made.tables[1].rows[0][:2] == ("100", instances)
    assert len(reproduce.section(ours, quick=True).tables) == 1
