"""Rows of runs: appended, read back, and marked when other code made them."""

import json
import re
import shutil
from pathlib import Path

import pytest

import orthoprox
from orthoprox.reproduce import ledger as module
from orthoprox.reproduce.fingerprint import _MAKING, _SHOWING, _meaning, fingerprint
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.origin import origin
from orthoprox.reproduce.spec import Run

RUNS = [Run({"solver": "lsalm", "seed": seed}, {"problem": {"seed": seed}}) for seed in range(5)]
ROOT = Path(orthoprox.__file__).parent


def entries(path):
    """Return the rows in a file, without the lines about origins."""
    return [entry for entry in map(json.loads, path.read_text().splitlines()) if "key" in entry]


def outcome(iterations=7, status="CONVERGED", **others):
    return {"status": status, "iterations": iterations, **others}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "rows.jsonl"


def test_rows_are_read_back(path):
    ledger = Ledger(path)
    ledger.append(RUNS[:2], [outcome(3), outcome(4, objective=-1.25)])
    ledger.append(RUNS[2:3], [outcome(5)])
    for each in (ledger, Ledger(path)):
        rows = each.rows(RUNS)
        assert [row["iterations"] for row in rows] == [3, 4, 5]
        assert [row["at"] for row in rows] == [run.at for run in RUNS[:3]]
        assert [row["key"] for row in rows] == [run.key for run in RUNS[:3]]
        assert rows[1]["objective"] == -1.25
        assert {(row["code"], row["version"]) for row in rows} == {(fingerprint(), orthoprox.__version__)}


def test_each_row_is_one_line_of_json(path):
    Ledger(path).append(RUNS[:3], [outcome(k) for k in range(3)])
    assert [row["iterations"] for row in entries(path)] == [0, 1, 2]
    assert len(path.read_text().splitlines()) == 4, "the first is about the origin"
    assert path.read_text().endswith("\n")


def test_rows_come_in_the_order_of_the_runs_and_only_of_those_asked_for(path):
    ledger = Ledger(path)
    ledger.append(RUNS, [outcome(k) for k in range(5)])
    assert [row["iterations"] for row in ledger.rows([RUNS[3], RUNS[1]])] == [3, 1]


def test_the_last_row_of_a_key_wins(path):
    ledger = Ledger(path)
    ledger.append(RUNS[:2], [outcome(3), outcome(4)])
    ledger.append(RUNS[:1], [outcome(30)])
    for each in (ledger, Ledger(path)):
        assert [row["iterations"] for row in each.rows(RUNS)] == [30, 4]
    assert len(entries(path)) == 3, "nothing that was written is removed"


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_a_truncated_last_line_is_ignored_and_the_next_row_starts_on_a_line_of_its_own(path, cut):
    Ledger(path).append(RUNS[:2], [outcome(3), outcome(4)])
    path.write_bytes(path.read_bytes()[:-cut])
    ledger = Ledger(path)
    whole = cut == 1  # only the end of the line is lost
    assert [row["iterations"] for row in ledger.rows(RUNS)] == ([3, 4] if whole else [3])
    assert ledger.state(RUNS[1]) is (State.DONE if whole else State.MISSING)
    ledger.append(RUNS[2:4], [outcome(5), outcome(6)])
    assert [row["iterations"] for row in Ledger(path).rows(RUNS)] == ([3, 4, 5, 6] if whole else [3, 5, 6])
    assert len(path.read_text().splitlines()) == 5


def test_a_missing_or_empty_file_has_no_rows(path):
    assert Ledger(path).rows(RUNS) == []
    assert not path.exists(), "reading makes no file"
    path.parent.mkdir()
    path.write_text("")
    ledger = Ledger(path)
    ledger.append(RUNS[:1], [outcome()])
    assert len(entries(path)) == 1
    assert path.read_text()[0] != "\n"


def test_outcomes_that_do_not_fit_the_runs_are_refused_and_nothing_is_written(path):
    with pytest.raises(ValueError, match="shorter"):
        Ledger(path).append(RUNS[:2], [outcome()])
    assert not path.exists()


