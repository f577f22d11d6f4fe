"""``orthoprox spca``: from a table to components and files."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import orthoprox
from orthoprox.cli.__main__ import main as cli

pytest.importorskip("sklearn")
WINE = Path(orthoprox.__file__).parent / "datasets" / "wine.csv"
FILES = ["loadings.csv", "model.npz", "report.html", "result.json", "scores.csv"]
HOSTILE = ["<img src=x onerror=alert(1)>", '"quo\'ted"', "=cmd()|calc", "line\nbreak", "\u202ertl\u202c", "[red]x[/red]"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def small(rows=40, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns))


def write(path, X, names, rows=None):
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(names if rows is None else ["", *names])
        lines.writerows(X.tolist() if rows is None else [[name, *row] for name, row in zip(rows, X.tolist(), strict=True)])


def test_the_files_hold_what_the_estimator_finds(folder):
    assert cli(["spca", str(WINE), "-n", "4", "--nonzeros", "20", "--quiet"]) == 0
    assert sorted(os.listdir(folder / "wine-spca")) == FILES
    X = np.loadtxt(WINE, delimiter=",", skiprows=1)
    expected = orthoprox.SparsePCA(4, n_nonzero=20, scale=True, random_state=0).fit(X)
    loadings, scores = read("wine-spca/loadings.csv"), read("wine-spca/scores.csv")
    assert loadings[0] == ["variable", "component_1", "component_2", "component_3", "component_4"]
    assert [row[0] for row in loadings[1:]] == WINE.read_text().splitlines()[0].split(",")
    np.testing.assert_array_equal(np.array([row[1:] for row in loadings[1:]], dtype=float), expected.components_.T)
    np.testing.assert_array_equal(np.array([row[1:] for row in scores[1:]], dtype=float), expected.transform(X))
    assert [row[0] for row in scores[1:]] == [str(row) for row in range(1, 179)]
    model = orthoprox.SparsePCA.load("wine-spca/model.npz")
    np.testing.assert_array_equal(model.components_, expected.components_)
    assert list(model.feature_names_in_) == [row[0] for row in loadings[1:]]
    for name in ("flavanoids", "od280/od315_of_diluted_wines"):
        assert name in Path("wine-spca/report.html").read_text()


def test_the_result_is_enough_to_run_it_again(capsys):
    arguments = ["spca", str(WINE), "-n", "3", "--alpha", ".2", "--no-scale", "--seed", "7", "--json"]
    assert cli(arguments) == 0
    printed, stored = json.loads(capsys.readouterr().out), json.loads(Path("wine-spca/result.json").read_text())
    assert printed == stored | {"folder": "wine-spca"}
    assert stored["command"] == f"orthoprox spca {WINE} -n 3 --alpha .2 --no-scale --seed 7 --json"
    assert stored["seed"] == 7
    assert {"orthoprox", "numpy", "scipy", "scikit-learn", "python"} <= set(stored["versions"])
    assert stored["settings"]["alpha"] == 0.2
    assert stored["settings"]["scale"] is False
    pca = np.linalg.svd(np.loadtxt(WINE, delimiter=",", skiprows=1) - np.mean(np.loadtxt(WINE, delimiter=",", skiprows=1), 0))[
        1
    ]
    np.testing.assert_allclose(stored["pca_explained"], pca[:3] ** 2 / np.sum(pca**2), rtol=1e-10)
    assert sum(stored["explained"]) <= sum(stored["pca_explained"]) + 1e-12
    curve = stored["curve"]
    assert curve["nonzeros"][0] == 39
    np.testing.assert_allclose(curve["explained"][0], stored["pca_explained_total"], rtol=1e-8)


def test_the_summary_names_components_and_the_report(capsys):
    assert cli(["spca", str(WINE), "-n", "2"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.startswith("wine.csv: 178 rows, 13 variables; 2 components with ")
    for text in ("component 2: ", "% of the variance", "flavanoids +0.", "certificate: ", "as many principal components"):
        assert text in out.out
    assert out.out.splitlines()[-1] == f"The report is {Path('wine-spca/report.html')}"


def test_results_are_not_overwritten_unless_forced(folder, capsys):
    out = folder / "wine-spca"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert cli(["spca", str(WINE), "-n", "2", "--quiet"]) == 0
    before = (out / "loadings.csv").read_text()
    assert cli(["spca", str(WINE), "-n", "3"]) == 2
    assert capsys.readouterr().err == (
        "orthoprox: 'wine-spca' has results already (loadings.csv, scores.csv, result.json, model.npz, report.html); "
        "name another folder with --out DIR, or add --force.\n"
    )
    assert (out / "loadings.csv").read_text() == before
    assert cli(["spca", str(WINE), "-n", "3", "--force", "--quiet"]) == 0
    assert (out / "loadings.csv").read_text() != before
    assert sorted(os.listdir(out)) == sorted([*FILES, "notes.txt"])


def test_hostile_names_are_text(capsys):
    write("h.csv", small(), HOSTILE, [f"=row{i}()" for i in range(40)])
    assert cli(["spca", "h.csv", "-n", "6", "--alpha", "0"]) == 0
    out = capsys.readouterr().out
    assert "\u202e" not in out
    assert "line\nbreak" not in out
    for shown in (HOSTILE[0], HOSTILE[1], HOSTILE[2], "line↵break", "⟨U+202E⟩rtl⟨U+202C⟩", HOSTILE[5]):
        assert shown in out
    assert [row[0] for row in read("h-spca/loadings.csv")[1:]] == [*HOSTILE[:2], "'=cmd()|calc", *HOSTILE[3:]]
    assert all(row[0].startswith("'=row") for row in read("h-spca/scores.csv")[1:])
    assert HOSTILE[0] not in Path("h-spca/report.html").read_text()
    assert json.loads(Path("h-spca/result.json").read_text())["variables"] == HOSTILE


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start):
    write("f.csv", small(columns=3), [f"{start}a", "b", "c"])
    assert cli(["spca", "f.csv", "--quiet"]) == 0
    assert read("f-spca/loadings.csv")[1][0] in (f"'{start}a", "a")  # names lose white space around them


def test_a_covariance_matrix(capsys):
    X = small()
    C = np.corrcoef(X.T)
    write("c.csv", C, list("abcdef"), list("abcdef"))
    assert cli(["spca", "c.csv", "--covariance", "-n", "2", "--quiet"]) == 0
    assert sorted(os.listdir("c-spca")) == [name for name in FILES if name != "scores.csv"]
    write("x.csv", X, list("abcdef"))
    assert cli(["spca", "x.csv", "-n", "2", "--quiet"]) == 0
    of_samples, of_matrix = (json.loads(Path(f"{name}-spca/result.json").read_text()) for name in "xc")
    np.testing.assert_allclose(of_matrix["explained"], of_samples["explained"], rtol=1e-8)
    np.testing.assert_allclose(of_matrix["pca_explained"], of_samples["pca_explained"], rtol=1e-8)
    np.testing.assert_allclose(of_matrix["curve"]["explained"], of_samples["curve"]["explained"], rtol=1e-6)
    assert cli(["spca", "c.csv", "--force"]) == 0
    assert "add --covariance" in capsys.readouterr().out


def test_sparsity_is_the_share_of_zeros():
    assert cli(["spca", str(WINE), "-n", "4", "--sparsity", ".75", "--quiet"]) == 0
    stored = json.loads(Path("wine-spca/result.json").read_text())
    assert stored["settings"]["n_nonzero"] == 0.25
    assert stored["nonzeros_total"] == 13


def test_fewer_components_than_five_where_the_table_is_small():
    write("s.csv", small(3, 6), list("abcdef"))
    assert cli(["spca", "s.csv", "--quiet"]) == 0
    assert len(json.loads(Path("s-spca/result.json").read_text())["components"]) == 2


REFUSED = {
    "one row": ("a,b\n1,2\n", [], "has one row of numbers"),
    "one column": ("a\n1\n2\n", [], "has one column of numbers, 'a'"),
    "empty": ("", [], "is empty"),
    "missing": ("a,b\n1,2\n,3\n2,2\n", [], "1 missing value: row 2 of 'a'"),
    "too many": ("a,b\n1,2\n2,3\n2,2\n", ["-n", "3"], "ask for at most 2 components"),
    "nonzeros": ("a,b\n1,2\n2,3\n2,2\n", ["-n", "2", "--nonzeros", "9"], "n_nonzero = 9"),
    "alpha": ("a,b\n1,2\n2,3\n2,2\n", ["--alpha", "2"], "'alpha' parameter"),
    "nonnegative": ("a,b\n1,2\n2,3\n2,2\n", ["--nonnegative", "--nonzeros", "3"], "share no variable, ask for at most 2"),
    "column": ("a,b\n1,2\n2,3\n2,2\n", ["--drop", "c"], "--drop has 'c', but no column has this name"),
    "seconds": ("a,b\n1,2\n2,3\n2,2\n", ["--max-seconds", "-1"], "max_seconds = -1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_errors_are_one_line_with_the_fix(case, capsys):
    text, options, message = REFUSED[case]
    Path("t.csv").write_text(text)
    assert cli(["spca", "t.csv", *options]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.startswith("orthoprox: ")
    assert message in out.err
    assert out.err.count("\n") == 1
    assert not Path("t-spca").exists()


@pytest.mark.parametrize("options", [["--sparsity", "2"], ["--nonzeros", "x"], ["--alpha", "1", "--nonzeros", "3"], []])
def test_wrong_options_are_one_line(options, capsys):
    with pytest.raises(SystemExit) as ended:
        cli(["spca", *(["t.csv", *options] if options else [])])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.endswith("see orthoprox spca --help.\n")


def test_debug_shows_where_an_error_comes_from(capsys):
    assert cli(["spca", "nothing.csv", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err
    assert cli(["--debug", "spca", "nothing.csv"]) == 2
    assert "Traceback" in capsys.readouterr().err
    assert cli(["spca", "nothing.csv"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_without_scikit_learn_the_extra_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "orthoprox.estimators.sparse_pca", raising=False)
    assert cli(["spca", str(WINE)]) == 2
    assert capsys.readouterr().err.endswith('pip install "orthoprox[sklearn]".\n')


class Missing:
    """Finds nothing where pandas or rich are asked for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "rich"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_text_needs_no_pandas(monkeypatch):
    """As if they were not installed; scikit-learn looks for pandas among the modules."""
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pandas", "rich")]:
        monkeypatch.delitem(sys.modules, name)
    assert cli(["spca", str(WINE), "-n", "2", "--quiet"]) == 0
    assert cli(["transform", "wine-spca/model.npz", str(WINE), "--out", "s.csv"]) == 0


