"""Rows of runs: appended, read back, and marked when other code made them."""

import json

import pytest

import orthoprox
from orthoprox.reproduce import ledger as module
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.origin import origin
from orthoprox.reproduce.spec import Run

RUNS = [Run({"solver": "lsalm", "seed": seed}, {"problem": {"seed": seed}}) for seed in range(5)]


def code(run):
    """Return the hash of the code that makes a run."""
    return f"code{run.at['seed']}"


def entries(path):
    """Return the rows in a file, without the lines about origins."""
    return [entry for entry in map(json.loads, path.read_text().splitlines()) if "key" in entry]


def outcome(iterations=7, status="CONVERGED", **others):
    return {"status": status, "iterations": iterations, **others}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "rows.jsonl"


def test_rows_are_read_back(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:2], [outcome(3), outcome(4, objective=-1.25)])
    ledger.append(RUNS[2:3], [outcome(5)])
    for each in (ledger, Ledger(path, code)):
        rows = each.rows(RUNS)
        assert [row["iterations"] for row in rows] == [3, 4, 5]
        assert [row["at"] for row in rows] == [run.at for run in RUNS[:3]]
        assert [row["key"] for row in rows] == [run.key for run in RUNS[:3]]
        assert rows[1]["objective"] == -1.25
        assert [row["code"] for row in rows] == ["code0", "code1", "code2"]
        assert {row["version"] for row in rows} == {orthoprox.__version__}


def test_each_row_is_one_line_of_json(path):
    Ledger(path, code).append(RUNS[:3], [outcome(k) for k in range(3)])
    assert [row["iterations"] for row in entries(path)] == [0, 1, 2]
    assert len(path.read_text().splitlines()) == 4, "the first is about the origin"
    assert path.read_text().endswith("\n")


def test_rows_come_in_the_order_of_the_runs_and_only_of_those_asked_for(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS, [outcome(k) for k in range(5)])
    assert [row["iterations"] for row in ledger.rows([RUNS[3], RUNS[1]])] == [3, 1]


def test_the_last_row_of_a_key_wins(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:2], [outcome(3), outcome(4)])
    ledger.append(RUNS[:1], [outcome(30)])
    for each in (ledger, Ledger(path, code)):
        assert [row["iterations"] for row in each.rows(RUNS)] == [30, 4]
    assert len(entries(path)) == 3, "nothing that was written is removed"


def test_a_large_file_is_packed_and_serves_as_well_as_the_file(path, monkeypatch):
    monkeypatch.setattr("orthoprox.reproduce.ledger._LARGE", 100)
    ledger = Ledger(path, code)
    ledger.append(RUNS[:2], [outcome(3), outcome(4)])
    ledger.pack()
    first = ledger.packed.read_bytes()
    ledger.pack()
    assert ledger.packed.read_bytes() == first, "equal rows are equal bytes"
    assert len(first) < path.stat().st_size
    lines = path.read_bytes()
    path.unlink()
    packed = Ledger(path, code)
    assert [row["iterations"] for row in packed.rows(RUNS)] == [3, 4]
    assert not path.exists(), "who reads leaves nothing behind"
    packed.append(RUNS[2:3], [outcome(5)])
    assert path.read_bytes().startswith(lines)
    assert [row["iterations"] for row in Ledger(path, code).rows(RUNS)] == [3, 4, 5]


def test_a_small_file_is_not_packed(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:2], [outcome(3), outcome(4)])
    ledger.pack()
    assert not ledger.packed.exists()


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_a_truncated_last_line_is_ignored_and_the_next_row_starts_on_a_line_of_its_own(path, cut):
    Ledger(path, code).append(RUNS[:2], [outcome(3), outcome(4)])
    path.write_bytes(path.read_bytes()[:-cut])
    ledger = Ledger(path, code)
    whole = cut == 1  # only the end of the line is lost
    assert [row["iterations"] for row in ledger.rows(RUNS)] == ([3, 4] if whole else [3])
    assert ledger.state(RUNS[1]) is (State.DONE if whole else State.MISSING)
    ledger.append(RUNS[2:4], [outcome(5), outcome(6)])
    assert [row["iterations"] for row in Ledger(path, code).rows(RUNS)] == ([3, 4, 5, 6] if whole else [3, 5, 6])
    assert len(path.read_text().splitlines()) == 5


def test_a_missing_or_empty_file_has_no_rows(path):
    assert Ledger(path, code).rows(RUNS) == []
    assert not path.exists(), "reading makes no file"
    path.parent.mkdir()
    path.write_text("")
    ledger = Ledger(path, code)
    ledger.append(RUNS[:1], [outcome()])
    assert len(entries(path)) == 1
    assert path.read_text()[0] != "\n"


