"""The rows of the benchmark: a task that has rows is not run again, and damage is told."""

import json

from benchmarks.studies.rows import Rows
from benchmarks.studies.task import tasks

import bench_rows
from benchmarks.studies import page
from benchmarks.studies import rows as module

OLD = {  # the names of times in the first schema, by study
    "headline": {"run_seconds": "seconds", "seconds": "wall"},
    "small": {"run_seconds": "seconds"},
    "growth": {"seconds": "wall"},
}


def test_a_task_with_rows_is_not_run_again(tmp_path, monkeypatch):
    todo, path = list(tasks("small", number=2)), tmp_path / "rows.jsonl"
    rows = Rows(path)
    assert rows.left(todo) == todo
    monkeypatch.setattr(module, "code", lambda: "one")
    rows.append(todo[1], [{"who": "a"}, {"who": "b"}])
    monkeypatch.setattr(module, "code", lambda: "two")
    rows.append(todo[2], [{"who": "c"}])
    again = Rows(path)
    assert again.left(todo) == [one for one in todo if one not in todo[1:3]], "rows of other code are kept"
    assert [(row["who"], row["code"]) for row in again.of("small")] == [("a", "one"), ("b", "one"), ("c", "two")]
    assert {key: again.of("small")[0][key] for key in ("study", "case", "seed")} == todo[1].at
    assert set(again.origin(again.of("small")[0])) == {"origin", "date", "versions", "machine"}
    assert len(path.read_text().splitlines()) == 3


def test_a_line_that_cannot_be_used_is_told_and_its_task_is_left(tmp_path):
    todo, path = list(tasks("small", number=2)), tmp_path / "rows.jsonl"
    Rows(path).append(todo[0], [{"who": "a"}])
    whole = path.read_text()
    path.write_text(whole + whole.splitlines()[1][:40] + "\n" + json.dumps({"study": "small", "seed": 1}) + "\n")
    rows = Rows(path)
    assert [sentence.split(": ")[0] for sentence in rows.damaged] == [f"{path}, line 3", f"{path}, line 4"]
    assert rows.left(todo) == todo[1:]


def of_the_first_schema(entry):
    """Return an entry as it was written before it had a schema number."""
    names = OLD.get(entry.get("at", {}).get("study"), {})
    rows = [{names.get(name, name): value for name, value in row.items()} for row in entry.get("rows", [])]
    return {**{name: value for name, value in entry.items() if name != "schema"}, **({"rows": rows} if rows else {})}


def test_rows_of_the_first_schema_make_the_same_page_and_are_not_run_again(tmp_path):
    new = bench_rows.written(tmp_path / "new.jsonl")
    entries = [json.loads(line) for line in new.path.read_text().splitlines()]
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(of_the_first_schema(entry)) + "\n" for entry in entries))
    old = Rows(tmp_path / "old.jsonl")
    assert old.damaged == []
    assert old.everything == new.everything
    assert page.page(old) == page.page(new)
    assert page.summary(old) == page.summary(new)
    todo = list(tasks("small", number=3))
    assert old.left(todo) == new.left(todo) != todo


def test_a_row_of_a_schema_to_come_is_told_and_its_task_is_left(tmp_path):
    todo, path = list(tasks("small", number=1)), tmp_path / "rows.jsonl"
    Rows(path).append(todo[0], [{"who": "a"}])
    path.write_text(path.read_text().replace('"schema": 2', '"schema": 3'))
    rows = Rows(path)
    assert rows.damaged == [f"{path}, line 2: its schema is 3; this version reads 1 to 2; the line is not used."]
    assert rows.left(todo) == todo


def test_the_code_is_that_of_minimize_and_the_methods():
    assert len(module.code()) == 12
