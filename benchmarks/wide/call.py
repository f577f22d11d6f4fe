"""Whole calls in this process.

    python -m benchmarks.wide.call FILE KIND PART VARIANT

One row for each seed of a variant is written to FILE, as JSON lines. The calibration loop runs
before and after them. Small problems are solved beforehand, which pays for what is loaded at the
first use.
"""

import json
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from time import perf_counter, process_time
from typing import Any

import numpy as np
from benchmarks.calibration import unit
from benchmarks.wide.cases import Case, cases, value

import orthoprox as op

POWER, MORE = 4, 10  # steps and further columns of a randomized SVD


def main(file: Path, *place: str) -> None:
    """Write the rows."""
    before = unit()
    _warm_up()
    own = [case for case in cases() if (case.kind, case.part, case.variant) == place]
    rows = [row for row in map(_row, own) if row is not None]
    seconds = mean([before, unit()])
    with file.open("w", encoding="utf-8") as lines:
        for row in rows:
            times = {"units": row["cpu_seconds"] / seconds, "ratio": row["cpu_seconds"] / row["svd_seconds"]}
            lines.write(json.dumps({**row, **times, "unit": seconds}) + "\n")


def _row(case: Case) -> dict[str, Any] | None:
    """Return what a call found and took; None if there are no data."""
    data = case.data()
    if data is None:
        return None
    A, truth = data
    base = _megabytes()
    if case.kind == "estimator":
        estimator, times = _timed(lambda: op.SparsePCA(n_components=case.options["n"]).fit(A))
        result, problem = estimator.result_, estimator.result_.problem
    else:
        problem = case.problem(A)
        result, times = _timed(lambda: op.minimize(problem))
    memory = _megabytes()
    sparse = result.X if result.polished else result.certificate.point  # which has exact zeros
    nonzeros = np.count_nonzero(np.asarray(sparse), axis=0)
    _, (svd_seconds, _) = _timed(lambda: _svd(problem.smooth.A, case.options["n"]))
    reference = None
    if truth is not None and case.kind == "planted":
        reference = value(problem, _timed(lambda: op.minimize(problem, truth))[0].X)
    return {
        "at": case.at,
        "part": case.part,
        "variant": case.variant,
        "shape": [int(problem.smooth.A.shape[0]), *map(int, problem.shape)],
        "cpu_seconds": times[0],
        "seconds": times[1],
        "svd_seconds": svd_seconds,
        "objective": value(problem, result.X),
        "truth": reference,
        "converged": bool(result.converged),
        "kkt_error": float(result.measurement.kkt_error),
        "iterations": int(result.iterations),
        "gradients": int(result.work.gradients),
        "nonzeros": [int(nonzeros.min()), int(np.median(nonzeros)), int(nonzeros.max())],
        "megabytes": memory,
        "data_megabytes": base,
        "phases": {part.name: [round(part.seconds, 4), part.gradients] for part in result.phases},
    }


def _timed(call: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """Return what a call returns, and its processor time and wall time."""
    cpu, wall = process_time(), perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        found = call()
    return found, (process_time() - cpu, perf_counter() - wall)


def _svd(A: Any, n: int) -> Any:
    """Return the n leading right singular vectors of A, by a randomized method (Halko, Martinsson
    and Tropp 2011).
    """
    Q = np.random.default_rng(0).standard_normal((A.shape[1], n + MORE))
    for _ in range(POWER):
        Q = np.linalg.qr(A.T @ np.linalg.qr(A @ Q)[0])[0]
    return Q @ np.linalg.svd(A @ Q, full_matrices=False)[2][:n].T


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _warm_up() -> None:
    rng = np.random.default_rng(0)
    for m, n in ((8, 2), (60, 6)):
        op.minimize(op.problems.sparse_pca(rng.standard_normal((m, m)), n, 1.0))
    A = rng.standard_normal((20, 2100))
    op.minimize(op.problems.sparse_pca(A, 10, 10.0))
    op.SparsePCA(n_components=2).fit(A[:, :10])


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
