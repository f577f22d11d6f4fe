"""Points to start from: random ones, principal components, coordinate vectors."""

from math import ceil

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays.library import Array, from_numpy, namespace, norm, precision, to_numpy
from orthoprox._linalg.stiefel import polar, sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import largest_secant
from orthoprox.stopping.deadline import Stopped


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    return like_data(problem, polar(rng.standard_normal(problem.shape)))


def random_direction(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix whose columns have length 1 on average."""
    return like_data(problem, rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5)


def like_data(problem: Problem, X: np.ndarray) -> Array:
    """Return X in the library and the precision of the problem's data."""
    like = getattr(problem.smooth, "data", None)  # of a term that HasData
    return X if like is None else from_numpy(X, like=like)


def pca(problem: Problem, rng: np.random.Generator) -> Array:
    """Return an approximate minimiser of l alone, perturbed a little at random; for a variance,
    principal components.
    """
    X = power(problem, rng)
    return polar(X + SETTINGS.jitters[0] * random_direction(problem, rng))


def power(problem: Problem, rng: np.random.Generator) -> Array:
    """Return an approximate minimiser of l alone.

    It takes fifteen steps of X+ = polar(cX - grad l(X)). With c = 0 and a quadratic l these are
    steps of the power method. If l does not fall, c becomes the curvature of l. Then X is rotated
    to the eigenvectors of sym(X' grad l(X)), if l does not rise.
    """
    k, ell, X = SETTINGS, problem.smooth, random(problem, rng)
    value, D = ell.value_and_grad(X)
    c = 0.0
    try:
        for _ in range(k.power):
            W = c * X - D
            new = polar(W / (float(norm(W)) or 1.0))
            trial, E = ell.value_and_grad(new)
            if float(trial) <= float(value):
                X, value, D = new, trial, E
            elif c == 0:
                c = largest_secant(ell, X, D, k.power_steps)
            else:
                c *= 2
    except Stopped:  # time is over, or Ctrl-C was pressed: this is the best so far
        return X
    rotated = X @ namespace(X).linalg.eigh(sym(X.mT @ D))[1]
    slack = precision(X) ** 0.5 * abs(float(value))
    return rotated if float(ell.value(rotated)) <= float(value) + slack else X


def coordinates(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the n coordinate vectors that a pivoted Cholesky factorisation of -C takes first.

    C = [grad l(e_1) - grad l(0), ...] is the curvature of l between 0 and the coordinate vectors;
    one gradient gives n of its columns. For a variance, these are the first pivots of a QR
    factorisation of the data.
    """
    m, n = problem.shape
    C = _curvature(problem)
    C = (C + C.T) / 2
    pivots = _pivots(_highest(C) * np.eye(m) - C, n)
    X = np.zeros((m, n))
    X[pivots, np.arange(n)] = 1
    return like_data(problem, X)


def steepest(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the n coordinate vectors along which l curves down most: for a variance, the variables
    of largest variance. Under a strong penalty nothing is lower.
    """
    m, n = problem.shape
    lowest = np.argsort(np.diag(_curvature(problem)), kind="stable")[:n]
    X = np.zeros((m, n))
    X[lowest, np.arange(n)] = 1
    return like_data(problem, X)


def affordable_coordinates(problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return the start from coordinate vectors, or none if it takes too many gradients or l is not
    finite there.
    """
    m, n = problem.shape
    try:
        return [coordinates(problem, rng)] if m <= SETTINGS.probe * n else []
    except (ArithmeticError, ValueError):
        return []


def _curvature(problem: Problem) -> np.ndarray:
    m, n = problem.shape
    origin = like_data(problem, np.zeros((m, n)))
    D = to_numpy(problem.grad(origin))
    C = np.empty((m, m))
    for block in range(ceil(m / n)):
        first = min(block * n, m - n)
        V = np.zeros((m, n))
        V[first + np.arange(n), np.arange(n)] = 1
        C[:, first : first + n] = to_numpy(problem.grad(like_data(problem, V))) - D
    if not np.all(np.isfinite(C)):
        raise ValueError("The gradient of the smooth term is not finite at 0 or at coordinate vectors; choose another start.")
    return C


def _highest(C: np.ndarray) -> float:
    """Return the largest eigenvalue of C, or 0 if all are negative, which a factorisation tells at
    less cost.
    """
    try:
        np.linalg.cholesky(-C)
    except np.linalg.LinAlgError:
        return max(0.0, float(np.linalg.eigvalsh(C)[-1]))
    return 0.0


def _pivots(M: np.ndarray, n: int) -> list[int]:
    """Return the first n pivots of the factorisation M = L diag(1 / d) L', each the largest
    remaining diagonal entry.
    """
    L, d, left, pivots = np.zeros((len(M), n)), np.ones(n), np.diag(M).copy(), []
    for k in range(n):
        j = int(np.argmax(left))
        pivots.append(j)
        if left[j] > 0:
            L[:, k], d[k] = M[:, j] - L[:, :k] @ (L[j, :k] / d[:k]), left[j]
        left = left - L[:, k] * (L[:, k] / d[k])
        left[pivots] = -np.inf
    return pivots
