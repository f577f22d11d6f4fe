"""Smoothing continuation: a sequence of problems in which Moreau envelopes replace g and come
closer to it.
"""

from collections.abc import Sequence

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox._linalg.norms import norm
from orthoprox._linalg.stiefel import polar
from orthoprox.nonsmooth.moreau import smoothing
from orthoprox.nonsmooth.zero import Zero
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import Smoothed
from orthoprox.starts.coordinates import affordable_coordinates
from orthoprox.starts.pca import JITTER
from orthoprox.starts.probe import advance
from orthoprox.starts.random import like_data, random

_STAGES = (0.3, 150), (0.1, 50), (0.03, 50)  # the width of the smoothing at coordinate vectors, and its iterations
PATH = sum(iterations for _, iterations in _STAGES)


def smoothed(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the end of a smoothing continuation.

    It begins at coordinate vectors, perturbed a little at random, or at a random point if these
    cost too much.
    """
    X = random(problem, rng)
    for V in affordable_coordinates(problem, rng):
        X = polar(V + JITTER * X)
    return follow(problem, X, _STAGES)


def follow(problem: Problem, X: Array, stages: Sequence[tuple[float, int]]) -> Array:
    """Return the end of the continuation from X.

    A stage is a width, how far the prox of the smoothing moves coordinate vectors, and a number of
    iterations.
    """
    coordinate_point, gradient_norm = like_data(problem, np.eye(*problem.shape)), float(norm(problem.smooth.grad(X)))
    for width, iterations in stages:
        nu = smoothing(problem.nonsmooth, coordinate_point, gradient_norm, width)
        smoothed_problem = Problem(Smoothed(problem.smooth, problem.nonsmooth, nu), Zero(), problem.shape)
        end = advance(smoothed_problem, X, iterations)
        X = X if end is None else polar(end)
    return X
