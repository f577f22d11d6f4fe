"""From specs to a report: what is missing is run, what is there is kept, and the command says what is wrong."""

import json
import os
import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

import chromium
import orthoprox
from orthoprox.cli import main as cli
from orthoprox.reproduce import bar, workers
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.bar import Bar
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.sections import SECTIONS, scaling
from orthoprox.reproduce.spec import load, names

ID = "fig-qp-r-beta"
PART = ["r<8", "beta<=0.13"]  # r = 7, beta = .1 and .13, three seeds
OPTIONS = ["--quick", "--where", PART[0], "--where", PART[1]]


def no_data():
    raise FileNotFoundError("no network")


@pytest.fixture(autouse=True)
def without_network(monkeypatch):
    monkeypatch.setattr(reproduce, "cmu_house", no_data)
    monkeypatch.delenv("ORTHOPROX_CMU_HOUSE", raising=False)
    monkeypatch.setattr(workers, "cores", lambda: 1)


@pytest.fixture
def executed(monkeypatch):
    """Let tasks be executed at once, in this process, and return those that are."""
    found = []

    def work(todo, done):
        for task in todo:
            found.append(task)
            done(task, workers._execute(task.study, [run.settings for run in task.runs]))

    monkeypatch.setattr(reproduce, "work", work)
    return found


@pytest.fixture
def made(executed, tmp_path):
    """Return a folder with a part of one study."""
    reproduce.reproduce([ID], quick=True, out=tmp_path, where=PART)
    executed.clear()
    return tmp_path


def file(out, name=ID):
    return out / "rows" / f"{name}.jsonl"


def rows(out, name=ID):
    entries = [json.loads(line) for line in file(out, name).read_text().splitlines()]
    return [entry for entry in entries if "key" in entry]


def executed_runs(tasks):
    return [run for task in tasks for run in task.runs]


# What is run


def test_a_part_of_a_study_in_processes_of_its_own(tmp_path):
    page = reproduce.reproduce([ID], quick=True, out=tmp_path, where=PART)
    assert page == tmp_path / "index.html"
    assert page.is_file()
    places = {(row["at"]["r"], row["at"]["beta"], row["at"]["seed"]) for row in rows(tmp_path)}
    assert places == {(7.0, beta, seed) for beta in (0.1, 0.13) for seed in range(3)}
    assert len(rows(tmp_path)) == 6
    assert {row["status"] for row in rows(tmp_path)} == {"CONVERGED", "STALLED"}
    assert [path.name for path in (tmp_path / "rows").iterdir()] == [f"{ID}.jsonl"]
    assert "6 of 198 runs are shown." in page.read_text()


def test_a_second_call_repeats_nothing(made, executed):
    before = file(made).read_bytes()
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    assert executed == []
    assert file(made).read_bytes() == before


def test_more_of_a_study_adds_to_what_is_there(made, executed):
    before = file(made).read_bytes()
    reproduce.reproduce([ID], quick=True, out=made, where=["r<8", "beta<=0.16"])
    assert {run.at["beta"] for run in executed_runs(executed)} == {0.16}
    assert file(made).read_bytes().startswith(before)
    assert len(rows(made)) == 9


def test_an_interrupted_study_resumes_with_what_is_missing(made, executed):
    lines = file(made).read_text().splitlines(keepends=True)
    head, *lines = lines
    kept = [head, *(lines[k] for k in (0, 3, 4))]
    file(made).write_text("".join(kept) + lines[5][:30])  # killed while it wrote a row
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    lost = {json.loads(lines[k])["key"] for k in (1, 2, 5)}
    assert {run.key for run in executed_runs(executed)} == lost
    assert len(executed_runs(executed)) == 3
    assert file(made).read_text().startswith("".join(kept))
    again = Ledger(file(made)).rows(load(ID, quick=True).runs())
    assert sorted(json.dumps({**row, "state": ""}, sort_keys=True) for row in again) == sorted(
        json.dumps({**json.loads(line), "state": ""}, sort_keys=True) for line in lines
    )


def made_by_other_code(out):
    file(out).write_text(file(out).read_text().replace('"code": "', '"code": "x'))


def test_stale_rows_are_run_again(made, executed, capsys):
    made_by_other_code(made)
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    assert len(executed_runs(executed)) == 6
    assert "fig-qp-r-beta: 6 rows are stale, made by other code; they are run again." in capsys.readouterr().err
    ledger = Ledger(file(made))
    assert [ledger.state(run) for run in load(ID, quick=True).runs()].count(State.DONE) == 6
    assert "stale" not in (made / "report.md").read_text()


