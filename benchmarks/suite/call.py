"""Whole calls of minimize in this process, with whatever orthoprox it has.

    python -m benchmarks.suite.call FOLDER REPEAT [--without-numba] [--fresh] [--thorough]

FOLDER has a file of arrays for each call, 0.npz, 1.npz, ...; beside each an answer is written,
0.answer.npz with X and 0.answer.json with the rest. The calibration loop runs before and after
them. A small problem is solved beforehand, which pays for what is loaded or compiled at the first
use; not with --fresh. It uses only names that every version has.
"""

import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from benchmarks.calibration import unit

TINY, LARGER = (8, 2), (60, 6)  # m, n of what is solved beforehand


def main(folder: Path, repeat: int, *options: str) -> None:
    """Answer every file."""
    if "--without-numba" in options:
        sys.modules["numba"] = None  # type: ignore[assignment]
    import orthoprox as op

    before = unit()
    if "--fresh" not in options:
        warm_up(op)
    given = {"effort": "thorough"} if "--thorough" in options else {}
    answers = []
    for source in sorted(folder.glob("*.npz"), key=lambda path: int(path.stem)):
        with np.load(source) as arrays:
            answers.append((source, _answer(op, dict(arrays), repeat, given)))
    seconds = mean([before, unit()])
    for source, (X, row) in answers:
        np.savez(source.with_suffix(".answer.npz"), X=X)
        source.with_suffix(".answer.json").write_text(json.dumps({**row, "unit": seconds}), encoding="utf-8")


def _answer(op: Any, task: dict[str, Any], repeat: int, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    n, mu, make = int(task["n"]), float(task["mu"]), op.problems
    problem = make.compressed_modes(int(task["m"]), n, mu) if "m" in task else make.sparse_pca(task["A"], n, mu)
    given = given | ({"start": task["X0"]} if "X0" in task else {})
    times = []
    for _ in range(repeat):
        wall, cpu = perf_counter(), process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", op.ConvergenceWarning)
            result = op.minimize(problem, **given)
        times.append((process_time() - cpu, perf_counter() - wall))
    cpu, wall = (median(column) for column in zip(*times, strict=True))
    found = {"cpu_seconds": cpu, "seconds": wall, "status": result.status.name, "iterations": result.iterations}
    if hasattr(result, "work"):
        found["work"] = asdict(result.work)
        found["phases"] = {part.name: [round(part.seconds, 5), part.gradients] for part in result.phases}
    return np.asarray(result.X), found


def warm_up(op: Any) -> None:
    """Pay for what is loaded or compiled at the first use."""
    rng = np.random.default_rng(0)
    for m, n in (TINY, LARGER):
        op.minimize(op.problems.sparse_pca(rng.standard_normal((m, m)), n, 1.0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
