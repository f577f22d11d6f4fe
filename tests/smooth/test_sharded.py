"""A term whose rows are on several ranks: threads here, processes of mpirun in the second tier."""

import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import orthoprox as op
from cases import Alone, normal
from orthoprox._run.call import ranks_of
from orthoprox.streams.ranks import RankError
from started import mpirun
from thread_ranks import on_ranks

A = normal(0, 24, 5)
PROGRAM = Path(__file__).parents[1] / "ranks_program.py"


def test_the_sum_over_ranks_is_the_term_of_all_rows():
    X, whole = normal(1, 5, 2), op.smooth.LogCosh(A)

    def parts(comm):
        term = op.smooth.Sharded(op.smooth.LogCosh(np.array_split(A, comm.size)[comm.rank]), comm)
        return term.value(X), term.grad(X), *term.value_and_grad(X)

    for value, D, value_too, D_too in on_ranks(3, parts):
        np.testing.assert_allclose([value, value_too], whole.value(X), rtol=1e-13)
        np.testing.assert_allclose(D, whole.grad(X), atol=1e-13)
        np.testing.assert_allclose(D_too, whole.grad(X), atol=1e-13)


def test_ranks_with_other_shapes_all_raise():
    def problem(comm):
        m = 5 - comm.rank
        return op.Problem(op.smooth.Sharded(op.smooth.LogCosh(A[:, :m]), comm), op.nonsmooth.L1(1.0), (m, 2))

    for error in on_ranks(2, problem):
        assert isinstance(error, RankError)
        assert "rank 0 takes X of shape (5, 2), rank 1 takes X of shape (4, 2)" in str(error)


def test_a_sharded_term_stays_in_its_process_and_is_made_of_a_term():
    term = op.smooth.Sharded(op.smooth.LogCosh(A), Alone())
    with pytest.raises(TypeError, match="cannot go to others"):
        pickle.dumps(term)
    with pytest.raises(TypeError, match="term is 'A', a str; it needs an instance of Smooth"):
        op.smooth.Sharded("A", Alone())
    assert ranks_of(op.Problem(term, op.nonsmooth.L1(1.0), (5, 2))) is term.ranks
    assert ranks_of(op.Problem(op.smooth.LogCosh(A), op.nonsmooth.L1(1.0), (5, 2))) is None


def on_processes(case, size, folder):
    """Return the outcome of a case of ``ranks_program.py``, and what each rank has written."""
    done = mpirun(size, sys.executable, "-m", "mpi4py", PROGRAM, case, folder / "found")
    found = []
    for rank in range(size):
        error = folder / f"found.{rank}.error"
        found.append(error.read_text() if error.exists() else None)
        if error.exists() is False and (folder / f"found.{rank}.npz").exists():
            found[-1] = dict(np.load(folder / f"found.{rank}.npz"))
    return done, found


@pytest.mark.extended
def test_every_rank_has_the_iterates_of_one_process(tmp_path):
    done, found = on_processes("same", 2, tmp_path)
    assert done.returncode == 0, done.stderr
    import ranks_program

    alone = op.minimize(ranks_program.whole(), "random", seed=3)
    for mine in found:
        np.testing.assert_array_equal(mine["X"], found[0]["X"])
        assert mine["iterations"] == found[0]["iterations"]
        assert mine["objective"] == pytest.approx(alone.objective, rel=1e-9)


@pytest.mark.extended
@pytest.mark.parametrize("size", [2, 4])
def test_methods_take_the_same_steps_as_in_one_process(size, tmp_path):
    done, found = on_processes("solvers", size, tmp_path)
    assert done.returncode == 0, done.stderr
    import ranks_program

    X0 = op.stiefel.random_point(ranks_program.M, ranks_program.N, seed=0)
    for name in ("lsalm", "manpg"):
        alone = op.solve(ranks_program.whole(), op.SOLVERS[name](), X0, stop=op.stopping.MaxIterations(20))
        for mine in found:
            np.testing.assert_array_equal(mine[name], found[0][name])
            np.testing.assert_allclose(mine[name], alone.X, atol=1e-9)
    assert len({int(mine["iterations"]) for mine in found}) == 1  # rank 0's clock is that of all


@pytest.mark.extended
def test_rank_0_decides_starts_seeds_and_deadlines(tmp_path):
    done, found = on_processes("first_decides", 2, tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("X", "iterations", "other"):
        np.testing.assert_array_equal(found[0][name], found[1][name])
    assert str(found[0]["status"]) == str(found[1]["status"]) == "TIME"


@pytest.mark.extended
@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("other_tolerance", "RankError: The ranks disagree: rank 0 .*, rank 1 "),
        ("other_point", "each evaluates l, but at different points"),
        ("other_columns", r"rank 0 takes X of shape \(8, 2\), rank 1 takes X of shape \(7, 2\)"),
        ("bad_option", "tol = -1; it needs a finite number > 0"),
        ("failing_rank", "rank 1: OSError: the disk is gone"),
    ],
)
def test_ranks_that_disagree_all_raise(case, message, tmp_path):
    done, found = on_processes(case, 2, tmp_path)
    assert done.returncode == 3
    for text in found:
        assert isinstance(text, str), done.stderr
        assert re.search(message, text), text


@pytest.mark.extended
def test_a_killed_rank_ends_the_job(tmp_path):
    done, found = on_processes("killed", 2, tmp_path)
    assert done.returncode == 128 + 9
    assert "exited on\nsignal 9 (Killed)" in done.stdout + done.stderr
    assert found == [None, None]


@pytest.mark.extended
@pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")
def test_a_job_goes_on_from_the_checkpoint_of_rank_0_after_a_kill(tmp_path):
    done, _ = on_processes("checkpoint_killed", 2, tmp_path)
    assert done.returncode == 128 + 9
    assert (tmp_path / "run.npz").exists()
    done, found = on_processes("checkpoint_resumed", 2, tmp_path)
    assert done.returncode == 0, done.stderr
    import ranks_program

    alone = op.minimize(ranks_program.whole(), "random", seed=0, method="lsalm", tol=1e-300, max_iterations=60)
    for mine in found:
        assert mine["first"] > 20
        np.testing.assert_array_equal(mine["X"], found[0]["X"])
        np.testing.assert_allclose(mine["X"], alone.X, atol=1e-9)
    done, found = on_processes("checkpoint_refused", 2, tmp_path)
    assert all("FileExistsError" in text for text in found), found
