"""The side of the package: reads the task of the parent, solves it on the clock and writes the
answer. Needs only NumPy.

A package's script hands its ``solve(task) -> Answer`` to :func:`answer`. The clock runs during that
call alone: imports, reading and writing are not counted, and a tiny task solved beforehand pays for
what a library loads or compiles at its first use.
"""

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]

STAGES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # eps, the smoothing, of the continuation


@dataclass(frozen=True)
class Task:
    """Minimise -|AX|^2 + mu |X|_1 subject to X'X = I, from X0."""

    A: Matrix  # p x m
    n: int
    mu: float
    X0: Matrix  # m x n, X0'X0 = I


@dataclass(frozen=True)
class Answer:
    """What a package found."""

    X: Matrix
    iterations: int
    note: str = ""


class Variance:
    """-|AX|^2 and its gradient -2A'(AX), with A'A at hand where that is the smaller product.

    A'AX is kept for the last X: packages ask for the value and the gradient at one point
    separately.
    """

    def __init__(self, A: Matrix) -> None:
        self._A = A
        self._gram = A.T @ A if A.shape[1] <= A.shape[0] else None
        self._X: Matrix | None = None
        self._product: Matrix | None = None

    def value(self, X: Matrix) -> float:
        """Return -|AX|^2."""
        return -float(np.vdot(X, self._at(X)))

    def grad(self, X: Matrix) -> Matrix:
        """Return -2A'AX."""
        return -2 * self._at(X)

    def _at(self, X: Matrix) -> Matrix:
        if self._X is None or not (X is self._X or np.array_equal(X, self._X)):
            self._product = self._A.T @ (self._A @ X) if self._gram is None else self._gram @ X
            self._X = X.copy()
        return self._product


@dataclass(frozen=True)
class Smoothed:
    """-|AX|^2 + mu sum sqrt(x^2 + eps^2) and its gradient."""

    variance: Variance
    mu: float
    eps: float

    def value(self, X: Matrix) -> float:
        """Return the smoothed objective."""
        return self.variance.value(X) + self.mu * float(np.sum(np.sqrt(X * X + self.eps**2)))

    def grad(self, X: Matrix) -> Matrix:
        """Return its gradient."""
        return self.variance.grad(X) + self.mu * X / np.sqrt(X * X + self.eps**2)


def answer(solve: Callable[[Task], Answer]) -> None:
    """Solve the tasks in the files named first, third, ... and write each answer, or the error, to
    the file named behind it.
    """
    files = [Path(name) for name in sys.argv[1:]]
    for k, (source, target) in enumerate(zip(files[::2], files[1::2], strict=True)):
        with np.load(source) as arrays:
            task = Task(arrays["A"], int(arrays["n"]), float(arrays["mu"]), arrays["X0"])
        try:
            if k == 0:
                solve(_tiny())
            wall, cpu = perf_counter(), process_time()
            found = solve(task)
            wall, cpu = perf_counter() - wall, process_time() - cpu
        except Exception:
            np.savez(target, error=traceback.format_exc())
        else:
            np.savez(target, X=found.X, seconds=wall, cpu_seconds=cpu, iterations=found.iterations, note=found.note)


def _tiny() -> Task:
    rng = np.random.default_rng(0)
    return Task(rng.standard_normal((20, 8)), 2, 0.1, np.linalg.qr(rng.standard_normal((8, 2)))[0])