def test_runs_are_missing_then_done_then_stale(path, monkeypatch):
    ledger = Ledger(path)
    assert ledger.state(RUNS[0]) is State.MISSING
    ledger.append(RUNS[:1], [outcome()])
    assert ledger.state(RUNS[0]) is State.DONE
    assert ledger.rows(RUNS)[0]["state"] is State.DONE
    monkeypatch.setattr(module, "fingerprint", lambda: "other")
    assert ledger.state(RUNS[0]) is State.STALE
    assert ledger.rows(RUNS)[0]["state"] is State.STALE
    assert ledger.state(RUNS[1]) is State.MISSING
    ledger.append(RUNS[:1], [outcome()])
    assert ledger.state(RUNS[0]) is State.DONE


def test_errors_are_missing_again_but_shown(path, monkeypatch):
    ledger = Ledger(path)
    ledger.append(RUNS[:1], [{"status": "ERROR", "message": "ValueError: no"}])
    assert ledger.state(RUNS[0]) is State.MISSING
    (row,) = Ledger(path).rows(RUNS)
    assert (row["status"], row["message"], row["state"]) == ("ERROR", "ValueError: no", State.MISSING)
    monkeypatch.setattr(module, "fingerprint", lambda: "other")
    assert ledger.state(RUNS[0]) is State.MISSING
    ledger.append(RUNS[:1], [outcome(9)])
    assert ledger.state(RUNS[0]) is State.DONE
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [9]


@pytest.mark.parametrize("status", ["ITERATIONS", "STALLED", "DIVERGED"])
def test_runs_that_did_not_converge_are_done(path, status):
    ledger = Ledger(path)
    ledger.append(RUNS[:1], [outcome(status=status)])
    assert ledger.state(RUNS[0]) is State.DONE


def test_numbers_that_are_not_finite_are_read_back(path):
    Ledger(path).append(RUNS[:2], [outcome(objective=float("inf")), outcome(objective=float("nan"))])
    first, second = (row["objective"] for row in Ledger(path).rows(RUNS))
    assert first == float("inf")
    assert second != second


# Sessions


def test_the_facts_of_an_origin_are_written_once_before_its_rows(path):
    ledger = Ledger(path)
    ledger.append(RUNS[:1], [outcome()])
    Ledger(path).append(RUNS[1:2], [outcome()])
    first, *others = map(json.loads, path.read_text().splitlines())
    assert first == origin()
    assert [row["origin"] for row in others] == [origin()["origin"]] * 2
    assert set(first) == {"origin", "date", "versions", "machine"}


def test_the_origins_of_rows_are_those_where_they_were_made(path, monkeypatch):
    Ledger(path).append(RUNS[:2], [outcome(), outcome()])
    other = {**origin(), "origin": "other", "machine": "another one"}
    monkeypatch.setattr(module, "origin", lambda: other)
    Ledger(path).append(RUNS[1:3], [outcome(), outcome()])
    ledger = Ledger(path)
    assert ledger.origins(ledger.rows(RUNS[:1])) == [origin()]
    assert ledger.origins(ledger.rows(RUNS[1:])) == [other]
    assert sorted(each["origin"] for each in ledger.origins(ledger.rows(RUNS))) == sorted([origin()["origin"], "other"])