@pytest.mark.parametrize("name", ["spca", "transform"])
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit):
        cli([name, "--help"])
    assert "examples:\n  orthoprox " in capsys.readouterr().out


def test_a_time_budget_is_kept_and_told():
    """Half a second for a table that takes longer: the end is near it, and the status says so."""
    np.save("wide.npy", np.random.default_rng(0).standard_normal((400, 1500)))
    began = time.perf_counter()
    assert cli(["spca", "wide.npy", "--max-seconds", ".5", "--tol", "1e-13", "--quiet"]) == 0
    stored = json.loads(Path("wide-spca/result.json").read_text())
    assert stored["converged"] == stored["status"].startswith("Converged")
    assert time.perf_counter() - began < 20
    X = np.array([row[1:] for row in read("wide-spca/loadings.csv")[1:]], dtype=float)
    assert np.max(np.abs(X.T @ X - np.eye(5))) < 1e-10


PRESSING = """
import os, signal, sys
from orthoprox.cli.__main__ import main
from {module} import {kind}
before, calls = {kind}.{method}, []
def pressed(self, *given):
    calls.append(1)
    if len(calls) == {number}:
        os.kill(os.getpid(), signal.SIGINT)
    return before(self, *given)
{kind}.{method} = pressed
sys.exit(main(sys.argv[1:]))
"""


