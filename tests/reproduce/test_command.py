"""The command ``orthoprox reproduce``: its exit codes, and what it writes where."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chromium
import orthoprox
from orthoprox.cli.__main__ import main as cli
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce import workers
from orthoprox.reproduce.sections import SECTIONS
from orthoprox.reproduce.spec import load, names
from orthoprox.stopping.clock import Deadline
from reproduced import ID, OPTIONS, file, made_by_other_code, rows, taken

pytestmark = pytest.mark.usefixtures("without_network")


def command(arguments, capsys):
    """Return the exit code, and what is written to standard output and error."""
    try:
        code = cli(arguments)
    except SystemExit as end:
        code = end.code
    found = capsys.readouterr()
    assert "Traceback" not in found.out + found.err
    return code, found.out, found.err


def test_the_command_runs_what_is_named(tmp_path, executed, capsys):
    code, out, _ = command(["reproduce", ID, *OPTIONS, "--out", str(tmp_path)], capsys)
    assert (code, out) == (0, f"The report is {tmp_path / 'index.html'}\n")
    assert len(rows(tmp_path)) == 6


def test_the_command_lists(tmp_path, executed, capsys):
    code, out, err = command(["reproduce", "--list", "--quick", "--out", str(tmp_path)], capsys)
    assert (code, err) == (0, "")
    assert all(f"| {name} " in out for name in names())
    assert executed == []
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_the_report_without_a_run(made, executed, capsys):
    (made / "index.html").unlink()
    code, _, _ = command(["reproduce", "--report", "--quick", "--out", str(made)], capsys)
    assert code == 0
    assert executed == []
    assert (made / "index.html").is_file()


def test_the_command_keeps_stale_rows(made, executed, capsys):
    made_by_other_code(made)
    code, _, err = command(["reproduce", ID, "--keep", *OPTIONS, "--out", str(made)], capsys)
    assert code == 0
    assert "they are kept" in err
    assert executed == []


@pytest.mark.parametrize(("options", "folder"), [(["--quick"], "reproduction-quick"), ([], "reproduction")])
def test_reduced_and_full_size_have_folders_of_their_own(capsys, monkeypatch, options, folder):
    def record(ids, *, out, **others):
        return out / "page"

    monkeypatch.setattr(reproduce, "reproduce", record)
    code, out, _ = command(["reproduce", *options], capsys)
    assert (code, out) == (0, f"The report is {Path(folder) / 'page'}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fig-qp-rang"], "orthoprox: The id is 'fig-qp-rang'; it needs one of "),
        (["fig-qp-rang"], "Did you mean 'fig-qp-range'?"),
        ([ID, "--where", "r=8"], "orthoprox: 'r=8' is not a condition"),
        ([ID, "--where", "seed<nan"], "orthoprox: 'seed<nan' compares with nan, which holds for no run; it needs a number"),
        ([ID, "--where", "m<8"], "orthoprox: The coordinate in 'm < 8' is 'm'; it needs one of 'beta', 'r', 'seed', 'solver'."),
        (["--report"], "has no rows yet"),
        ([ID, "--where", "solver<8"], "orthoprox: solver is 'lsalm' in some run, which cannot be compared with 8"),
    ],
)
def test_wrong_input_gives_code_2_and_a_message(tmp_path, executed, capsys, arguments, message):
    code, out, err = command(["reproduce", *arguments, "--quick", "--out", str(tmp_path)], capsys)
    assert (code, out) == (2, "")
    assert message in err
    assert executed == []


@pytest.mark.parametrize("options", [[ID, *OPTIONS], ["--report", "--quick"]])
def test_an_out_path_that_is_a_file_gives_code_2_and_names_it(tmp_path, executed, capsys, options):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    code, out, err = command(["reproduce", *options, "--out", str(taken)], capsys)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("orthoprox: ")
    assert str(taken) in err
    assert taken.read_text() == "mine"


def test_an_out_path_that_is_a_file_is_refused_before_anything_is_run(tmp_path, executed, capsys):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    command(["reproduce", ID, *OPTIONS, "--out", str(taken)], capsys)
    assert executed == []


def test_the_version_is_told(capsys):
    assert command(["--version"], capsys) == (0, f"orthoprox {orthoprox.__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["reproduc"], ["reproduce", "--no-such-option"]])
def test_a_wrong_command_gives_code_2_and_one_line(capsys, arguments):
    code, out, err = command(arguments, capsys)
    assert (code, out) == (2, "")
    assert err.startswith("orthoprox: ")
    assert err.endswith("; see orthoprox --help.\n")
    assert err.count("\n") == 1


def test_ctrl_c_gives_code_130_and_keeps_what_was_finished(tmp_path, capsys, monkeypatch):
    def interrupted(agenda):
        assert agenda.left(timed=False) == 3
        task = next(taken(agenda))
        agenda.finish(task, workers._execute(Deadline(), task.study, [run.settings for run in task.runs]))
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "work", interrupted)
    code, _, err = command(["reproduce", ID, *OPTIONS, "--out", str(tmp_path)], capsys)
    assert code == 130
    assert "interrupted. What was finished is kept; the same command goes on from there." in err
    assert [row["at"]["seed"] for row in rows(tmp_path)] == [0, 0]
    assert not (tmp_path / "index.html").exists()


def test_a_killed_process_gives_code_2(tmp_path, capsys, monkeypatch):
    def killed(agenda):
        raise RuntimeError("A process that executes runs was killed.")

    monkeypatch.setattr(reproduce, "work", killed)
    code, _, err = command(["reproduce", ID, *OPTIONS, "--out", str(tmp_path)], capsys)
    assert (code, err) == (2, "orthoprox: A process that executes runs was killed.\n")


@pytest.mark.parametrize(("line", "end"), [(b'{"key": "half', b""), (b"\xff\xfe\x00", b"\n")], ids=["half", "not UTF-8"])
def test_a_damaged_line_is_told_and_its_run_is_made_again(made, executed, capsys, line, end):
    kept = file(made).read_bytes().splitlines(keepends=True)
    lost = rows(made)[-1]["key"]
    file(made).write_bytes(b"".join(kept[:-1]) + line + end)
    for arguments in (["--list"], ["--report"], [ID, *OPTIONS[1:]]):
        code, out, err = command(["reproduce", *arguments, "--quick", "--out", str(made)], capsys)
        assert code == 0
        assert f"{file(made)}, line {len(kept)}: " in err
        assert "the line is not used.\n" in err
        assert out
    assert [run.key for task in executed for run in task.runs] == [lost]
    executed.clear()
    command(["reproduce", ID, *OPTIONS, "--out", str(made)], capsys)
    assert executed == []


def test_a_row_without_its_numbers_is_told_and_made_again(made, executed, capsys):
    text = file(made).read_text()
    file(made).write_text(text.replace('"zero_columns": 0', '"zero_columns": "none"', 1))
    code, _, err = command(["reproduce", ID, *OPTIONS, "--out", str(made)], capsys)
    assert code == 0
    assert f"""{file(made)}, line 2: 'zero_columns' is "none"; it needs an integer; the line is not used.""" in err
    assert len([run for task in executed for run in task.runs]) == 1


@pytest.mark.extended
def test_everything_at_reduced_size_within_five_minutes(tmp_path):
    script = Path(sys.executable).with_name("orthoprox")
    environment = {"ORTHOPROX_CMU_HOUSE": "", **os.environ}
    done = subprocess.run(
        [script, "reproduce", "--quick", "--out", tmp_path], capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr
    assert done.stdout == f"The report is {tmp_path / 'index.html'}\n"
    for name in names():
        if not load(name).uses:
            found = rows(tmp_path, name)
            assert len(found) == len(load(name, quick=True).runs())
            assert "ERROR" not in {row["status"] for row in found}
    page = (tmp_path / "index.html").read_text()
    assert all(f'id="{name}"' in page and name in (tmp_path / "report.md").read_text() for name in SECTIONS)
    tables = {path.name for path in (tmp_path / "tables").iterdir()}
    figures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {name.removesuffix(".md") for name in tables if name.endswith(".md")} == {
        name.removesuffix(".tex") for name in tables if name.endswith(".tex")
    }
    assert all(f"{name}-1.{end}" in tables for name in SECTIONS if name.startswith("table-") for end in ("md", "tex"))
    assert all(f"{name}.{end}" in figures for name in SECTIONS if name.startswith("fig-") for end in ("png", "svg"))
    assert all(
        (tmp_path / folder / name).stat().st_size > 0
        for folder in ("tables", "figures")
        for name in os.listdir(tmp_path / folder)
    )
    assert chromium.inspect(tmp_path / "index.html") == ([], [])