def test_outcomes_that_do_not_fit_the_runs_are_refused_and_nothing_is_written(path):
    with pytest.raises(ValueError, match="shorter"):
        Ledger(path, code).append(RUNS[:2], [outcome()])
    assert not path.exists()


def test_runs_are_missing_then_done_then_stale(path):
    now = {"code": "this"}
    ledger = Ledger(path, lambda run: now["code"])
    assert ledger.state(RUNS[0]) is State.MISSING
    ledger.append(RUNS[:1], [outcome()])
    assert ledger.state(RUNS[0]) is State.DONE
    assert ledger.rows(RUNS)[0]["state"] is State.DONE
    now["code"] = "other"
    assert ledger.state(RUNS[0]) is State.STALE
    assert (ledger.due(RUNS[0], keep=False), ledger.due(RUNS[0], keep=True)) == (True, False)
    assert ledger.rows(RUNS)[0]["state"] is State.STALE
    assert ledger.state(RUNS[1]) is State.MISSING
    assert ledger.due(RUNS[1], keep=True)
    ledger.append(RUNS[:1], [outcome()])
    assert ledger.state(RUNS[0]) is State.DONE
    assert not ledger.due(RUNS[0], keep=False)


def test_errors_are_missing_again_but_shown(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:1], [{"status": "ERROR", "message": "ValueError: no"}])
    assert ledger.state(RUNS[0]) is State.MISSING
    (row,) = Ledger(path, code).rows(RUNS)
    assert (row["status"], row["message"], row["state"]) == ("ERROR", "ValueError: no", State.MISSING)
    assert Ledger(path, lambda run: "other").state(RUNS[0]) is State.MISSING
    ledger.append(RUNS[:1], [outcome(9)])
    assert ledger.state(RUNS[0]) is State.DONE
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [9]


@pytest.mark.parametrize("status", ["ITERATIONS", "STALLED", "DIVERGED"])
def test_runs_that_did_not_converge_are_done(path, status):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:1], [outcome(status=status)])
    assert ledger.state(RUNS[0]) is State.DONE


def test_numbers_that_are_not_finite_are_read_back(path):
    Ledger(path, code).append(RUNS[:2], [outcome(objective=float("inf")), outcome(objective=float("nan"))])
    first, second = (row["objective"] for row in Ledger(path, code).rows(RUNS))
    assert first == float("inf")
    assert second != second


# Sessions


def test_the_facts_of_an_origin_are_written_once_before_its_rows(path):
    ledger = Ledger(path, code)
    ledger.append(RUNS[:1], [outcome()])
    Ledger(path, code).append(RUNS[1:2], [outcome()])
    first, *others = map(json.loads, path.read_text().splitlines())
    assert first == origin()
    assert [row["origin"] for row in others] == [origin()["origin"]] * 2
    assert set(first) == {"origin", "date", "versions", "machine"}


def test_the_origins_of_rows_are_those_where_they_were_made(path, monkeypatch):
    Ledger(path, code).append(RUNS[:2], [outcome(), outcome()])
    other = {**origin(), "origin": "other", "machine": "another one"}
    monkeypatch.setattr(module, "origin", lambda: other)
    Ledger(path, code).append(RUNS[1:3], [outcome(), outcome()])
    ledger = Ledger(path, code)
    assert ledger.origins(ledger.rows(RUNS[:1])) == [origin()]
    assert ledger.origins(ledger.rows(RUNS[1:])) == [other]
    assert sorted(each["origin"] for each in ledger.origins(ledger.rows(RUNS))) == sorted([origin()["origin"], "other"])


def test_rows_without_an_origin_are_read_and_have_no_facts(path):
    """As the first files had none."""
    Ledger(path, code).append(RUNS[:2], [outcome(3), outcome(4)])
    old = [{name: value for name, value in row.items() if name != "origin"} for row in entries(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in old))
    ledger = Ledger(path, code)
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [3, 4]
    assert ledger.origins(ledger.rows(RUNS)) == []


# Lines that cannot be used


