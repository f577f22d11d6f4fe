"""Where a run can start, by name. A start is an array of the library and the precision of the problem's data."""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays import Array, from_numpy
from orthoprox.problem import Problem
from orthoprox.stiefel import random_point
from orthoprox.terms import HasData


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    X = random_point(*problem.shape, seed=rng)
    like = problem.smooth.data if isinstance(problem.smooth, HasData) else None
    return X if like is None else from_numpy(X, like=like)


STARTS: dict[str, Callable[[Problem, np.random.Generator], Array]] = {
    "random": random,
}
