"""Hops to other basins: a minimiser with one column replaced."""

import numpy as np

from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array, from_numpy, to_numpy
from orthoprox._linalg.stiefel import polar, tangent
from orthoprox.problems.problem import Problem


def neighbours(problem: Problem, X: Array, rng: np.random.Generator, number: int) -> list[Array]:
    """Return points of the manifold that are X but for one column, chosen at random: a random one
    in turn with a coordinate vector.

    The coordinate is one of those where the gradient of l along the manifold is long: what X leaves
    unexplained.
    """
    n, points = problem.shape[1], []
    steep = np.linalg.norm(to_numpy(tangent(X, problem.grad(X))), axis=1)
    for i in range(number):
        Z, j = np.array(to_numpy(X)), int(rng.integers(n))
        noise = rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5
        if i % 2:
            row = int(np.argmax(np.log(steep + np.mean(steep)) + len(steep) ** 0.5 * noise[:, j]))
            Z = Z + SMALL.jitter * noise
            Z[:, j] = 0
            Z[row, j] = 1
        else:
            Z[:, j] = noise[:, j]
        points.append(Z)
    return list(polar(from_numpy(np.stack(points), like=X)))
