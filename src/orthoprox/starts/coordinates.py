"""Coordinate vectors, chosen by a pivoted factorisation of the curvature of l."""

from math import ceil

import numpy as np

from orthoprox._arrays.library import Array, to_numpy
from orthoprox.problems.problem import Problem
from orthoprox.starts.random import like_data

_BLOCKS = 32  # the most gradients, n columns each, for coordinate vectors that are only probed


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


def affordable_coordinates(problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return the start from coordinate vectors, or none if it takes too many gradients or l is not
    finite there.
    """
    m, n = problem.shape
    try:
        return [coordinates(problem, rng)] if m <= _BLOCKS * n else []
    except ValueError:
        return []


def _curvature(problem: Problem) -> np.ndarray:
    m, n = problem.shape
    origin = like_data(problem, np.zeros((m, n)))
    D = to_numpy(problem.smooth.grad(origin))
    C = np.empty((m, m))
    for block in range(ceil(m / n)):
        first = min(block * n, m - n)
        V = np.zeros((m, n))
        V[first + np.arange(n), np.arange(n)] = 1
        C[:, first : first + n] = to_numpy(problem.smooth.grad(like_data(problem, V))) - D
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
    """Return the first n pivots of the Cholesky factorisation of M, each the largest remaining
    diagonal entry.
    """
    L, left, pivots = np.zeros((len(M), n)), np.diag(M).copy(), []
    for k in range(n):
        j = int(np.argmax(left))
        pivots.append(j)
        column = M[:, j] - L[:, :k] @ L[j, :k]
        L[:, k] = column / left[j] ** 0.5 if left[j] > 0 else 0.0
        left = left - L[:, k] ** 2
        left[pivots] = -np.inf
    return pivots
