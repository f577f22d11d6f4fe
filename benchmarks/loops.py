"""The cost of a first-order iteration: in the compiled loop, in a stack of runs, and alone; and
what compiling and loading the loop take.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.loops
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import orthoprox as op
from orthoprox._adaptive.batch import Stack
from orthoprox._adaptive.compiled import Walks
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.reproduce.table import markdown

PHASE = FirstOrder(replace(SETTINGS, slow=float("inf")), alone=True)  # which never stagnates
STACK, STEPS, LOOPS = 16, 100, 5000  # runs side by side; iterations with and without Python between them
LOADING = "from time import process_time as t; a = t(); import numba; from orthoprox._adaptive import walk; print(t() - a)"


def problems() -> dict[str, op.Problem]:
    """Return the problems by name."""
    rng = np.random.default_rng(0)
    dense = {
        f"({m}, {n})": op.problems.sparse_pca(rng.standard_normal((2 * m, m)), n, 5.0) for m, n in ((13, 4), (30, 8), (61, 8))
    }
    return dense | {"(256, 4), sparse": op.problems.compressed_modes(256, 4, 0.1)}


def microseconds(advance: Callable[[int], None], runs: int, iterations: int) -> str:
    """Return the processor time of an iteration of one run."""
    advance(iterations // 10)
    began = process_time()
    advance(iterations)
    return f"{(process_time() - began) / (runs * iterations) * 1e6:.1f}"


def row(name: str, problem: op.Problem) -> list[str]:
    """Return what an iteration costs in three ways."""
    first = PHASE.first(problem, op.stiefel.random_point(*problem.shape, seed=1))
    ways = ((Walks.of([first]), LOOPS), (Stack.of([first] * STACK), STEPS), (Stack.of([first]), STEPS))
    return [
        name,
        *(microseconds(lambda k, runs=runs: runs.advance(PHASE, problem, k, -1.0), len(runs), k) for runs, k in ways),
    ]


def main() -> None:
    """Print the table, and the seconds of compiling and loading."""
    rows = [row(name, problem) for name, problem in problems().items()]
    print(markdown(["(m, n)", "compiled", f"in a stack of {STACK}", "alone"], rows))
    with TemporaryDirectory() as folder:
        for what in ("compiling", "loading"):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run([sys.executable, "-c", LOADING], env=environment, capture_output=True, text=True, check=True)
            print(f"{what}, import of numba and orthoprox included: {float(done.stdout):.1f} s")


if __name__ == "__main__":
    main()
