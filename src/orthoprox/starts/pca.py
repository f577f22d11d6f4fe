"""Principal components; for any other l, an approximate minimiser of l alone."""

import numpy as np

from orthoprox._arrays.library import Array, namespace, precision
from orthoprox._linalg.norms import norm
from orthoprox._linalg.stiefel import polar, sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import local_lipschitz
from orthoprox.starts.random import random, random_direction

_POWER_STEPS = 15
JITTER = 0.1  # times a random matrix with columns of length 1: exact eigenvectors may be a saddle


def pca(problem: Problem, rng: np.random.Generator) -> Array:
    """Return an approximate minimiser of l alone, perturbed a little at random; for a variance,
    principal components.

    It takes fifteen steps of X+ = polar(cX - grad l(X)). With c = 0 and a quadratic l these are
    steps of the power method. If l does not fall, c becomes the curvature of l. Then X is rotated
    to the eigenvectors of sym(X' grad l(X)), if l does not rise.
    """
    ell, X = problem.smooth, random(problem, rng)
    value, D = ell.value_and_grad(X)
    c, jitter = 0.0, random_direction(problem, rng)
    for _ in range(_POWER_STEPS):
        W = c * X - D
        new = polar(W / (float(norm(W)) or 1.0))
        trial, E = ell.value_and_grad(new)
        if float(trial) <= float(value):
            X, value, D = new, trial, E
        elif c == 0:
            c = local_lipschitz(ell, X, D, 4)
        else:
            c *= 2
    rotated = X @ namespace(X).linalg.eigh(sym(X.mT @ D))[1]
    slack = precision(X) ** 0.5 * abs(float(value))
    X = rotated if float(ell.value(rotated)) <= float(value) + slack else X
    return polar(X + JITTER * jitter)
