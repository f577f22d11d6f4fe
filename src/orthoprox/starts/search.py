"""The search for a start: probe a few, and take the lowest probe values."""

from collections.abc import Sequence

import numpy as np

from orthoprox._arrays.library import Array, norm
from orthoprox._linalg.stiefel import polar
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import Smoothed, smoothing
from orthoprox.solvers.adaptive import Adaptive
from orthoprox.starts.points import JITTER, affordable_coordinates, like_data, pca, random
from orthoprox.stopping.deadline import Deadline

PROBE = 30  # iterations of a probe: coordinate vectors begin low and are overtaken within these, if at all
WORK = 2e10  # floating point operations that all probes together may take
_FAR = 1e3  # times sqrt(n): the norm of a point that counts as diverged
_DENSE = 4  # for n >= m / 4 coordinate vectors are the best guess
_STAGES = (0.3, 150), (0.1, 50), (0.03, 50)  # the width of the smoothing at coordinate vectors, and its iterations
PATH = sum(iterations for _, iterations in _STAGES)


def search(problem: Problem, rng: np.random.Generator, number: int = 1, deadline: Deadline | None = None) -> list[Array]:
    """Return the ``number`` starts with the lowest probe values.

    The candidates are coordinate vectors, principal components and random points. If more than one
    start is asked for, or the problem is small, the end of a smoothing continuation is a candidate,
    too. A probe takes 30 iterations. If the probes would cost more than 2e10 operations, the shape
    decides: coordinate vectors for n >= m / 4, principal components otherwise. When half of
    the time until a deadline is over, the search takes the first candidates at hand.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        problem.probe(random(problem, rng))
        m, n = problem.shape
        if number == 1 and 3 * PROBE * flops(problem) > WORK:
            guess = affordable_coordinates(problem, rng) if _DENSE * n >= m else []
            return guess or [pca(problem, rng)]
        path = [smoothed] if number > 1 or (3 * PROBE + PATH) * flops(problem) <= WORK else []
        starts = affordable_coordinates(problem, rng)
        for kind in (*number * (pca, random), *path):
            if len(starts) >= number and deadline is not None and deadline.half_over():
                return starts[:number]
            starts.append(kind(problem, rng))
        probe_values: list[float] = []
        for X in starts:
            if len(probe_values) >= number and deadline is not None and deadline.half_over():
                break
            probe_values.append(probe_value(problem, X))
        return [starts[k] for k in np.argsort(probe_values, kind="stable")[:number]]


def flops(problem: Problem) -> float:
    """Return the floating point operations of one iteration with dense data."""
    m, n = problem.shape
    return 2.0 * m**2 * n + 6.0 * m * n**2


def advance(problem: Problem, X: Array, iterations: int) -> Array | None:
    """Return the point after some iterations from X, or None if they diverge."""
    solver = Adaptive(newton=False)
    state = solver.init(problem, X)
    for _ in range(iterations):
        state = solver.step(problem, state)
    end = solver.output(state)
    return end if float(norm(end)) <= _FAR * problem.shape[1] ** 0.5 else None


def probe_value(problem: Problem, X: Array) -> float:
    """Return f at the point of the manifold nearest to the end of a probe from X."""
    end = advance(problem, X, PROBE)
    if end is None:
        return float("inf")
    value = float(problem.value(polar(end)))
    value = value if value < float("inf") else float(problem.value(end))
    return value if value == value else float("inf")


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
