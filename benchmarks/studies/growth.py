"""How time and memory grow with m, n and p, with exponents fitted on logarithms."""

import ctypes
import resource
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.studies.target import Target
from benchmarks.studies.task import Row, Task
from benchmarks.studies.timing import warm_up

import orthoprox as op
from orthoprox.reproduce.table import markdown

MEASURES = {"iteration": "seconds of an iteration", "memory": "memory, MB"}
_MEGABYTE = 1024  # kilobytes


def run(task: Task) -> list[Row]:
    """Solve one problem and report its time, and the memory it needs beside the data."""
    warm_up()
    instance = task.instance()
    A = instance.matrix(np.random.default_rng(task.seed))
    before = peak()
    problem = op.problems.sparse_pca(A, instance.shape[1], instance.penalty["mu"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        result = op.minimize(problem, history=False, max_seconds=task.common["seconds"])
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE - before
    (m, n), p = problem.shape, len(A)
    return [
        {
            "series": task.settings["name"],
            "vary": task.settings["vary"],
            "at": {"m": m, "n": n, "p": p}[task.settings["vary"]],
            "m": m,
            "n": n,
            "p": p,
            "seconds": result.seconds,
            "iterations": result.iterations,
            "iteration": result.run_seconds / max(1, result.iterations),
            "memory": used,
            "objective": result.projected_objective,
            "kkt_error": result.measurement.kkt_error,
            "sparsity": result.sparsity,
            "status": result.status.name,
        }
    ]


def peak() -> float:
    """Return the megabytes in use, without what was freed before, and count their peak anew from
    here (Linux only).
    """
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE


def exponent(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return (a, c) of the least squares fit  log value = a log size + log c, over the values that
    are above 0.
    """
    positive = [(size, value) for size, value in zip(sizes, values, strict=True) if value > 0]
    if len(positive) < 2:
        return float("nan"), float("nan")
    slope, height = np.polyfit(*np.log(positive).T, 1)
    return float(slope), float(np.exp(height))


def series(rows: Sequence[Row], name: str, measure: str) -> tuple[list[float], list[float]]:
    """Return sizes and the medians of a measure over the seeds."""
    own = [row for row in rows if row["series"] == name]
    sizes = sorted({row["at"] for row in own})
    return sizes, [median(row[measure] for row in own if row["at"] == size) for size in sizes]


def names(rows: Sequence[Row]) -> list[str]:
    """Return the series, in the order in which they come."""
    return list(dict.fromkeys(row["series"] for row in rows))


def table(rows: Sequence[Row]) -> str:
    """Return one line for each size, and the exponents below."""
    lines = [
        [
            row["series"],
            *(f"{row[size]}" for size in "mnp"),
            f"{row['seconds']:.1f}",
            f"{row['iterations']}",
            f"{1e3 * row['iteration']:.1f}",
            f"{row['memory']:.0f}",
            f"{row['kkt_error']:.0e}",
            f"{100 * row['sparsity']:.2f} %",
        ]
        for row in rows
    ]
    header = ["series", "m", "n", "p", "seconds", "iterations", "iteration, ms", "memory, MB", "KKT error", "sparsity"]
    return f"{markdown(header, lines)}\n\n{exponents(rows)}"


def exponents(rows: Sequence[Row]) -> str:
    """Return the fitted exponents."""
    found = [
        [name, *(f"{exponent(*series(rows, name, measure))[0]:.2f}" for measure in (*MEASURES, "seconds"))]
        for name in names(rows)
    ]
    return markdown(["series", "exponent of an iteration", "of memory", "of the whole call"], found)


def targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return what became of the largest problem."""
    largest = max(rows, key=lambda row: row["m"])
    claim = f"largest problem, m = {largest['m']} features with n = {largest['n']}"
    found = f"{largest['seconds']:.0f} s, {largest['memory']:.0f} MB, KKT error {largest['kkt_error']:.0e}"
    return [Target(claim, f"m = {wanted['features']}", found, largest["m"] >= wanted["features"])]
