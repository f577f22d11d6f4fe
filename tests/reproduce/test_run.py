"""From specs to a report: what is missing is run, and what is there is kept."""

import json
import re

import pytest

from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce.fingerprint import fingerprint
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.spec import load, names
from reproduced import ID, PART, executed_runs, file, made_by_other_code, rows, taken

pytestmark = pytest.mark.usefixtures("without_network")


def ledger(out):
    return Ledger(file(out), lambda run: fingerprint(run.settings))


@pytest.mark.extended
def test_a_part_of_a_study_in_processes_of_its_own(tmp_path):
    page = reproduce.reproduce([ID], quick=True, out=tmp_path, where=PART)
    assert page == tmp_path / "index.html"
    assert page.is_file()
    places = {(row["at"]["r"], row["at"]["beta"], row["at"]["seed"]) for row in rows(tmp_path)}
    assert places == {(7.0, beta, seed) for beta in (0.1, 0.13) for seed in range(3)}
    assert len(rows(tmp_path)) == 6
    assert {row["status"] for row in rows(tmp_path)} == {"CONVERGED", "STALLED"}
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == [".claims", f"{ID}.jsonl"]
    assert "6 of 198 runs are shown." in page.read_text()


def test_the_page_has_the_command_that_makes_the_part(made):
    reproduce.reproduce([ID], quick=True, out=made, run=False)
    command = f"orthoprox reproduce --quick {ID} --where 'beta <= 0.13' --where 'r <= 7'"
    assert f"```console\n{command}\n```" in (made / "report.md").read_text()


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
    again = ledger(made).rows(load(ID, quick=True).runs())
    assert sorted(json.dumps({**row, "state": ""}, sort_keys=True) for row in again) == sorted(
        json.dumps({**json.loads(line), "state": ""}, sort_keys=True) for line in lines
    )


def test_stale_rows_are_run_again(made, executed, capsys):
    made_by_other_code(made)
    reproduce.reproduce([ID], quick=True, out=made, where=PART)
    assert len(executed_runs(executed)) == 6
    assert "fig-qp-r-beta: 6 rows are stale, made by other code; they are run again." in capsys.readouterr().err
    again = ledger(made)
    assert [again.state(run) for run in load(ID, quick=True).runs()].count(State.DONE) == 6
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
    monkeypatch.setattr(reproduce, "work", lambda agenda: executed.extend(taken(agenda)))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(quick=True, out=tmp_path)
    everything = [run.key for name in names() for run in load(name, quick=True).runs()]
    moved = {run.key for name in ("table-matching", "tested-steps") for run in load(name, quick=True).runs()}  # on other data
    assert {run.key for run in executed_runs(executed)} >= set(everything) - moved
    assert len(executed_runs(executed)) == len(everything)


def test_what_draws_the_runs_of_another_runs_them_once_into_its_file(tmp_path, executed, monkeypatch):
    monkeypatch.setattr(reproduce, "work", lambda agenda: executed.extend(taken(agenda)))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(["fig-spca-scaling", "table-spca"], quick=True, out=tmp_path)
    assert [run.key for run in executed_runs(executed)] == [run.key for run in load("table-spca", quick=True).runs()]
    known = reproduce.items(tmp_path, quick=True)
    assert known["fig-spca-scaling"].ledger is known["table-spca"].ledger
    assert known["table-spca"].ledger.path == file(tmp_path, "table-spca")


@pytest.mark.parametrize("name", ["table-spca", "table-spca-rsm"])
def test_sparse_pca_goes_from_the_spec_to_the_table(tmp_path, executed, small, name):
    reproduce.reproduce([name], quick=True, out=tmp_path)
    found = rows(tmp_path, name)
    assert len(found) == 2 * 2 * 4
    assert reproduce.items(tmp_path, quick=True)[name].ledger.damaged == []
    assert {row["status"] for row in found} <= {"CONVERGED", "ITERATIONS"}
    assert all(row["iterations"] > 0 and row["run_cpu_seconds"] > 0 for row in found)
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