def test_rows_without_an_origin_are_read_and_have_no_facts(path):
    """As the first files had none."""
    Ledger(path).append(RUNS[:2], [outcome(3), outcome(4)])
    old = [{name: value for name, value in row.items() if name != "origin"} for row in entries(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    ledger = Ledger(path)
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [3, 4]
    assert ledger.origins(ledger.rows(RUNS)) == []


# The fingerprint


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return a copy of the sources, which the fingerprint then reads."""
    root = tmp_path / "orthoprox"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(orthoprox, "__file__", str(root / "__init__.py"))
    return root


def now():
    return fingerprint.__wrapped__()  # without the cache


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_a_copy_has_the_same_fingerprint(copy):
    assert now() == fingerprint()
    assert len(now()) == 12


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("solvers/lsalm.py", "p.beta * (X - Z)", "p.beta * (Z - X)"),
        ("solvers/lsalm.py", '"beta": 0.9', '"beta": 0.8'),
        ("nonsmooth/l1.py", "self", "this"),
        ("solve.py", "STILL = 100", "STILL = 101"),
        ("datasets/quadratics.py", "1.01 ** -np", "1.02 ** -np"),
        ("experiments/batch.py", "EXPLODED = 1e6", "EXPLODED = 1e7"),
        ("experiments/study.py", '"iterations"', '"iteration"'),
        ("experiments/spca.py", "k**-0.75", "k**-0.5"),
        ("assignment.py", "import", "import os\nimport"),
    ],
)
def test_code_that_makes_numbers_changes_it(copy, name, old, new):
    before = now()
    edit(copy / name, old, new)
    assert now() != before


def test_a_new_file_and_another_name_change_it(copy):
    before = now()
    (copy / "solvers" / "new.py").write_text("X = 1\n")
    after = now()
    assert after != before
    (copy / "solvers" / "new.py").rename(copy / "solvers" / "newer.py")
    assert now() not in (before, after)


@pytest.mark.parametrize(
    "edits",
    [
        [("# Algorithm 1, line 3", "# the third line"), ("        # Algorithm 1, line 4\n", "")],
        [('"""The iterates."""', '"""What is iterated."""'), ("Algorithm 1 of the paper, line by line.", "It.")],
        [("Return the residuals of the paper's stopping rules", "Return some residuals")],
        [("        Z = Z + p.beta * (X - Z)", "        Z = (\n            Z + p.beta * (X - Z)\n        )\n")],
        [('"prox"', "'prox'")],
    ],
    ids=["comments", "docstrings", "docstring of a method", "layout", "quotes"],
)
def test_comments_docstrings_and_layout_do_not_change_it(copy, edits):
    before = now()
    for old, new in edits:
        edit(copy / "solvers/lsalm.py", old, new)
    assert now() == before


@pytest.mark.parametrize(
    "name",
    [
        *sorted(_SHOWING),
        "experiments/reproduce.py",
        "experiments/report.py",
        "experiments/table.py",
        "experiments/comparison.py",
        "experiments/ledger.py",
        "experiments/workers.py",
        "experiments/sections/ranges.py",
    ],
)
def test_files_that_only_show_numbers_do_not_change_it(copy, name):
    before = now()
    file = copy / name
    file.write_text(file.read_text() + "\nNEW = 1\n")
    assert now() == before


def test_the_named_files_are_there():
    assert all((ROOT / name).is_file() for name in _SHOWING)
    assert all((ROOT / "experiments" / name).is_file() for name in _MAKING)


def test_what_the_studies_import_of_this_package_makes_numbers():
    found, todo = set(), ["quadratics.py", "spca.py", "matching.py", "methods.py"]
    while todo:
        name = todo.pop()
        found.add(name)
        imported = re.findall(r"from orthoprox\.experiments\.(\w+) import", (ROOT / "experiments" / name).read_text())
        todo += [f"{module}.py" for module in imported if f"{module}.py" not in found]
    assert found == _MAKING


def test_the_meaning_of_a_source_is_its_code():
    source = (
        '"""Words."""\nclass A:\n    """Words."""\n\n    def f(self):\n        """Words."""\n        return 1  # a comment\n'
    )
    same = "class A:\n    def f(self): return 1\n"
    assert _meaning(source) == _meaning(same)
    assert _meaning(source) != _meaning(same.replace("1", "2"))
    assert _meaning('x = """Words."""') != _meaning('x = """Other."""'), "a string that is used is code"
    only = 'def f():\n    """Words."""\n'
    assert _meaning(only) != _meaning(only + "    return 1\n")


def test_the_fingerprint_is_computed_once(monkeypatch):
    first = fingerprint()
    monkeypatch.setattr(orthoprox, "__file__", "/nowhere/__init__.py")
    assert fingerprint() == first