def test_stale_rows_can_be_kept_and_the_report_says_so(made, executed, capsys):
    made_by_other_code(made)
    before = file(made).read_bytes()
    page = reproduce.reproduce([ID], quick=True, out=made, where=PART, keep=True)
    assert executed == []
    assert file(made).read_bytes() == before
    assert "they are kept" in capsys.readouterr().err
    for text in (page.read_text(), (made / "report.md").read_text()):
        assert "6 of them are stale: they were made by other code than the present one." in text


def test_a_run_that_raised_is_run_again(made, executed):
    lines = rows(made)
    error = {key: lines[0][key] for key in ("key", "code", "version", "origin", "at")} | {
        "status": "ERROR",
        "message": "ValueError: no",
    }
    with file(made).open("a") as rows_:
        rows_.write(json.dumps(error) + "\n")
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    assert [run.key for run in executed_runs(executed)] == [error["key"]]
    assert "ValueError: no" not in (made / "report.md").read_text()


def test_errors_of_runs_stand_in_the_report(made, executed):
    lines = rows(made)
    error = {key: lines[0][key] for key in ("key", "code", "version", "origin", "at")} | {
        "status": "ERROR",
        "message": "ValueError: no",
    }
    with file(made).open("a") as rows_:
        rows_.write(json.dumps(error) + "\n")
    reproduce.reproduce([ID], quick=True, out=made, run=False)
    assert executed == []
    text = (made / "report.md").read_text()
    assert "Error: ValueError: no" in text
    assert "error 1" in text


def test_nothing_is_run_without_run(made, executed):
    before = file(made).read_bytes()
    (made / "index.html").unlink()
    page = reproduce.reproduce(quick=True, out=made, run=False)
    assert executed == []
    assert file(made).read_bytes() == before
    assert f'id="{ID}"' in page.read_text()


def test_there_is_no_report_without_rows(tmp_path, executed):
    with pytest.raises(ValueError, match="has no rows yet, so there is nothing to report"):
        reproduce.reproduce(quick=True, out=tmp_path / "new", run=False)
    assert executed == []
    assert not (tmp_path / "new").exists()


def test_the_report_shows_all_that_has_rows_and_says_what_is_reduced(made, executed):
    page = reproduce.reproduce(["fig-qp-beta"], quick=True, out=made, where=["seed<2", "beta<0.3"])
    assert len(executed_runs(executed)) == 4
    text = page.read_text()
    assert text.index('id="fig-qp-beta"') < text.index(f'id="{ID}"')
    assert "Reduced size: problems, grids and budgets are far smaller than the paper's" in (made / "report.md").read_text()
    assert 'id="table-spca"' not in text


def test_only_what_is_named_is_run_by_default_everything(tmp_path, executed, monkeypatch):
    monkeypatch.setattr(reproduce, "work", lambda todo, done: executed.extend(todo))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(quick=True, out=tmp_path)
    everything = [run.key for name in names() for run in load(name, quick=True).runs()]
    moved = {run.key for run in load("table-matching", quick=True).runs()}  # on other data
    assert {run.key for run in executed_runs(executed)} >= set(everything) - moved
    assert len(executed_runs(executed)) == len(everything)


def test_what_draws_the_runs_of_another_runs_them_once_into_its_file(tmp_path, executed, monkeypatch):
    monkeypatch.setattr(reproduce, "work", lambda todo, done: executed.extend(todo))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(["fig-spca-scaling", "table-spca"], quick=True, out=tmp_path)
    assert [run.key for run in executed_runs(executed)] == [run.key for run in load("table-spca", quick=True).runs()]
    known = reproduce.items(tmp_path, quick=True)
    assert known["fig-spca-scaling"].ledger is known["table-spca"].ledger
    assert known["table-spca"].ledger.path == file(tmp_path, "table-spca")


def tiny(name, *, quick=False):
    """Return a spec, sparse PCA at a size that takes no time."""
    spec = load(name, quick=True)
    if spec.uses or spec.study not in ("spca", "spca_compared"):
        return spec
    content = deepcopy(dict(spec.content))
    content["problem"]["p"], content["grid"]["m"] = 50, [20, 30]
    content["stop"]["max_iterations"] = 300
    if spec.study == "spca_compared":
        content["problem"]["steps"], content["baseline"]["max_iterations"] = 5, 300
    return type(spec)(name, content)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(reproduce, "load", tiny)
    monkeypatch.setattr(scaling, "load", tiny)


