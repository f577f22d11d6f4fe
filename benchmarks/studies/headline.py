"""Two ratios over LSALM with the paper's parameters: from the same start to the same certificate,
and whole calls.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.studies.target import Target, at_least
from benchmarks.studies.task import Row, Task
from benchmarks.studies.timing import dense_products, warm_up

import orthoprox as op
from orthoprox.reproduce.table import markdown
from orthoprox.stopping import MaxIterations, Stationary

WHO = {
    "lsalm": "LSALM, the paper's parameters, dense products",
    "same start": "adaptive, same start, to the same certificate",
    "whole call": "minimize, whole call",
}
MOST = 30_000  # iterations


def run(task: Task) -> list[Row]:
    """Solve one problem in the three ways."""
    warm_up()
    problem, X0 = task.make()
    with dense_products():
        paper = op.LSALM.paper("sparse_pca", problem)
        slow = op.solve(problem, paper, X0, stop=op.stopping.paper.sparse_pca, history=False)
    stop = Stationary(slow.measurement.kkt_error) | MaxIterations(MOST)
    same = op.solve(problem, op.solvers.Adaptive(), X0, stop=stop, history=False)
    whole = op.minimize(problem, history=False)
    return [_row(who, result) for who, result in zip(WHO, (slow, same, whole), strict=True)]


def _row(who: str, result: op.Result) -> Row:
    return {
        "who": who,
        "seconds": result.seconds,
        "run_seconds": result.run_seconds,
        "iterations": result.iterations,
        "objective": result.projected_objective,
        "kkt_error": result.measurement.kkt_error,
        "status": result.status.name,
    }


def ratios(rows: Sequence[Row], who: str) -> list[float]:
    """Return how many times faster than LSALM, for each seed.

    From the same start the times of both methods alone count, with all that their stopping rules
    read; for a whole call all of its time, over the time of LSALM alone.
    """
    slow = {row["seed"]: row["run_seconds"] for row in rows if row["who"] == "lsalm"}
    return [slow[row["seed"]] / row[clock(who)] for row in rows if row["who"] == who]


def clock(who: str) -> str:
    """Return the name of the time that counts: of the whole call, or of the method alone."""
    return "seconds" if who == "whole call" else "run_seconds"


def better(rows: Sequence[Row]) -> list[float]:
    """Return by what share the objective of a whole call is below LSALM's, for each seed."""
    slow = {row["seed"]: row["objective"] for row in rows if row["who"] == "lsalm"}
    return [(slow[row["seed"]] - row["objective"]) / abs(slow[row["seed"]]) for row in rows if row["who"] == "whole call"]


def table(rows: Sequence[Row]) -> str:
    """Return the medians of each way, and the range of the ratios."""
    lines = []
    for who, name in WHO.items():
        own = [row for row in rows if row["who"] == who]
        faster = ratios(rows, who)
        middle = {
            key: median(row[key] for row in own) for key in ("run_seconds", "seconds", "iterations", "objective", "kkt_error")
        }
        lines.append(
            [
                name,
                f"{middle['run_seconds']:.2f}",
                f"{middle['seconds']:.2f}",
                f"{middle['iterations']:.0f}",
                f"{middle['objective']:.4f}",
                f"{middle['kkt_error']:.0e}",
                f"{median(faster):.1f} ({min(faster):.1f} to {max(faster):.1f})",
            ]
        )
    header = ["", "run_seconds", "seconds", "iterations", "objective", "KKT error", "times faster"]
    return markdown(header, lines)


def targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return both ratios and the objective."""
    shares = better(rows)
    won = sum(share > 0 for share in shares)
    return [
        at_least("same start, times faster than LSALM", wanted["same_start"], median(ratios(rows, "same start"))),
        at_least("whole call, times faster than LSALM", wanted["whole_call"], median(ratios(rows, "whole call"))),
        Target("whole call, objective below LSALM's", "every seed", f"{won} of {len(shares)}", won == len(shares)),
    ]
