"""Graph matching on the pictures of a house: smooth methods, rounded to a matching."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

import orthoprox as op
from orthoprox._arrays.library import Array
from orthoprox.assignment import assign, f_measure
from orthoprox.datasets import cmu_house, synthetic_house
from orthoprox.reproduce.studies.study import NEVER, Outcome, Settings, outcome, rule, solver

_HOUSES: dict[str, Callable[[], NDArray[np.float64]]] = {"cmu_house": cmu_house, "synthetic_house": synthetic_house}


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run the methods from a random start improved by a few Riemannian gradient steps, and round
    what they find.
    """
    outcomes = []
    for settings in group:
        p = settings["problem"]
        problem = _problem(p["data"], p["frame"], p["mu"], p["width"])
        X0 = gradient_start(problem, p["seed"], p["steps"], p["step_size"])
        result = op.solve(problem, solver(settings, problem), X0, stop=rule(settings["stop"], problem), every=NEVER)
        rows = np.argmax(result.X, axis=1)
        outcomes.append(
            {
                **outcome(result),
                "f_measure": f_measure(assign(result.X)),
                "permutation": len(set(rows.tolist())) == len(rows),  # without a repair
            }
        )
    return outcomes


def gradient_start(problem: op.Problem, seed: int, steps: int, step_size: float) -> Array:
    """Return the point after some Riemannian gradient steps of fixed length from a random start."""
    X = op.stiefel.random_point(*problem.shape, np.random.default_rng(seed))
    for _ in range(steps):
        X = op.stiefel.polar(X - step_size * op.stiefel.tangent(X, problem.smooth.grad(X)))
    return X


@cache
def _problem(data: str, frame: int, mu: float, width: float) -> op.Problem:
    house = _HOUSES[data]()
    return op.problems.graph_matching(house[0], house[frame - 1], mu, width=width)
