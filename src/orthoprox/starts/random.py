"""Random points of the manifold, in the library and the precision of the problem's data."""

import numpy as np

from orthoprox._arrays.library import Array, from_numpy
from orthoprox._linalg.stiefel import random_point
from orthoprox.problems.problem import Problem
from orthoprox.smooth.base import HasData


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    return like_data(problem, random_point(*problem.shape, seed=rng))


def random_direction(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix whose columns have length 1 on average."""
    return like_data(problem, rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5)


def like_data(problem: Problem, X: np.ndarray) -> Array:
    """Return X in the library and the precision of the problem's data."""
    like = problem.smooth.data if isinstance(problem.smooth, HasData) else None
    return X if like is None else from_numpy(X, like=like)