@pytest.mark.parametrize("name", ["table-spca", "table-spca-rsm"])
def test_sparse_pca_goes_from_the_spec_to_the_table(tmp_path, executed, small, name):
    reproduce.reproduce([name], quick=True, out=tmp_path)
    found = rows(tmp_path, name)
    assert len(found) == 2 * 2 * 4
    assert {row["status"] for row in found} <= {"CONVERGED", "ITERATIONS"}
    assert all(row["iterations"] > 0 and row["cpu_seconds"] > 0 for row in found)
    text = (tmp_path / "tables" / f"{name}-1.md").read_text()
    assert re.findall(r"^\| (\d+) ", text, flags=re.MULTILINE) == ["20", "30"]
    if name == "table-spca":
        assert (tmp_path / "figures" / "fig-spca-scaling.png").is_file()
    else:
        assert {row["distance"] for row in found if row["at"]["solver"] == "manpg-ada"} == {0.0}
        assert all(row["start_objective"] >= row["objective"] for row in found)


def test_methods_that_are_compared_are_run_together_even_if_one_is_asked_for(tmp_path, executed, small):
    where = ["solver==lsalm", "m==20", "seed<1"]
    reproduce.reproduce(["table-spca-rsm"], quick=True, out=tmp_path, where=where)
    found = rows(tmp_path, "table-spca-rsm")
    assert [row["at"]["solver"] for row in found] == ["manpg-ada", "soc", "radmm", "lsalm"]
    assert {(row["at"]["m"], row["at"]["seed"]) for row in found} == {(20, 0)}
    assert "ERROR" not in {row["status"] for row in found}


def test_one_method_of_sparse_pca_can_be_run_alone(tmp_path, executed, small):
    page = reproduce.reproduce(["table-spca"], quick=True, out=tmp_path, where=["solver==lsalm"])
    assert {row["at"]["solver"] for row in rows(tmp_path, "table-spca")} == {"lsalm"}
    assert "4 of 16 runs are shown." in page.read_text()


# The data


def test_without_the_cmu_house_the_matching_is_run_on_a_drawn_one_and_the_report_says_so(tmp_path, executed, capsys):
    page = reproduce.reproduce(["table-matching"], quick=True, out=tmp_path, where=["seed<1"])
    found = executed_runs(executed)
    assert [run.settings["problem"]["data"] for run in found] == ["synthetic_house"] * 4
    assert "CMU House data are not at hand" in capsys.readouterr().err
    assert {row["status"] for row in rows(tmp_path, "table-matching")} == {"CONVERGED"}
    for text in (page.read_text(), (tmp_path / "report.md").read_text()):
        assert "The CMU House data are not at hand, so this was run on synthetic" in text
        assert "ORTHOPROX" in text
        assert "not comparable" in text
    executed.clear()
    again = reproduce.reproduce(quick=True, out=tmp_path, run=False)
    assert "The CMU House data are not at hand" in again.read_text()


def test_with_the_cmu_house_the_matching_is_run_on_it(tmp_path, monkeypatch, executed):
    monkeypatch.setattr(reproduce, "cmu_house", lambda: None)
    monkeypatch.setattr(reproduce, "work", lambda todo, done: executed.extend(todo))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(["table-matching"], quick=True, out=tmp_path)
    assert {run.settings["problem"]["data"] for run in executed_runs(executed)} == {"cmu_house"}


def test_rows_of_the_drawn_house_do_not_keep_the_real_one_away(tmp_path, monkeypatch, executed):
    reproduce.reproduce(["table-matching"], quick=True, out=tmp_path, where=["seed<1"])
    executed.clear()
    monkeypatch.setattr(reproduce, "cmu_house", lambda: None)
    monkeypatch.setattr(reproduce, "work", lambda todo, done: executed.extend(todo))
    reproduce.reproduce(["table-matching"], quick=True, out=tmp_path, where=["seed<1"])
    assert {run.settings["problem"]["data"] for run in executed_runs(executed)} == {"cmu_house"}


def test_a_folder_that_the_user_named_must_hold_the_data(tmp_path, monkeypatch, executed):
    monkeypatch.setenv("ORTHOPROX_CMU_HOUSE", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="no network"):
        reproduce.reproduce(["table-matching"], quick=True, out=tmp_path)
    assert executed == []


