"""Where n is small: the adaptive method and ManPG-Ada from the same random start to the same
certificate.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.studies.target import Target, at_least
from benchmarks.studies.task import Row, Task
from benchmarks.studies.timing import warm_up

import orthoprox as op
from orthoprox.reproduce.table import markdown
from orthoprox.stopping import MaxIterations, MaxSeconds, Stationary

WHO = {"adaptive": op.solvers.Adaptive, "manpg-ada": op.solvers.ManPGAda}
FEW = 5  # iterations beforehand, which pay for what is loaded at the first use
NAMES = {"adaptive": "adaptive", "manpg-ada": "ManPG-Ada"}


def run(task: Task) -> list[Row]:
    """Solve one problem with both methods in turn, a few times."""
    warm_up()
    problem, X0 = task.make()
    stop = Stationary(task.common["tolerance"]) | MaxIterations() | MaxSeconds(task.common["seconds"])
    for method in WHO.values():
        op.solve(problem, method(), X0, stop=MaxIterations(FEW), history=False)
    seconds: dict[str, list[float]] = {who: [] for who in WHO}
    results = {}
    for _ in range(task.settings["repetitions"]):
        for who, method in WHO.items():
            results[who] = op.solve(problem, method(), X0, stop=stop, history=False)
            seconds[who].append(results[who].run_seconds)
    return [
        {
            "who": who,
            "run_seconds": median(seconds[who]),
            "iterations": result.iterations,
            "objective": result.projected_objective,
            "kkt_error": result.measurement.kkt_error,
            "status": result.status.name,
        }
        for who, result in results.items()
    ]


def ratios(rows: Sequence[Row], case: str) -> list[float]:
    """Return ManPG-Ada's time over ours, for each seed."""
    times = {(row["who"], row["seed"]): row["run_seconds"] for row in rows if row["case"] == case}
    return [times["manpg-ada", seed] / time for (who, seed), time in times.items() if who == "adaptive"]


def table(rows: Sequence[Row]) -> str:
    """Return one line for each problem and method."""
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        for who in WHO:
            own = [row for row in rows if (row["case"], row["who"]) == (case, who)]
            lines.append(
                [
                    case,
                    NAMES[who],
                    f"{median(row['run_seconds'] for row in own):.3f}",
                    f"{median(row['iterations'] for row in own):.0f}",
                    f"{median(row['objective'] for row in own):.4f}",
                    f"{max(row['kkt_error'] for row in own):.0e}",
                    f"{sum(row['status'] == 'CONVERGED' for row in own)} of {len(own)}",
                ]
            )
    header = ["problem", "method", "run_seconds", "iterations", "objective", "largest KKT error", "converged"]
    return markdown(header, lines)


def targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return the ratio on each problem."""
    cases = dict.fromkeys(row["case"] for row in rows)
    return [at_least(f"{case}, times as fast as ManPG-Ada", wanted["small"], median(ratios(rows, case))) for case in cases]
