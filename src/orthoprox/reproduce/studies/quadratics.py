"""The random quadratics with an l1 term: LSALM under many parameters, as one batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from orthoprox._linalg.stiefel import random_point
from orthoprox.datasets import random_quadratic
from orthoprox.reproduce.studies.batch import Batch, Ends, run
from orthoprox.reproduce.studies.study import Outcome, Settings

_ALL_FIXED = ("box", "dual_radius", "Y0")  # numbers for a whole batch


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run LSALM on all quadratics of a group. Each instance is drawn from its seed: the problem,
    then the start.
    """
    problem, stop = group[0]["problem"], group[0]["stop"]
    m, n = problem["m"], problem["n"]
    seeds = sorted({settings["problem"]["seed"] for settings in group})
    A, B, X0 = (np.array(part) for part in zip(*(_instance(m, n, seed) for seed in seeds), strict=True))
    parameters = [settings["parameters"] for settings in group]
    batch = Batch(
        A,
        B,
        X0,
        mu=problem["mu"],
        instance=np.searchsorted(seeds, [settings["problem"]["seed"] for settings in group]),
        varied={name: np.array([float(p[name]) for p in parameters]) for name in parameters[0] if name not in _ALL_FIXED},
        fixed={name: float(value) for name, value in parameters[0].items() if name in _ALL_FIXED},
    )
    record = _records(stop["records"], stop["max_iterations"]) if "records" in stop else []
    ends = run(batch, stop["below"], stop["max_iterations"], record=record)
    return [_outcome(ends, i, record, parameters[i]["eps"]) for i in range(len(group))]


def _instance(m: int, n: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return *random_quadratic(m, n, seed=rng), random_point(m, n, rng)


def _records(count: int, last: int) -> list[int]:
    """Return about ``count`` iterations from 1 to ``last``, at equal ratios."""
    return sorted({round(k) for k in np.geomspace(1, last, count)})


def _outcome(ends: Ends, i: int, record: list[int], eps: float) -> Outcome:
    X, Y = ends.X[i], ends.Y[i]
    found: Outcome = {
        "status": ends.status[i].name,
        "iterations": int(ends.iterations[i]),
        "zero_columns": int(np.sum(np.all(X == 0, axis=0))),
    }
    if record:
        G = X.T @ X - np.eye(X.shape[1])
        kept = np.abs(G) > 1e-3 * np.max(np.abs(G))  # entries at their floor; the others are rounding
        found["feasibility"] = _finite(np.linalg.norm(G))
        found["floor"] = _finite(eps * np.linalg.norm(Y[kept]))
        found["at_iterations"] = record
        found |= {name: [_finite(x) for x in values[i]] for name, values in ends.trace.items()}
    return found


def _finite(x: Any) -> float | None:
    """Return a number with four digits; JSON has none for infinity."""
    return float(f"{x:.4g}") if np.isfinite(x) else None