def interrupted(*options, at, number):
    """Run the command in another process, which gets SIGINT at the call of a method with this
    number.
    """
    module, kind, method = at.rsplit(".", 2)
    program = PRESSING.format(module=module, kind=kind, method=method, number=number)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program, "spca", *options, "--quiet"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_ctrl_c_writes_what_there_is():
    """In the middle of a run the best point so far is written, with the status INTERRUPTED."""
    ended = interrupted(str(WINE), "--alpha", ".02", at="orthoprox.solvers.adaptive.Adaptive.step", number=5)
    assert (ended.returncode, ended.stderr) == (130, "orthoprox: interrupted; what was found is in 'wine-spca'.\n")
    assert sorted(os.listdir("wine-spca")) == FILES
    stored = json.loads(Path("wine-spca/result.json").read_text())
    assert stored["status"].startswith("Interrupted")
    assert not stored["converged"]


def test_ctrl_c_during_the_search_for_nonzeros_writes_what_there_is():
    """Components with the wanted nonzeros, which further search might improve."""
    at = "orthoprox.estimators.search.Search.best"
    ended = interrupted(str(WINE), "-n", "4", "--nonzeros", "20", at=at, number=1)
    assert (ended.returncode, ended.stderr) == (130, "orthoprox: interrupted; what was found is in 'wine-spca'.\n")
    stored = json.loads(Path("wine-spca/result.json").read_text())
    assert stored["status"].startswith("Interrupted")
    loadings = np.genfromtxt("wine-spca/loadings.csv", delimiter=",", skip_header=1)[:, 1:]
    assert np.count_nonzero(loadings) == 20


