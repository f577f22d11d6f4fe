"""What the studies share: the method and the stopping rule of a run, and what is kept of its
result.
"""

from collections.abc import Mapping
from typing import Any

import orthoprox as op
from orthoprox.reproduce.studies.formula import resolve
from orthoprox.smooth.curvature import lipschitz

Settings = Mapping[str, Any]  # of one run, as in its spec
Outcome = dict[str, Any]  # what came of it: plain numbers and strings

NEVER = 10**9  # iterations between measurements: while a run is timed, none are made but the last


def solver(settings: Settings, problem: op.Problem) -> op.solvers.Solver[Any]:
    """Return the method of a run, its formulas evaluated for the problem."""
    words = ("trial", "inner", "rule", "retraction")
    return op.SOLVERS[settings["solver"]](**resolve(settings["parameters"], constants(problem), words=words))


def rule(stop: Settings, problem: op.Problem, target: float | None = None) -> op.stopping.Stop:
    """Return the stopping rule of a run: residuals below bounds, and the objective below a target;
    or the iteration budget.
    """
    met: op.stopping.Stop = op.stopping.Below(**resolve(stop["below"], constants(problem)))
    if target is not None:
        met = met & op.stopping.ObjectiveBelow(target)
    return met | op.stopping.MaxIterations(stop["max_iterations"])


def constants(problem: op.Problem) -> dict[str, float]:
    """Return what formulas may use: m, n and L."""
    m, n = problem.shape
    return {"m": m, "n": n, "L": lipschitz(problem.smooth, op.stiefel.random_point(m, n))}


def outcome(result: op.Result) -> Outcome:
    """Return what the tables show of a result."""
    full = result.to_dict()
    names = ("status", "iterations", "run_seconds", "run_cpu_seconds", "objective", "projected_objective", "feasibility")
    return {**{name: full[name] for name in (*names, "stationarity", "sparsity")}, "upper": full["certificate"]["upper"]}
