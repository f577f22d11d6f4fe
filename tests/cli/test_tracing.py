"""``orthoprox path``: variance against nonzeros."""

import csv
from pathlib import Path

import numpy as np
import pytest

import orthoprox
from orthoprox.cli.__main__ import main as cli

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")
WINE = Path(orthoprox.__file__).parent / "datasets" / "wine.csv"
PNG = b"\x89PNG"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_numbers_are_those_of_the_estimator(folder, capsys):
    assert cli(["path", str(WINE), "-n", "3", "--nonzeros", "20,12,6"]) == 0
    X = np.loadtxt(WINE, delimiter=",", skiprows=1)
    path = orthoprox.SparsePCA(3, scale=True).path(X, [20, 12, 6])
    found = rows("wine-path.csv")
    assert [int(row["nonzeros"]) for row in found] == [20, 12, 6]
    assert [float(row["explained_variance_ratio"]) for row in found] == path.explained_variance_ratio.tolist()
    assert {float(row["pca_variance_ratio"]) for row in found} == {path.pca}
    assert (folder / "wine-path.png").read_bytes().startswith(PNG)
    out = capsys.readouterr().out
    assert repr(path) in out
    assert "The numbers are in wine-path.csv, the picture is wine-path.png" in out


def test_a_covariance_matrix_has_the_path_of_its_data(folder):
    X = np.loadtxt(WINE, delimiter=",", skiprows=1)
    names = WINE.read_text().splitlines()[0]
    np.savetxt("C.csv", np.corrcoef(X, rowvar=False), delimiter=",", header=names, comments="")
    assert cli(["path", "C.csv", "--covariance", "-n", "3", "--nonzeros", "12", "--quiet"]) == 0
    assert cli(["path", str(WINE), "-n", "3", "--nonzeros", "12", "--quiet"]) == 0
    ours, theirs = (float(rows(f"{name}-path.csv")[0]["explained_variance_ratio"]) for name in ("C", "wine"))
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_by_default_there_are_twelve_numbers_from_all_loadings_to_single_variables():
    assert cli(["path", str(WINE), "-n", "2", "--out", "mine", "--quiet", "--effort", "fast"]) == 0
    numbers = [int(row["nonzeros"]) for row in rows("mine.csv")]
    assert numbers[0] == 26
    assert numbers[-1] == 2
    assert numbers == sorted(numbers, reverse=True)


def test_files_that_are_there_stay_unless_forced(folder, capsys):
    (folder / "wine-path.csv").write_text("mine")
    arguments = ["path", str(WINE), "-n", "2", "--nonzeros", "5"]
    assert cli(arguments) == 2
    assert "wine-path.csv is there already" in capsys.readouterr().err
    assert (folder / "wine-path.csv").read_text() == "mine"
    assert cli([*arguments, "--force"]) == 0
    assert rows("wine-path.csv")[0]["nonzeros"] == "5"


@pytest.mark.parametrize(("arguments", "message"), [(["--nonzeros", "1"], "n_nonzero = 1"), (["-n", "99"], "99")])
def test_wrong_numbers_are_one_line(capsys, arguments, message):
    assert cli(["path", str(WINE), *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
