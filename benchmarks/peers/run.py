"""Runs another package on a sparse PCA problem, in its own environment and process, with one BLAS
thread.

    outcome = solve("pymanopt", A, n, mu, X0)

minimises -|AX|^2 + mu |X|_1 subject to X'X = I from X0. What the package says of its result is not
used: compare it by ``problem.value(polar(outcome.X))``.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile

import numpy as np

from benchmarks.peers import environment

Matrix = np.ndarray[Any, Any]

HERE = Path(__file__).parent
PACKAGES = tuple(sorted(path.stem for path in environment.REQUIREMENTS.glob("*.txt")))
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Outcome:
    """What a package found, or why it found nothing."""

    X: Matrix | None = None  # as the package returned it
    seconds: float = nan  # of the solve alone, on the wall clock
    cpu_seconds: float = nan
    iterations: int = 0
    note: str = ""  # how it ended, in the package's words
    error: str = ""  # empty if there is an X


def solve(package: str, A: Matrix, n: int, mu: float, X0: Matrix, *, timeout: float | None = None) -> Outcome:
    """Run a package of ``PACKAGES``, for ``timeout`` seconds at the most; a failure of any kind is
    told in ``error``.
    """
    return solve_all(package, [{"A": A, "n": n, "mu": mu, "X0": X0}], timeout=timeout)[0]


def solve_all(package: str, tasks: Sequence[dict[str, Any]], *, timeout: float | None = None) -> list[Outcome]:
    """Run a package on several tasks in one process, with ``timeout`` seconds for all of them."""
    try:
        interpreter = environment.python(package)
    except RuntimeError as reason:
        return [Outcome(error=str(reason))] * len(tasks)
    return ask(interpreter, HERE / f"{package}_.py", tasks, timeout)


def ask(interpreter: Path, script: Path, tasks: Sequence[dict[str, Any]], timeout: float | None = None) -> list[Outcome]:
    """Run a script on tasks and return what it answers."""
    with TemporaryDirectory() as folder:
        files = []
        for k, task in enumerate(tasks):
            files += [Path(folder) / f"task{k}.npz", Path(folder) / f"answer{k}.npz"]
            np.savez(files[-2], **task)
        command = [str(interpreter), "-E", str(script), *map(str, files)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ONE_THREAD, timeout=timeout)
            error = done.stderr or f"{script.name} ended with code {done.returncode} and without an answer."
        except subprocess.TimeoutExpired:
            error = f"No answer within {timeout:g} seconds."
        return [_read(target, error) for target in files[1::2]]


def _read(target: Path, error: str) -> Outcome:
    try:
        with np.load(target) as answer:
            return _outcome(dict(answer))
    except (FileNotFoundError, EOFError, BadZipFile):  # never begun, or stopped while it was written
        return Outcome(error=error)


def _outcome(answer: dict[str, Any]) -> Outcome:
    if "error" in answer:
        return Outcome(error=str(answer["error"]))
    if not np.isfinite(answer["X"]).all():
        return Outcome(error="The answer is not finite.")
    return Outcome(
        X=answer["X"],
        seconds=float(answer["seconds"]),
        cpu_seconds=float(answer["cpu_seconds"]),
        iterations=int(answer["iterations"]),
        note=str(answer["note"]),
    )
