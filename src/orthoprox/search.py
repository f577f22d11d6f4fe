"""Which start is best: a few are tried for some iterations, and the one that comes lowest is taken."""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays import Array
from orthoprox.problem import Problem
from orthoprox.solvers.adaptive import Adaptive
from orthoprox.starts import FAR, PATH, near_coordinates, pca, random, smoothed
from orthoprox.stiefel import norm, polar

PROBE = 30  # of each probe: those from coordinate vectors begin low and are overtaken within these, if at all
WORK = 2e10  # floating point operations that all probes together may take
_DENSE = 4  # with n > m / 4 coordinate vectors are the best guess


def search(
    problem: Problem, rng: np.random.Generator, number: int = 1, *, enough: Callable[[], bool] = lambda: False
) -> list[Array]:
    """Return the best ``number`` starts among coordinate vectors, nearly principal components and random points.

    The end of a path of smoothed problems is tried, too, where more than one start is asked for or the problem is small.

    Each gets 30 iterations of the adaptive method; what counts is f at the point of the manifold nearest to the last. Where
    these would cost more than 2e10 operations, the shape of the problem decides: coordinate vectors for n >= m / 4, principal
    components otherwise. Once ``enough`` says so, the first that are at hand are taken.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        problem.probe(random(problem, rng))
        m, n = problem.shape
        if number == 1 and 3 * PROBE * flops(problem) > WORK:
            guess = near_coordinates(problem, rng) if _DENSE * n >= m else []
            return guess or [pca(problem, rng)]
        path = [smoothed] if number > 1 or (3 * PROBE + PATH) * flops(problem) <= WORK else []
        starts = near_coordinates(problem, rng)
        for kind in (*number * (pca, random), *path):
            if len(starts) >= number and enough():
                return starts[:number]
            starts.append(kind(problem, rng))
        heights: list[float] = []
        for X in starts:
            if len(heights) >= number and enough():
                break
            heights.append(height(problem, X))
        return [starts[k] for k in np.argsort(heights, kind="stable")[:number]]


def flops(problem: Problem) -> float:
    """Return the floating point operations of one iteration with dense data."""
    m, n = problem.shape
    return 2.0 * m**2 * n + 6.0 * m * n**2


def height(problem: Problem, X: Array) -> float:
    """Return f where a probe from X ends."""
    solver = Adaptive(newton=False)
    state = solver.init(problem, X)
    for _ in range(PROBE):
        state = solver.step(problem, state)
    end = solver.output(state)
    if not float(norm(end)) <= FAR * problem.shape[1] ** 0.5:
        return float("inf")
    value = float(problem.value(polar(end)))
    value = value if value < float("inf") else float(problem.value(end))
    return value if value == value else float("inf")
