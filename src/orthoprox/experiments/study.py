"""What the studies share: the method and the stopping rule of a run, and what is kept of its result."""

from collections.abc import Mapping
from typing import Any

from orthoprox.curvature import lipschitz
from orthoprox.experiments.formula import resolve
from orthoprox.problem import Problem
from orthoprox.result import Result
from orthoprox.solvers import SOLVERS, Solver
from orthoprox.stiefel import random_point
from orthoprox.stopping import Below, MaxIterations, ObjectiveBelow, Stop

Settings = Mapping[str, Any]  # of one run, as in its spec
Outcome = dict[str, Any]  # what came of it: plain numbers and strings

NEVER = 10**9  # iterations between measurements: while a run is timed, none are made but the last


def solver(settings: Settings, problem: Problem) -> Solver[Any]:
    """Return the method of a run, its formulas evaluated for the problem."""
    words = ("trial", "inner", "rule", "retraction")
    return SOLVERS[settings["solver"]](**resolve(settings["parameters"], constants(problem), words=words))


def rule(stop: Settings, problem: Problem, target: float | None = None) -> Stop:
    """Return the stopping rule of a run: residuals below bounds, and the objective below a target; or the iteration budget."""
    met: Stop = Below(**resolve(stop["below"], constants(problem)))
    if target is not None:
        met = met & ObjectiveBelow(target)
    return met | MaxIterations(stop["max_iterations"])


def constants(problem: Problem) -> dict[str, float]:
    """Return what formulas may use: m, n and L."""
    m, n = problem.shape
    return {"m": m, "n": n, "L": lipschitz(problem.smooth, random_point(m, n))}


def outcome(result: Result) -> Outcome:
    """Return what the tables show of a result."""
    full = result.to_dict()
    names = ("status", "iterations", "seconds", "cpu_seconds", "objective", "projected_objective", "feasibility")
    return {**{name: full[name] for name in (*names, "stationarity", "sparsity")}, "upper": full["certificate"]["upper"]}
