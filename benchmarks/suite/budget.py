"""Calls of minimize that have as long as a run of another package took, on the same problem and in
the same run of this command.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.peers.run import solve_all
from benchmarks.studies.task import Row
from benchmarks.suite.call import warm_up
from benchmarks.suite.cases import Case
from benchmarks.suite.peers import task
from benchmarks.suite.runs import objective

import orthoprox as op

STARTS = "random", "pca"  # of the package; our start has taken time of its own


def grid(chosen: Sequence[Case], settings: dict[str, Any]) -> list[Case]:
    """Return the cases: the first held-out seeds of the families."""
    last = settings["families"]["heldout"]["first"] + settings["budget"]["families"]
    return [case for case in chosen if case.kind == "families" and "heldout" in case.parts and case.seed < last]


def perform(chosen: Sequence[Case], settings: dict[str, Any]) -> Iterator[tuple[Case, list[Row]]]:
    """Yield each case with its rows, one for each run of a package: the time it took, at least the
    shortest budget, and both objectives.
    """
    warm_up(op)
    for case in chosen:
        problem, tasks, rows = case.problem(), [task(case, start) for start in STARTS], []
        for package in settings["peers"]["packages"]:
            for start, found in zip(STARTS, solve_all(package, tasks, timeout=settings["peers"]["timeout"]), strict=True):
                if found.X is None:
                    continue
                budget = max(settings["budget"]["least"], found.seconds)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", op.ConvergenceWarning)
                    result = op.minimize(problem, max_seconds=budget, history=False)
                rows.append(
                    {
                        "who": package,
                        "start": start,
                        "parts": list(case.parts),
                        "budget": budget,
                        "seconds": result.seconds,
                        "status": result.status.name,
                        "objective": objective(case, result.X),
                        "theirs": objective(case, found.X),
                    }
                )
        yield case, rows
