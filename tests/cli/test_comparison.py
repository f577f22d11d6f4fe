"""``orthoprox compare``: methods on one problem, from one start."""

import csv
from pathlib import Path

import numpy as np
import pytest

import orthoprox
from orthoprox.cli.__main__ import main as cli

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")
WINE = Path(orthoprox.__file__).parent / "datasets" / "wine.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(path="wine-compare.csv"):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_methods_reach_one_objective_that_the_estimator_certifies(folder, capsys):
    """SparsePCA minimises the same penalised problem."""
    assert cli(["compare", str(WINE), "-n", "2", "--methods", "adaptive,manpg,lsalm", "--alpha", ".3"]) == 0
    found = rows()
    assert [row["method"] for row in found] == ["adaptive", "manpg", "lsalm"]
    assert {row["status"] for row in found} == {"converged"}
    X = np.loadtxt(WINE, delimiter=",", skiprows=1)
    expected = orthoprox.SparsePCA(2, alpha=0.3, scale=True, start="pca").fit(X).result_.projected_objective
    for row in found:
        assert float(row["objective"]) == pytest.approx(expected, rel=1e-6)
        assert float(row["stationarity"]) <= 1e-6
    assert (folder / "wine-compare.png").stat().st_size > 10000
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["method", "adaptive", "manpg", "lsalm"]
    assert "The numbers are in wine-compare.csv" in lines[-1]


@pytest.mark.parametrize("start", ["pca", "coordinates", "random"])
def test_all_begin_at_the_same_point(monkeypatch, start):
    starts, minimize = [], orthoprox.minimize

    def noted(problem, start, **options):
        starts.append(np.array(start))
        return minimize(problem, start, **options)

    monkeypatch.setattr(orthoprox, "minimize", noted)
    arguments = ["--methods", "manpg,soc,rpn-cg", "--start", start, "--seed", "3", "--max-iterations", "1"]
    assert cli(["compare", str(WINE), "-n", "3", *arguments, "--quiet"]) == 0
    assert {row["iterations"] for row in rows()} == {"1"}
    assert len(starts) == 3
    for X in starts:
        np.testing.assert_array_equal(X, starts[0])
    np.testing.assert_allclose(starts[0].T @ starts[0], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "manpg,none"], "A method is 'none'; it needs one of 'adaptive'"),
        (["--methods", "rgd"], "RGD needs a smooth objective"),
        (["--alpha", "0"], "--alpha is 0"),
        (["-n", "14"], "-n is 14, but there are 13 variables"),
    ],
)
def test_what_cannot_be_compared_is_one_line(folder, capsys, arguments, message):
    assert cli(["compare", str(WINE), *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(folder.iterdir())