GOOD = {"key": RUNS[1].key, "code": "code1", "at": {}, "status": "CONVERGED", "iterations": 4}
BAD = {
    "not JSON": (b'{"key": "abc", "co', "it is not JSON, or only a part of it"),
    "only a part": (json.dumps(GOOD).encode()[:-1], "it is not JSON, or only a part of it"),
    "zeros": (b"\0" * 50, "it is not JSON, or only a part of it"),
    "not UTF-8": (b'{"key": "\xff\xfe"}', "it is not UTF-8"),
    "a list": (b"[1, 2]", "it is JSON, but not an object"),
    "a number": (b"12", "it is JSON, but not an object"),
    "null": (b"null", "it is JSON, but not an object"),
    "deep": (b"[" * 100_000, "it is not JSON, or only a part of it"),
    "nothing": (b"{}", "it has no 'key'"),
    "foreign": (b'{"name": "x", "status": "y"}', "it has no 'key'"),
    "a key of another type": (json.dumps({**GOOD, "key": 5}).encode(), "'key' is 5; it needs text"),
    "an unhashable key": (json.dumps({**GOOD, "key": [1]}).encode(), "'key' is [1]; it needs text"),
    "no status": (json.dumps({k: v for k, v in GOOD.items() if k != "status"}).encode(), "it has no 'status'"),
    "no place": (json.dumps({**GOOD, "at": None}).encode(), "'at' is null; it needs an object"),
    "a missing field": (json.dumps({k: v for k, v in GOOD.items() if k != "iterations"}).encode(), "it has no 'iterations'"),
    "a field of another type": (json.dumps({**GOOD, "iterations": "4"}).encode(), "'iterations' is \"4\"; it needs an integer"),
    "an error without a message": (json.dumps({**GOOD, "status": "ERROR"}).encode(), "it has no 'message'"),
    "a schema to come": (json.dumps({**GOOD, "schema": 3}).encode(), "its schema is 3; this version reads 1 to 2"),
    "no schema that was": (json.dumps({**GOOD, "schema": 0}).encode(), "its schema is 0; this version reads 1 to 2"),
    "a schema in words": (json.dumps({**GOOD, "schema": "2"}).encode(), "'schema' is \"2\"; it needs an integer"),
    "an origin without a machine": (b'{"origin": "a", "date": "b", "versions": "c"}', "it has no 'machine'"),
}


@pytest.mark.parametrize(("line", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("end", [b"\n", b""], ids=["a line", "the last line"])
def test_a_line_that_cannot_be_used_is_set_aside_and_told_with_its_number(path, line, message, end):
    Ledger(path, code).append(RUNS[:1], [outcome(3)])
    path.write_bytes(path.read_bytes() + line + end)
    ledger = Ledger(path, code, {"iterations": int})
    assert ledger.damaged == [f"{path}, line 3: {message}; the line is not used."]
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [3]
    assert ledger.state(RUNS[1]) is State.MISSING
    ledger.append(RUNS[1:3], [outcome(4), outcome(5)])
    again = Ledger(path, code, {"iterations": int})
    assert [row["iterations"] for row in again.rows(RUNS)] == [3, 4, 5]
    assert again.damaged == ledger.damaged == [f"{path}, line 3: {message}; the line is not used."]


def test_a_file_that_is_no_ledger_at_all_has_no_rows_and_can_be_appended_to(path):
    path.parent.mkdir()
    path.write_bytes(bytes(range(256)) * 20)
    ledger = Ledger(path, code)
    assert ledger.rows(RUNS) == []
    assert len(ledger.damaged) == 21
    ledger.append(RUNS[:1], [outcome(3)])
    assert [row["iterations"] for row in Ledger(path, code).rows(RUNS)] == [3]


def test_empty_lines_and_windows_ends_of_lines_are_no_damage(path):
    Ledger(path, code).append(RUNS[:2], [outcome(3), outcome(4)])
    path.write_bytes(b"\n" + path.read_bytes().replace(b"\n", b"\r\n") + b"\n \n")
    ledger = Ledger(path, code)
    assert ledger.damaged == []
    assert [row["iterations"] for row in ledger.rows(RUNS)] == [3, 4]


def test_the_place_of_a_row_is_that_of_its_run(path):
    path.parent.mkdir()
    path.write_text(json.dumps({**GOOD, "at": {"solver": [], "seed": "wrong"}}))
    (row,) = Ledger(path, code).rows(RUNS)
    assert row["at"] == RUNS[1].at


def test_a_damaged_origin_is_written_again(path):
    Ledger(path, code).append(RUNS[:1], [outcome(3)])
    path.write_bytes(path.read_bytes()[10:])
    ledger = Ledger(path, code)
    assert ledger.origins(ledger.rows(RUNS)) == []
    ledger.append(RUNS[1:2], [outcome(4)])
    assert Ledger(path, code).origins(ledger.rows(RUNS)) == [origin()]


# Several ledgers on one file


def test_what_another_process_appends_is_read_when_asked_and_before_the_next_row(path):
    one, two = Ledger(path, code), Ledger(path, code)
    one.append(RUNS[:1], [outcome(3)])
    assert two.state(RUNS[0]) is State.MISSING
    two.refresh()
    assert two.state(RUNS[0]) is State.DONE
    two.append(RUNS[1:2], [outcome(4)])
    one.append(RUNS[2:3], [outcome(5)])
    for ledger in (one, Ledger(path, code)):
        assert [row["iterations"] for row in ledger.rows(RUNS)] == [3, 4, 5]
    assert len(path.read_text().splitlines()) == 4, "one line about the origin"


def test_a_refresh_makes_no_file(path):
    Ledger(path, code).refresh()
    assert not path.exists()
