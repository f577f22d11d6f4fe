"""What every method for nonsmooth problems reaches at its defaults; writes docs/certificates.md.

python -m benchmarks.certificates
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.reproduce.table import markdown

PAGE = Path(__file__).parents[1] / "docs" / "certificates.md"
RUNS: dict[float, dict[str, Any]] = {  # the budgets of each tolerance
    1e-4: {},
    1e-6: {"max_iterations": 100_000, "max_seconds": 20.0},
}
HEADER = ["method", "tol", "status", "iterations", "run_seconds", "stationarity", "X'X - I", "P'P - I", "objective"]

INTRODUCTION = f"""\
# Certificates at the defaults

Made by `make bench-certificates`; do not edit.

Each method for nonsmooth problems runs with its default parameters from one random start (seed 0), with no tuning for the
problem: `op.minimize(problem, "random", method=name, tol=tol, polish=False)`. Runs with `tol` = 1e-4 have the default budget
of iterations; for reference,
longer ones with 1e-6 have {RUNS[1e-6]["max_iterations"]} iterations and {RUNS[1e-6]["max_seconds"]:g} seconds.

- `status`: converged, if `tol` bounds the stationarity, both feasibilities and the distance of X to P.
- `run_seconds`: of the method alone: the steps and what the stopping rule reads.
- `stationarity`: the distance to stationarity at the prox point P, relative to the gradient; an upper bound, proved by the
  certificate.
- `X'X - I` and `P'P - I`: Frobenius norms, of the method's point X and of its prox point P.
- `objective`: at the nearest point with X'X = I. The problems are nonconvex; methods may end in different stationary points.

A run that used up its time shows its best measured point, every other one its last. Seconds, and what a run reaches within its
time, depend on the machine."""


def problems() -> dict[str, op.Problem]:
    """Return the problems, all of shape (100, 10), by what they are."""
    A = np.random.default_rng(0).standard_normal((50, 100))
    A = A - A.mean(axis=0)
    return {
        "Sparse PCA, five components: `five_components(200, 100, seed=1)`, mu = 0.5": op.problems.sparse_pca(
            op.datasets.five_components(200, 100, seed=1), 10, 0.5
        ),
        "Sparse PCA, Gaussian: 50 x 100, centred, columns of norm 1, mu = 0.8": op.problems.sparse_pca(
            A / np.linalg.norm(A, axis=0), 10, 0.8
        ),
        "Compressed modes: `compressed_modes(100, 10, 0.1)`": op.problems.compressed_modes(100, 10, 0.1),
    }


def run(problem: op.Problem, method: str, tol: float) -> list[str]:
    """Run one method and return its line of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        result = op.minimize(problem, "random", method=method, tol=tol, polish=False, **RUNS[tol])
    return [
        method,
        f"{tol:g}",
        result.status.name.lower(),
        str(result.iterations),
        f"{result.run_seconds:.1f}",
        f"{result.stationarity:.1e}",
        f"{result.feasibility:.1e}",
        f"{result.certificate.feasibility:.1e}",
        f"{result.projected_objective:.6f}",
    ]


def page() -> str:
    """Run everything and return the page."""
    methods = [name for name, kind in op.SOLVERS.items() if kind.facts.nonsmooth]
    sections = [
        f"## {title}\n\n" + markdown(HEADER, [run(problem, name, tol) for name in methods for tol in RUNS])
        for title, problem in problems().items()
    ]
    return "\n\n".join([INTRODUCTION, *sections]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(PAGE.read_text())
