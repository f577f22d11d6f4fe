"""Other packages on the same tables, each from three starts: a random one, the principal
components, and the one with which our default call begins. On the families other methods of this
library as well.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from time import process_time
from typing import Any

import numpy as np
from benchmarks.data import Matrix
from benchmarks.peers.run import Outcome, solve_all
from benchmarks.studies.contest import solved_by
from benchmarks.studies.task import Row
from benchmarks.suite.cases import Case
from benchmarks.suite.runs import objective

import orthoprox as op
from orthoprox.starts.search import search

STARTS = "random", "pca", "ours"


def grid(chosen: Sequence[Case], settings: dict[str, Any]) -> Iterator[Case]:
    """Yield the cases on which packages run: variants of the tables that differ by more than
    a factor, and the first seeds of the families.
    """
    wanted, families = settings["peers"], settings["families"]
    for case in chosen:
        if case.kind == "families" and case.seed - families[case.parts[0]]["first"] < wanted["families"]:
            yield case
        if case.kind == "tables" and case.variant in wanted["variants"]:
            yield case


def perform(chosen: Sequence[Case], wanted: dict[str, Any]) -> Iterator[tuple[Case, list[Row]]]:
    """Yield each case with its rows, one for each package or method and start; cases with the same
    data share a process.
    """
    for _, group in groupby(chosen, key=lambda case: case.group):
        own = list(group)
        tasks = [task(case, start) for case in own for start in STARTS]
        timeout = wanted["timeout"] * len(own)
        found = {package: solve_all(package, tasks, timeout=timeout) for package in wanted["packages"]}
        methods = wanted["methods"] if own[0].kind == "families" else []
        found |= {name: [_by_method(name, task) for task in tasks] for name in methods}
        for k, case in enumerate(own):
            pairs = [(package, k * len(STARTS) + j) for package in found for j in range(len(STARTS))]
            yield case, [_row(case, package, STARTS[at % len(STARTS)], found[package][at]) for package, at in pairs]


def task(case: Case, start: str) -> dict[str, Any]:
    """Return the task over a unit in which the columns of A have norm 1 on average: the settings of
    the packages were tried on such data.
    """
    asked, problem = case.make(), case.problem()
    scale = float(np.sqrt(np.mean(np.sum(asked["A"] ** 2, axis=0))))
    return {"A": asked["A"] / scale, "n": case.n, "mu": asked["mu"] / scale**2, "X0": _start(problem, asked["A"], start)}


def _by_method(name: str, task: dict[str, Any]) -> Outcome:
    """Return what one of our own methods finds."""
    began = process_time()
    result = solved_by(op.problems.sparse_pca(task["A"], task["n"], task["mu"]), name, task["X0"])
    return Outcome(result.X, result.seconds, process_time() - began, result.iterations, result.status.name)


def _start(problem: op.Problem, A: Matrix, start: str) -> Matrix:
    if start == "random":
        return op.stiefel.random_point(*problem.shape, seed=0)
    if start == "pca":
        return np.linalg.svd(A, full_matrices=False)[2][: problem.shape[1]].T
    return np.asarray(search(problem, np.random.default_rng(0))[0])


def _row(case: Case, package: str, start: str, outcome: Outcome) -> Row:
    found = outcome.X is not None
    return {
        "who": package,
        "start": start,
        "objective": objective(case, outcome.X) if found else None,
        "cpu_seconds": outcome.cpu_seconds if found else None,
        "seconds": outcome.seconds if found else None,
        "note": outcome.note,
        "error": outcome.error.strip().splitlines()[-1] if outcome.error else "",
    }
