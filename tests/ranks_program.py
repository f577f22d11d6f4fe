"""What the tests run under mpirun, as ``python -m mpi4py ranks_program.py CASE FILE``: each rank
writes what it found to FILE.rank.npz.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import orthoprox as op
from cases import Alone

COMM = MPI.COMM_WORLD
P, M, N = 60, 8, 2


def rows():
    rng = np.random.default_rng(0)
    return rng.standard_normal((P, M)) * np.linspace(1, 3, M)


def problem(term=None, m=M):
    mine = np.array_split(rows(), COMM.size)[COMM.rank]
    return op.Problem(op.smooth.Sharded(term or op.smooth.LogCosh(mine[:, :m]), COMM), op.nonsmooth.L1(2.0), (m, N))


def whole():
    """All rows in one process."""
    return op.Problem(op.smooth.Sharded(op.smooth.LogCosh(rows()), Alone()), op.nonsmooth.L1(2.0), (M, N))


def found(result):
    return {"X": result.X, "objective": result.objective, "status": result.status.name, "iterations": result.iterations}


def same():
    """The same start, seed and method on every rank, and in one process."""
    return found(op.minimize(problem(), "random", seed=3))


def first_decides():
    """Every rank has another start, another seed and another clock."""
    time.sleep(0.05 * COMM.rank)
    start = op.stiefel.random_point(M, N, seed=COMM.rank)
    result = op.minimize(problem(), start, seed=np.random.default_rng(COMM.rank), method="lsalm", max_seconds=0.05, tol=1e-300)
    other = op.minimize(problem(), "random", seed=COMM.rank, n_starts=2, tol=1e-3)
    return {**found(result), "other": other.X}


def solvers():
    X0 = op.stiefel.random_point(M, N, seed=0)
    points = {
        name: op.solve(problem(), op.SOLVERS[name](), X0, stop=op.stopping.MaxIterations(20)).X for name in ("lsalm", "manpg")
    }
    seconds = op.solve(problem(), op.LSALM(), X0, stop=op.stopping.MaxSeconds(0.2))
    return {**points, "iterations": seconds.iterations}


def other_tolerance():
    return found(op.minimize(problem(), seed=0, start="random", tol=1e-2 if COMM.rank else 1e-10))


def other_point():
    term = op.smooth.Sharded(op.smooth.LogCosh(rows()), COMM)
    return {"l": term.value(op.stiefel.random_point(M, N, seed=COMM.rank))}


def other_columns():
    return found(op.minimize(problem(m=M - COMM.rank), seed=0))


def bad_option():
    return found(op.minimize(problem(), seed=0, **({"tol": -1.0} if COMM.rank else {})))


class Failing(op.smooth.LogCosh):
    calls = 0

    def value_and_grad(self, X):
        self.calls += 1
        return self._checked(super().value_and_grad(X))

    def grad(self, X):
        self.calls += 1
        return self._checked(super().grad(X))

    def _checked(self, found):
        if COMM.rank == 1 and self.calls > 7:
            raise OSError("the disk is gone")
        return found


def failing_rank():
    return found(op.minimize(problem(Failing(np.array_split(rows(), COMM.size)[COMM.rank])), seed=0))


def killed():
    def callback(now):
        if now.iteration == 3 and COMM.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    return found(op.minimize(problem(), seed=0, callback=callback, method="lsalm", tol=1e-300))


def _checkpointed(callback=None, resume=True):
    file = Path(sys.argv[2]).parent / "run.npz"
    options = {"checkpoint": file, "checkpoint_every": 0.0, "resume": resume, "max_iterations": 60}
    return found(op.minimize(problem(), "random", seed=0, callback=callback, method="lsalm", tol=1e-300, **options))


def checkpoint_killed():
    def callback(now):
        if now.iteration == 30 and COMM.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    return _checkpointed(callback)


def checkpoint_refused():
    """The file is there, and nobody asked to go on from it."""
    return _checkpointed(resume=False)


def checkpoint_resumed():
    seen = []
    return {**_checkpointed(lambda now: seen.append(now.iteration)), "first": min(seen)}


if __name__ == "__main__":
    case, file = sys.argv[1:]
    try:
        np.savez(f"{file}.{COMM.rank}.npz", **globals()[case]())
    except Exception as error:
        Path(f"{file}.{COMM.rank}.error").write_text(f"{type(error).__name__}: {error}")
        sys.exit(3)