def test_the_data_are_not_looked_for_unless_they_are_needed(made, executed, monkeypatch):
    monkeypatch.setattr(reproduce, "cmu_house", lambda: pytest.fail("it would be downloaded"))
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    reproduce.reproduce(quick=True, out=made, run=False)
    reproduce.listing(made, quick=True)


# Ids, the list, and the progress


def test_a_wrong_id_gets_the_nearest_one_suggested(tmp_path, executed):
    with pytest.raises(ValueError, match="Did you mean 'fig-qp-range'"):
        reproduce.reproduce(["fig-qp-rang"], quick=True, out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_condition_is_refused_before_anything_is_run(tmp_path, executed):
    with pytest.raises(ValueError, match="is not a condition"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["r=8"])
    with pytest.raises(ValueError, match="cannot be compared"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["solver<8"])
    with pytest.raises(ValueError, match=r"The coordinate in 'bta < 1' is 'bta'.* Did you mean 'beta'"):
        reproduce.reproduce([ID], quick=True, out=tmp_path, where=["bta<1"])
    assert executed == []
    assert list(tmp_path.iterdir()) == []


def test_the_list_has_all_ids_with_their_counts(made):
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in reproduce.listing(made, quick=True).splitlines()]
    assert lines[0][:7] == ["id", "in the paper", "runs", "minutes", "done", "stale", "missing"]
    table = {line[0]: line for line in lines[2:]}
    assert list(table) == names()
    assert table[ID][1:7] == ["Figure 3", "198", "< 1", "6", "0", "192"]
    for name in names():
        if not load(name).uses and name != ID:
            count = str(len(load(name, quick=True).runs()))
            assert [table[name][k] for k in (2, 4, 5, 6)] == [count, "0", "0", count]
    assert table["fig-spca-scaling"][2:7] == [""] * 5
    assert "drawn from table-spca" in table["fig-spca-scaling"][7]
    made_by_other_code(made)
    assert re.search(r"fig-qp-r-beta .*\| 198 +\| < 1 +\| 0 +\| 6 +\| 192 ", reproduce.listing(made, quick=True))


def test_progress_is_told_on_standard_error(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bar, "monotonic", lambda: now[0])
    with Bar(100.0) as shown:
        now[0] = 5.0
        shown.advance(10.0, "first")
        now[0] = 20.0
        shown.advance(10.0, "second")
        now[0] = 21.0
        shown.advance(30.0, "third")
        now[0] = 100.0
        shown.advance(50.0, "last")
    found = capsys.readouterr()
    assert found.out == ""
    assert [line.split() for line in found.err.splitlines()] == [
        ["20", "%", "80", "s", "remaining", "second"],
        ["100", "%", "0", "s", "remaining", "last"],
    ]


def test_progress_ends_with_all_of_the_work_in_whatever_order_it_is_done(capsys):
    parts = [0.1, 0.2, 0.3]
    with Bar(sum(parts)) as shown:
        for work in reversed(parts):
            shown.advance(work, "some")
    assert capsys.readouterr().err.startswith("100 %")


# The command


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
def test_a_wrong_command_gives_code_2_and_the_usage(capsys, arguments):
    code, out, err = command(arguments, capsys)
    assert (code, out) == (2, "")
    assert err.startswith("usage: orthoprox")


def test_ctrl_c_gives_code_130_and_keeps_what_was_finished(tmp_path, capsys, monkeypatch):
    def interrupted(todo, done):
        assert len(todo) == 3, "one task for each seed"
        done(todo[0], workers._execute(todo[0].study, [run.settings for run in todo[0].runs]))
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "work", interrupted)
    code, _, err = command(["reproduce", ID, *OPTIONS, "--out", str(tmp_path)], capsys)
    assert code == 130
    assert "interrupted. What was finished is kept; the same command goes on from there." in err
    assert [row["at"]["seed"] for row in rows(tmp_path)] == [0, 0]
    assert not (tmp_path / "index.html").exists()


def test_a_killed_process_gives_code_2(tmp_path, capsys, monkeypatch):
    def killed(todo, done):
        raise RuntimeError("A process that executes runs was killed.")

    monkeypatch.setattr(reproduce, "work", killed)
    code, _, err = command(["reproduce", ID, *OPTIONS, "--out", str(tmp_path)], capsys)
    assert (code, err) == (2, "orthoprox: A process that executes runs was killed.\n")


# Everything, once


@pytest.mark.slow
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
