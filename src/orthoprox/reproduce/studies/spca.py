"""Sparse PCA on five components: the methods from a random start, and from one that a subgradient
method improved.
"""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np

import orthoprox as op
from orthoprox._arrays.library import Array
from orthoprox._linalg.products import dense
from orthoprox.reproduce.studies.study import NEVER, Outcome, Settings, outcome, rule, solver


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run the methods from a random start; with "dense" products these go over all entries of X."""
    outcomes = []
    for settings in group:
        problem, X0 = instance(settings)
        with dense() if settings["problem"].get("products") == "dense" else nullcontext():
            result = op.solve(problem, solver(settings, problem), X0, stop=rule(settings["stop"], problem), every=NEVER)
        outcomes.append(outcome(result))
    return outcomes


def execute_compared(group: Sequence[Settings]) -> list[Outcome]:
    """Run a baseline from the start that RSM finds, then the other methods down to its
    objective.
    """
    problem, X0 = instance(group[0])
    X0 = subgradient_start(problem, X0, group[0]["problem"]["steps"], group[0]["problem"]["start"])
    (first,) = [settings for settings in group if settings["solver"] == settings["baseline"]["solver"]]
    baseline = op.solve(problem, solver(first, problem), X0, stop=rule(first["baseline"], problem), every=NEVER)
    outcomes = []
    for settings in group:
        if settings is first:
            result = baseline
        else:
            stop = rule(settings["stop"], problem, baseline.objective + settings["stop"]["above_baseline"])
            result = op.solve(problem, solver(settings, problem), X0, stop=stop, every=NEVER)
        distance = float(op.stiefel.norm(result.X - baseline.X))
        outcomes.append({**outcome(result), "distance": distance, "start_objective": float(problem.value(X0))})
    return outcomes


def subgradient_start(problem: op.Problem, X: Array, steps: int, kind: str) -> Array:
    """Return the point after some steps of RSM of length k^(-3/4), k = 1, 2, ...

    ``kind`` is "tangent", the method as published, or "euclidean", where the subgradient is not
    projected onto the tangent space before the polar retraction.
    """
    if kind == "tangent":
        method = op.solvers.RSM(rule="diminishing", step_size=1.0, power=0.75, offset=1.0)
        state = method.init(problem, X)
        for _ in range(steps):
            state = method.step(problem, state)
        return method.output(state)
    for k in range(1, steps + 1):
        subgradient = problem.smooth.grad(X) + problem.nonsmooth.min_norm_subgradient(X, 0 * X)  # type: ignore[attr-defined]
        X = op.stiefel.polar(X - k**-0.75 * subgradient)
    return X


def instance(settings: Settings) -> tuple[op.Problem, Array]:
    """Return the problem and the random start of a run, drawn in this order from its seed."""
    p = settings["problem"]
    rng = np.random.default_rng(p["seed"])
    problem = op.problems.sparse_pca(op.datasets.five_components(p["p"], p["m"], sd=p["sd"], seed=rng), p["n"], p["mu"])
    return problem, op.stiefel.random_point(*problem.shape, rng)
