"""Folders with rows of the first schema: they are gone on with, and show what they showed."""

import json

import pytest

import reproduced
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.ledger import Ledger
from orthoprox.reproduce.studies import fields
from paper_rows import rows_of, runs_of, section

ID = "table-spca"
VALUES = {float: 1.0, int: 1, bool: True}  # of fields that the rows for sections leave out


def shown(out):
    """Return all tables of a report."""
    return {path.name: path.read_text() for path in (out / "tables").iterdir()}


@pytest.fixture
def old(tmp_path, executed, small):
    """Return a folder with a whole table, by this code but in the first schema, and its tables."""
    reproduce.reproduce([ID], quick=True, out=tmp_path)
    executed.clear()
    tables, path = shown(tmp_path), reproduced.file(tmp_path, ID)
    reproduced.of_the_first_schema(path)
    assert all("schema" not in row and "run_seconds" not in row for row in reproduced.rows(tmp_path, ID))
    return tmp_path, tables


def test_old_rows_are_not_run_again_show_the_same_tables_and_stay_as_they_are(old, executed, capsys):
    out, tables = old
    before = reproduced.file(out, ID).read_bytes()
    reproduce.reproduce([ID], quick=True, out=out)
    assert executed == []
    assert shown(out) == tables
    assert reproduced.file(out, ID).read_bytes() == before
    assert capsys.readouterr().err == ""


def test_a_study_that_was_interrupted_goes_on_in_the_new_schema(old, executed):
    out, _ = old
    path = reproduced.file(out, ID)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-3]))
    missing = [json.loads(line)["key"] for line in lines[-3:]]
    reproduce.reproduce([ID], quick=True, out=out)
    assert [run.key for run in reproduced.executed_runs(executed)] == missing
    assert path.read_text().startswith("".join(lines[:-3]))
    assert [row.get("schema") for row in reproduced.rows(out, ID)] == [None] * (len(lines) - 4) + [2] * 3
    item = reproduce.items(out, quick=True)[ID]
    assert item.ledger.damaged == []
    assert all(row["run_cpu_seconds"] > 0 and "cpu_seconds" not in row for row in item.rows)


def test_a_row_of_a_schema_to_come_is_told_with_its_line_and_run_again(old, executed, capsys):
    out, _ = old
    path = reproduced.file(out, ID)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], json.dumps({**json.loads(lines[-1]), "schema": 3}) + "\n"]))
    reproduce.reproduce([ID], quick=True, out=out)
    told = f"{path}, line {len(lines)}: its schema is 3; this version reads 1 to 2; the line is not used.\n"
    assert capsys.readouterr().err.startswith(told)
    assert [run.key for run in reproduced.executed_runs(executed)] == [json.loads(lines[-1])["key"]]


@pytest.mark.parametrize("name", ["table-spca", "table-spca-rsm", "table-matching", "fig-methods"])
def test_an_old_and_a_new_row_of_a_run_make_the_same_tables_and_claims(tmp_path, name):
    """Of every study that is timed."""
    needed, runs = fields(runs_of(name)[0].settings), runs_of(name)
    filler = {field: VALUES.get(kind, 1.0) for field, kind in needed.items()}
    written = Ledger(tmp_path / "new.jsonl", lambda run: "code", needed)
    written.append(runs, [{**filler, **_measured(row)} for row in rows_of(name)])
    (tmp_path / "old.jsonl").write_bytes(written.path.read_bytes())
    reproduced.of_the_first_schema(tmp_path / "old.jsonl")
    made = []
    for file in ("old.jsonl", "new.jsonl"):
        ledger = Ledger(tmp_path / file, lambda run: "code", needed)
        assert ledger.damaged == []
        found = section(name, ledger.rows(runs))
        made.append((found.verdict, found.tables, found.claims))
    assert made[0] == made[1]
    assert made[0][1]


def _measured(row):
    return {name: value for name, value in row.items() if name not in ("key", "at", "state")}
