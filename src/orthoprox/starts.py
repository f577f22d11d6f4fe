"""Where a run can start, by name. A start is an array of the library and the precision of the problem's data."""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from orthoprox._arrays import Array, from_numpy, namespace, precision, to_numpy
from orthoprox.curvature import met
from orthoprox.moreau import Smoothed, smoothing
from orthoprox.nonsmooth import Zero
from orthoprox.problem import Problem
from orthoprox.solvers.adaptive import Adaptive
from orthoprox.stiefel import norm, polar, random_point, sym
from orthoprox.terms import HasData

_POWER_STEPS = 15
_JITTER = 0.1  # times a random matrix with columns of length 1: exact eigenvectors may be a saddle
_BLOCKS = 32  # n-column gradients that coordinate vectors may take where they are only tried
_STAGES = (0.3, 150), (0.1, 50), (0.03, 50)  # how far the smoothing moves coordinate vectors, and its iterations
FAR = 1e3  # times sqrt(n): a point from which there is no way back
PATH = sum(iterations for _, iterations in _STAGES)


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    return _like(problem, random_point(*problem.shape, seed=rng))


def pca(problem: Problem, rng: np.random.Generator) -> Array:
    """Return nearly a minimiser of l alone, principal components for a variance, moved a little at random.

    Fifteen steps of X+ = polar(cX - grad l(X)), which for c = 0 and a quadratic l are those of the power method; c is the
    curvature of l where that does not go down. Then X is turned to the eigenvectors of sym(X' grad l(X)), if l allows it.
    """
    ell, X = problem.smooth, random(problem, rng)
    value, D = ell.value_and_grad(X)
    c, jitter = 0.0, unit(problem, rng)
    for _ in range(_POWER_STEPS):
        W = c * X - D
        new = polar(W / (float(norm(W)) or 1.0))
        trial, E = ell.value_and_grad(new)
        if float(trial) <= float(value):
            X, value, D = new, trial, E
        elif c == 0:
            c = met(ell, X, D, 4)
        else:
            c *= 2
    turned = X @ namespace(X).linalg.eigh(sym(X.mT @ D))[1]
    slack = precision(X) ** 0.5 * abs(float(value))
    X = turned if float(ell.value(turned)) <= float(value) + slack else X
    return polar(X + _JITTER * jitter)


def unit(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix whose columns have length 1, nearly."""
    return _like(problem, rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5)


def coordinates(problem: Problem, rng: np.random.Generator) -> Array:
    """Return n coordinate vectors, those that a pivoted Cholesky factorisation of the curvature downwards takes first.

    For a variance these are the variables that a pivoted QR factorisation of the data takes first. The curvature is that
    between 0 and the coordinate vectors, C = [grad l(e_1) - grad l(0), ...], with n columns for each gradient.
    """
    m, n = problem.shape
    C = _curvature(problem)
    C = (C + C.T) / 2
    pivots = _pivots(_highest(C) * np.eye(m) - C, n)
    X = np.zeros((m, n))
    X[pivots, np.arange(n)] = 1
    return _like(problem, X)


def near_coordinates(problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return the start from coordinate vectors, or none where it takes too many gradients or l is not finite there."""
    m, n = problem.shape
    try:
        return [coordinates(problem, rng)] if m <= _BLOCKS * n else []
    except ValueError:
        return []


def smoothed(problem: Problem, rng: np.random.Generator) -> Array:
    """Return what a path of smoothed problems leads to, g replaced by Moreau envelopes that come closer to it.

    It begins at coordinate vectors, moved a little at random, or at a random point where these are not at hand.
    """
    X = random(problem, rng)
    for V in near_coordinates(problem, rng):
        X = polar(V + _JITTER * X)
    return along(problem, X, _STAGES)


def along(problem: Problem, X: Array, stages: Sequence[tuple[float, int]]) -> Array:
    """Return what the smoothed problems lead to from X: how far each smoothing moves coordinate vectors, and its iterations."""
    corner, slope = _like(problem, np.eye(*problem.shape)), float(norm(problem.smooth.grad(X)))
    solver = Adaptive(newton=False)
    for width, iterations in stages:
        nu = smoothing(problem.nonsmooth, corner, slope, width)
        rough = Problem(Smoothed(problem.smooth, problem.nonsmooth, nu), Zero(), problem.shape)
        state = solver.init(rough, X)
        for _ in range(iterations):
            state = solver.step(rough, state)
        end = solver.output(state)
        X = polar(end) if float(norm(end)) <= FAR * problem.shape[1] ** 0.5 else X
    return X


STARTS: dict[str, Callable[[Problem, np.random.Generator], Array]] = {
    "random": random,
    "pca": pca,
    "coordinates": coordinates,
    "smoothed": smoothed,
}


def _like(problem: Problem, X: np.ndarray) -> Array:
    """Return X in the library and the precision of the problem's data."""
    like = problem.smooth.data if isinstance(problem.smooth, HasData) else None
    return X if like is None else from_numpy(X, like=like)


def _curvature(problem: Problem) -> np.ndarray:
    m, n = problem.shape
    origin = _like(problem, np.zeros((m, n)))
    D = to_numpy(problem.smooth.grad(origin))
    C = np.empty((m, m))
    for block in range(ceil(m / n)):
        first = min(block * n, m - n)
        V = np.zeros((m, n))
        V[first + np.arange(n), np.arange(n)] = 1
        C[:, first : first + n] = to_numpy(problem.smooth.grad(_like(problem, V))) - D
    if not np.all(np.isfinite(C)):
        raise ValueError("The gradient of the smooth term is not finite at 0 or at coordinate vectors; choose another start.")
    return C


def _highest(C: np.ndarray) -> float:
    """Return the largest eigenvalue of C, or 0 where all are negative, which a factorisation tells at less cost."""
    try:
        np.linalg.cholesky(-C)
    except np.linalg.LinAlgError:
        return max(0.0, float(np.linalg.eigvalsh(C)[-1]))
    return 0.0


def _pivots(M: np.ndarray, n: int) -> list[int]:
    """Return the first n pivots of the Cholesky factorisation of M, each the largest diagonal entry that is left."""
    L, left, pivots = np.zeros((len(M), n)), np.diag(M).copy(), []
    for k in range(n):
        j = int(np.argmax(left))
        pivots.append(j)
        column = M[:, j] - L[:, :k] @ L[j, :k]
        L[:, k] = column / left[j] ** 0.5 if left[j] > 0 else 0.0
        left = left - L[:, k] ** 2
        left[pivots] = -np.inf
    return pivots
