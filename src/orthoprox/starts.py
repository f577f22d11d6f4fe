"""Where a run can start, by name."""

from collections.abc import Callable
from typing import Any

import numpy as np

from orthoprox._arrays import Array
from orthoprox.problem import Problem
from orthoprox.stiefel import random_point


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    return random_point(*problem.shape, seed=rng)


STARTS: dict[str, Callable[[Problem, np.random.Generator], Any]] = {
    "random": random,
}
