"""The last digits: what polishing makes of the l1 instances of the robustness suite, each solved
from a random start.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from benchmarks.instances import Instance, instances
from benchmarks.studies.target import Target
from benchmarks.studies.task import Row, Task

import orthoprox as op
from orthoprox._adaptive.polish import polish
from orthoprox._certify.evaluator import Evaluator
from orthoprox.reproduce.table import markdown

STATIONARY, FEASIBLE = 1e-10, 1e-12  # what a polished point reaches, the second times sqrt(n)
WORSE = 1e-6  # relative: a higher objective than that of the point before, projected


def run(task: Task) -> list[Row]:
    """Solve and polish the instances of one seed."""
    chosen = [one for one in instances("tuning", task.seed) if one.seed == task.seed]
    return [_row(one) for one in chosen if one.penalty["name"] == "L1" and one.dtype == "float64"]


def _row(one: Instance) -> Row:
    problem, X0 = one.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        rough = op.minimize(problem, X0, max_iterations=5000, polish=False, history=False)
    evaluator = Evaluator.at(problem, X0)
    found = polish(problem, rough.X, rough.multiplier, evaluator)
    fine = rough.measurement if found is None else evaluator.measure(found[0], evaluator.certify(*found))
    return {
        "family": one.family,
        "instance": one.name,
        "n": one.shape[1],
        "status": rough.status.name,
        "before": rough.measurement.kkt_error,
        "after": fine.kkt_error,
        "feasibility": fine.feasibility,
        "change": (fine.objective - rough.projected_objective) / abs(rough.projected_objective) if found else 0.0,
    }


def polished(row: Row) -> bool:
    """Whether a point has its last digits."""
    return bool(row["after"] <= STATIONARY and row["feasibility"] <= FEASIBLE * row["n"] ** 0.5)


def worse(row: Row) -> bool:
    """Whether polishing has done harm; below the last digits there is none to do."""
    return bool(row["after"] > max(row["before"], STATIONARY) or row["change"] > WORSE)


def table(rows: Sequence[Row]) -> str:
    """Return one line for each family."""
    lines = []
    for family in dict.fromkeys(row["family"] for row in rows):
        own = [row for row in rows if row["family"] == family]
        before, after = (max(row[when] for row in own) for when in ("before", "after"))
        lines.append([family, f"{sum(map(polished, own))} of {len(own)}", f"{before:.0e}", f"{after:.0e}"])
    return markdown(["family", "polished", "largest KKT error before", "after"], lines)


def targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return the share that is polished, and that none is worse."""
    share, harmed = sum(map(polished, rows)) / len(rows), sum(map(worse, rows))
    claim = f"polished to 1e-10, of {len(rows)} l1 instances"
    return [
        Target(claim, f">= {100 * wanted['polished']:g} %", f"{100 * share:.1f} %", share >= wanted["polished"]),
        Target("worse than before polishing", "0", str(harmed), harmed == 0),
    ]
