"""The search for a start: probe a few, and take the lowest probe values."""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem
from orthoprox.starts.continuation import PATH, smoothed
from orthoprox.starts.coordinates import affordable_coordinates
from orthoprox.starts.pca import pca
from orthoprox.starts.probe import PROBE, WORK, flops, probe_value
from orthoprox.starts.random import random

_DENSE = 4  # for n >= m / 4 coordinate vectors are the best guess


def search(
    problem: Problem, rng: np.random.Generator, number: int = 1, *, out_of_time: Callable[[], bool] = lambda: False
) -> list[Array]:
    """Return the ``number`` starts with the lowest probe values.

    The candidates are coordinate vectors, principal components and random points. If more than one
    start is asked for, or the problem is small, the end of a smoothing continuation is a candidate,
    too. A probe takes 30 iterations. If the probes would cost more than 2e10 operations, the shape
    decides: coordinate vectors for n >= m / 4, principal components otherwise. If ``out_of_time()``
    becomes true, the search takes the first candidates at hand.
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
            if len(starts) >= number and out_of_time():
                return starts[:number]
            starts.append(kind(problem, rng))
        probe_values: list[float] = []
        for X in starts:
            if len(probe_values) >= number and out_of_time():
                break
            probe_values.append(probe_value(problem, X))
        return [starts[k] for k in np.argsort(probe_values, kind="stable")[:number]]