def test_ctrl_c_during_the_curve_keeps_the_components():
    ended = interrupted(str(WINE), at="orthoprox.estimators.fitting.Fitting.__init__", number=2)
    assert (ended.returncode, ended.stderr) == (130, "orthoprox: interrupted; what was found is in 'wine-spca'.\n")
    stored = json.loads(Path("wine-spca/result.json").read_text())
    assert stored["curve"] is None
    assert stored["converged"]
    assert "Ctrl-C was pressed" in stored["notes"][-1]


def test_ctrl_c_before_there_is_a_result():
    ended = interrupted(str(WINE), "--nonzeros", "20", at="orthoprox.estimators.fitting.Fitting.__init__", number=1)
    told = "orthoprox: interrupted before there was a result; nothing was written.\n"
    assert (ended.returncode, ended.stderr) == (130, told)
    assert not Path("wine-spca").exists()


def test_signals_are_as_before():
    before = signal.getsignal(signal.SIGINT)
    assert cli(["spca", str(WINE), "-n", "2", "--nonzeros", "6", "--quiet"]) == 0
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.extended
def test_a_wide_sparse_table_ends_within_its_time():
    """5,000 x 10,000 with four million nonzeros in a minute: it is not made dense, which takes
    .4 GB for each copy, and the status tells the truth.
    """
    program = (
        "import resource, sys\nfrom orthoprox.cli.__main__ import main\nended = main(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\nsys.exit(ended)\n"
    )
    rng = np.random.default_rng(0)
    scipy.io.mmwrite("cells.mtx", scipy.sparse.random(5000, 10000, density=0.08, random_state=rng))
    command = [sys.executable, "-c", program, "spca", "cells.mtx", "--max-seconds", "60", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    began = time.perf_counter()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert time.perf_counter() - began < 75  # with the start of Python and the writing of files
    assert int(ended.stdout) < 1_000_000  # kB
    stored = json.loads(Path("cells-spca/result.json").read_text())
    assert stored["converged"] == (stored["stationarity"] <= 1e-5)
    assert stored["converged"] == stored["status"].startswith("Converged")
