"""The page and the pictures are functions of the rows."""

from pathlib import Path

import pytest
from benchmarks.bench import ROWS
from benchmarks.studies.rows import Rows

import bench_rows
from bench_rows import MODES
from benchmarks.studies import STUDIES, page, picture
from orthoprox.reproduce.origin import origin

ROOT = Path(__file__).parents[3]


@pytest.fixture
def rows(tmp_path):
    return bench_rows.written(tmp_path / "bench" / "rows.jsonl")


def test_targets_say_what_is_met_and_what_is_not(rows):
    text = page.page(rows)
    lines = {cells[1].strip(): [cell.strip() for cell in cells[2:5]] for cells in _cells(text) if len(cells) == 6}
    assert lines["same start, times faster than LSALM"] == [">= 5", "10", "yes"]
    assert lines["whole call, times faster than LSALM"] == [">= 30", "20", "**no**"]
    assert lines["whole call, objective below LSALM's"] == ["every seed", "2 of 3", "**no**"]
    assert lines["times faster than pymanopt from a random start"] == [">= 10", "15", "yes"]
    assert lines["times faster than cdopt from our start"] == [">= 10", "4.0", "**no**"]
    assert lines["beaten by cdopt from our start"] == ["at most 10 % of seeds", "2 of 3", "**no**"]
    assert "AR(1): 2 of 3" in text
    assert lines[f"{MODES}, times as fast as ManPG-Ada"] == [">= 1", "3.0", "yes"]
    assert lines["polished to 1e-10, of 3 l1 instances"] == [">= 90 %", "66.7 %", "**no**"]
    assert lines["worse than before polishing"] == ["0", "1", "**no**"]
    assert lines["largest problem, m = 20000 features with n = 20"][2] == "yes"


def test_the_page_shows_every_study_with_its_seeds_and_the_machine(rows):
    text = page.page(rows)
    for study in STUDIES.values():
        assert f"## {study.title}\n" in text
    assert "3 seeds, 1000 to 1002.\n" in text
    assert "3 seeds, 1000 to 1002. **Incomplete: 10 seeds are planned.**" in text
    assert origin()["machine"] in text
    assert "| m      | 1.00" in text
    assert str(ROOT) not in text


def test_rows_are_shown_in_the_order_of_the_settings():
    keys = [("factor", 1001), ("AR(1)", 1001), ("AR(1)", 1000)]
    assert [(row["case"], row["seed"]) for row in page.ordered([{"case": c, "seed": s} for c, s in keys], "families")] == [
        *reversed(keys[1:]),
        keys[0],
    ]


def test_the_page_begins_with_the_medians(rows):
    short = page.page(rows).split("## In short\n")[1].split("## Targets\n")[0]
    assert short.strip() == page.summary(rows)
    assert "lower on 2 of 3, by 1.0 %" in short
    assert "not beaten on 1 of 3" in short


@pytest.mark.extended
def test_the_page_is_that_of_the_rows():
    rows = Rows(ROWS)
    assert rows.damaged == []
    assert min(row["seed"] for row in rows.everything) >= 1000
    assert (ROOT / "docs" / "bench.md").read_text() == page.page(rows)


def test_pictures_are_drawn_from_the_rows(rows):
    picture.draw(rows, rows.path.parent)
    assert {path.name for path in rows.path.parent.glob("*.png")} == set(page.PICTURES.values())


def _cells(text):
    return [line.split("|") for line in text.splitlines() if line.startswith("|")]
