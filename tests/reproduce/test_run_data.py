"""The data of the matching: the CMU House where it is at hand, a drawn house where it is not."""

import pytest

from orthoprox.reproduce import run as reproduce
from reproduced import ID, PART, executed_runs, rows, taken

pytestmark = pytest.mark.usefixtures("without_network")


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
    monkeypatch.setattr(reproduce, "work", lambda agenda: executed.extend(taken(agenda)))
    with pytest.raises(ValueError, match="no rows"):
        reproduce.reproduce(["table-matching"], quick=True, out=tmp_path)
    assert {run.settings["problem"]["data"] for run in executed_runs(executed)} == {"cmu_house"}


def test_rows_of_the_drawn_house_do_not_keep_the_real_one_away(tmp_path, monkeypatch, executed):
    reproduce.reproduce(["table-matching"], quick=True, out=tmp_path, where=["seed<1"])
    executed.clear()
    monkeypatch.setattr(reproduce, "cmu_house", lambda: None)
    monkeypatch.setattr(reproduce, "work", lambda agenda: executed.extend(taken(agenda)))
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
