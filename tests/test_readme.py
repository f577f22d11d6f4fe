"""The README and the guide are true: their code runs as it stands and prints what they show, what
they name exists, and figures are those of the pages they come from.
"""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from benchmarks.studies.page import fill
from benchmarks.studies.rows import Rows
from benchmarks.suite.cases import settings
from benchmarks.suite.page import block
from benchmarks.tables import FOLDER

import orthoprox as op
from pages import blocks, differences, run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
each_page = pytest.mark.parametrize("page", [README, GUIDE], ids=["README", "guide"])


@each_page
def test_every_block_runs_and_prints_what_is_shown(page, capsys, tmp_path, monkeypatch):
    """In order, in one session, in a folder with the table; warnings are errors, so all runs
    converge.
    """
    shutil.copy(Path(op.__file__).parent / "datasets" / "wine.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    found, session = blocks(page), {}
    assert {"python", "text"} <= {language for language, _ in found} <= {"python", "text", "console"}
    for (language, text), (following, shown) in zip(found, [*found[1:], ("", "")], strict=True):
        if language != "text":
            run(language, text, session)
            assert differences(capsys.readouterr().out, shown if following == "text" else "") == []
    assert session["result"].converged


@each_page
def test_every_name_exists(page):
    """Each op.something in the text is an attribute of the package."""
    for name in set(re.findall(r"\bop\.([A-Za-z_.0-9]+[A-Za-z_0-9])", page)):
        place = op
        for part in name.split("."):
            place = getattr(place, part)


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "guide.md"], ids=["README", "guide"])
def test_every_target_of_make_link_and_extra_exists(page):
    text, rules = page.read_text(encoding="utf-8"), (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make\s([\w-]+)`", text):
        assert re.search(rf"^{target}:", rules, flags=re.MULTILINE), target
    for link in re.findall(r"\]\((?!http|#)([^)#]+)\)", text):
        assert (page.parent / link).exists(), link
    for extra in re.findall(r"(?:orthoprox|\.)\[(\w+)\]", text):
        assert extra in EXTRAS, extra


def test_the_table_of_extras_is_complete_and_its_versions_are_those_of_the_tests():
    rows = README.split("| extra |")[1].split("\n\n")[0].splitlines()[2:]
    named = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in rows]
    assert sorted(name for names in named for name in names) == sorted(EXTRAS)
    oldest = README.split("the oldest allowed")[1].split("(")[0]
    for file, text in (("constraints.txt", "".join(rows)), ("constraints-oldest.txt", oldest)):
        pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / file).read_text().lower(), flags=re.MULTILINE))
        said = re.findall(r"([\w-]+) (\d+\.[\d.]*\d)\b", text.lower())
        assert len(said) >= 3
        assert said == [(name, pinned[name]) for name, _ in said]


def test_figures_are_those_of_the_pages_they_come_from():
    """Where benchmarks were run again, their sentences in the README have to be read again, too."""
    prose = " ".join(README.split())
    page = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
    wins, _, worst, *_, units, rival = _cells(re.search(r"^\| all +\|.*$", page, flags=re.MULTILINE)[0])[1:]
    tables = re.findall(r"^\| (?!of these)(.+?) +\| \d+ of 36 ", page, flags=re.MULTILINE)
    used = [table for table in tables if "(held out)" not in table]
    assert f"on {wins} fits of {len(tables)} tables, and {worst[1:]} % less at worst; {len(used)} of these" in prose
    assert f"its median time is {units} units, scikit-learn's {rival}." in prose
    new = _cells(re.search(r"^\| of these: held out +\|.*$", page, flags=re.MULTILINE)[0])[1]
    assert f"on the {len(tables) - len(used)} others it is {new}." in prose
    reached = page.split("| out of reach |")[1].split("\n\n")[0].splitlines()[2:]
    beyond = [(_cells(row)[6], int(_cells(row)[-1])) for row in reached]
    proved, listed = (sum(number for how, number in beyond if ("groups" in how) is proof) for proof in (True, False))
    assert f"{proved} of the fits that it loses no orthonormal components can win, by proof, {listed} more" in prose
    report = (ROOT / "docs" / "reproduction" / "report.md").read_text(encoding="utf-8").split("## How it was made")[0]
    counts = re.findall(r"\| (\d+) +\| (\d+) +\| (\d+) +\|$", report, flags=re.MULTILINE)
    agree, differ, open_ = (sum(map(int, column)) for column in zip(*counts, strict=True))
    assert f"{agree} comparisons agree, {differ} differ, {open_} are not decided" in prose
    assert f"has {len(op.SOLVERS) - 2} others" in prose


def test_the_table_of_times_is_that_of_the_rows():
    kept = {path.stem: Rows(path) for path in sorted(FOLDER.glob("*.jsonl"))}
    assert fill(README, block(kept, settings()["same"]).rstrip(), "tables") == README


def _cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]
