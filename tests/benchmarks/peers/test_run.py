"""Other packages are asked in their own processes: the task gets through, and so does every way to
fail.
"""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

import orthoprox as op
from benchmarks.peers import child, run

ROOT = Path(__file__).parents[3]
PEERS = ROOT / "benchmarks" / "peers"
CHILDREN = [*sorted(PEERS.glob("[a-z]*_.py")), PEERS / "child.py"]

RNG = np.random.default_rng(0)
TASK = {"A": RNG.standard_normal((9, 5)), "n": 2, "mu": 0.3, "X0": np.linalg.qr(RNG.standard_normal((5, 2)))[0]}


@pytest.fixture
def ask_all(tmp_path):
    """Ask a package whose ``solve`` has the given body, run by this interpreter."""

    def asked(body, timeout=60.0, tasks=(TASK,)):
        script = tmp_path / "fake_.py"
        head = f"import sys, time\nsys.path.insert(0, {str(PEERS)!r})\nimport numpy as np\nfrom child import Answer, answer\n"
        script.write_text(f"{head}\ndef solve(task):\n    {body}\n\nanswer(solve)\n")
        return run.ask(Path(sys.executable), script, tasks, timeout)

    return asked


@pytest.fixture
def ask(ask_all):
    return lambda *options, **named: ask_all(*options, **named)[0]


@pytest.mark.extended
def test_the_task_and_the_answer_get_through(ask):
    outcome = ask("return Answer(task.A.T @ task.A @ task.X0 * task.mu * task.n, 7, 'as told')")
    np.testing.assert_allclose(outcome.X, TASK["A"].T @ TASK["A"] @ TASK["X0"] * TASK["mu"] * TASK["n"])
    assert (outcome.iterations, outcome.note, outcome.error) == (7, "as told", "")


@pytest.mark.extended
def test_the_clock_counts_the_solve_alone(ask):
    """The tiny task beforehand is not on it; sleeping takes wall time but no processor time."""
    outcome = ask("time.sleep(0.2 if len(task.A) == 9 else 1.5); return Answer(task.X0, 1)")
    assert 0.2 <= outcome.seconds < 1.5
    assert 0 < outcome.cpu_seconds < 0.2


@pytest.mark.extended
def test_one_thread(ask):
    assert ask("import os; return Answer(task.X0, 1, os.environ['OPENBLAS_NUM_THREADS'])").note == "1"


@pytest.mark.extended
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise ValueError('no such luck')", "ValueError: no such luck"),
        ("return Answer(np.nan * task.X0, 1)", "not finite"),
        ("sys.exit('gone')", "gone"),
        ("import os; os._exit(3)", "code 3"),
    ],
)
def test_a_failure_is_an_outcome(ask, body, error):
    outcome = ask(body)
    assert outcome.X is None
    assert error in outcome.error


@pytest.mark.extended
def test_a_package_that_takes_too_long_is_stopped(ask):
    assert "within 1 seconds" in ask("time.sleep(60)", timeout=1.0).error


@pytest.mark.extended
def test_of_several_tasks_each_has_its_answer_or_its_error(ask_all):
    """One process answers all; what was done before it is stopped stays."""
    body = "assert task.mu != 0.5, 'half'; time.sleep(60 * (task.mu > 0.5)); return Answer(task.mu * task.X0, 1)"
    found = ask_all(body, timeout=5.0, tasks=[{**TASK, "mu": mu} for mu in (0.2, 0.5, 0.4, 0.9)])
    np.testing.assert_allclose(found[0].X, 0.2 * TASK["X0"])
    assert "half" in found[1].error
    np.testing.assert_allclose(found[2].X, 0.4 * TASK["X0"])
    assert "within 5 seconds" in found[3].error


def test_an_environment_that_cannot_be_made_is_an_outcome(monkeypatch):
    def python(package):
        raise RuntimeError("no network")

    monkeypatch.setattr(run.environment, "python", python)
    assert run.solve("pymanopt", **TASK).error == "no network"


def test_every_package_has_a_script_and_exact_versions():
    assert {f"{name}_.py" for name in run.PACKAGES} == {path.name for path in PEERS.glob("[a-z]*_.py")}
    for name in run.PACKAGES:
        lines = (PEERS / "requirements" / f"{name}.txt").read_text().splitlines()
        assert all(line.count("==") == 1 for line in lines)
        assert any(line.startswith(f"{name}==") for line in lines)


@pytest.mark.parametrize("path", CHILDREN, ids=lambda path: path.name)
def test_a_child_does_without_orthoprox(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        assert not {name.split(".")[0] for name in names} & {"orthoprox", "benchmarks"}


@pytest.mark.parametrize("shape", [(9, 5), (4, 5)], ids=["Gram", "no Gram"])
def test_the_smoothed_objective_is_ours_in_the_limit_and_has_its_gradient(shape):
    A, X = np.random.default_rng(1).standard_normal(shape), TASK["X0"]
    ours = op.problems.sparse_pca(A, 2, 0.3)
    assert child.Smoothed(child.Variance(A), 0.3, 1e-9).value(X) == pytest.approx(float(ours.value(X)))
    smoothed = child.Smoothed(child.Variance(A), 0.3, 0.1)
    V = np.random.default_rng(2).standard_normal(X.shape)
    slope = (smoothed.value(X + 1e-6 * V) - smoothed.value(X - 1e-6 * V)) / 2e-6
    assert np.vdot(smoothed.grad(X), V) == pytest.approx(slope, rel=1e-6)
