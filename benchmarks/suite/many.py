"""Many minima: whole calls against the best of as many runs of other methods as their time allows.

    python -m benchmarks.suite.many [--part tuning|heldout] [--seeds K] [--table NAME] [--starts K]

On each family ``minimize`` is called with effort="thorough" and with n_starts. Each method of this
library named in tables.toml then runs from the principal components and from random points, one
after the other; a run that begins within the processor time of the call counts, whenever it ends.
A seed is lost to a method whose best objective is lower by more than the tolerance of the families.
"""

import argparse
import warnings
from collections.abc import Sequence
from itertools import count
from time import process_time
from typing import Any

import numpy as np
from benchmarks.studies.contest import solved_by
from benchmarks.suite.cases import PARTS, Case, cases, settings
from benchmarks.suite.goals import WORSE
from benchmarks.suite.runs import objective

import orthoprox as op
from orthoprox.reproduce.table import markdown


def called(case: Case, given: dict[str, Any]) -> tuple[float, float]:
    """Return the objective of a call and its processor time."""
    problem, began = case.problem(), process_time()
    result = op.minimize(problem, **given)
    took = process_time() - began
    return objective(case, result.X), took


def restarted(case: Case, method: str, seconds: float) -> tuple[float, int]:
    """Return the lowest objective of runs that begin within so many seconds of processor time, and
    their number.
    """
    problem, best, began = case.problem(), np.inf, process_time()
    for number in count():
        X0 = op.starts.pca(problem) if number == 0 else op.stiefel.random_point(*problem.shape, seed=number)
        best = min(best, objective(case, solved_by(problem, method, X0).X))
        if process_time() - began >= seconds:
            return best, number + 1
    raise AssertionError("the count has no end")


def compared(chosen: Sequence[Case], ways: dict[str, dict[str, Any]], methods: Sequence[str]) -> str:
    """Return a table: for each family and way of calling, seeds lost to each method and to the best
    of all, and its number of runs.
    """
    lines = []
    for table in dict.fromkeys(case.table for case in chosen):
        for way, given in ways.items():
            lost, runs, times, own = dict.fromkeys([*methods, "best of all"], 0), [], [], 0
            for case in (one for one in chosen if one.table == table):
                f, seconds = called(case, given)
                found = {method: restarted(case, method, seconds) for method in methods}
                gaps = {method: (f - best) / max(1.0, abs(f)) for method, (best, _) in found.items()}
                gaps["best of all"] = max(gaps.values())
                lost = {name: lost[name] + (gaps[name] > WORSE) for name in lost}
                runs += [number for _, number in found.values()]
                times.append(seconds)
                own += 1
            row = [f"{number} of {own}" for number in lost.values()]
            lines.append([table, way, f"{np.median(times):.2f}", f"{min(runs)} to {max(runs)}", *row])
            print(lines[-1], flush=True)
    return markdown(["family", "call", "CPU s", "runs of a method", *(f"lost to {name}" for name in lost)], lines)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, default="heldout", help="the seeds (default: heldout)")
    parser.add_argument("--seeds", type=int, default=10, metavar="K", help="so many of each family")
    parser.add_argument("--table", help="only this family")
    parser.add_argument("--starts", type=int, default=8, metavar="K", help="n_starts")
    options = parser.parse_args()
    wanted = settings()
    last = wanted["families"][options.part]["first"] + options.seeds
    chosen = [case for case in cases(options.part, options.table) if case.kind == "families" and (case.seed or 0) < last]
    ways: dict[str, dict[str, Any]] = {'effort="thorough"': {"effort": "thorough"}}
    ways[f"n_starts={options.starts}"] = {"n_starts": options.starts}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        print(compared(chosen, ways, wanted["peers"]["restarted"]))


if __name__ == "__main__":
    main()
