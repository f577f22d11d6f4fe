"""Where a run can start, by name, and the probe that compares starts. The registry is STARTS; the
public functions check their arguments.

Imports the rooms _arrays, _linalg, smooth, nonsmooth, problems, stopping, _adaptive.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.starts import points
from orthoprox.starts import search as _search

STARTS: dict[str, Callable[[Problem, np.random.Generator], Array]] = {
    "random": points.random,
    "pca": points.pca,
    "coordinates": points.coordinates,
    "smoothed": _search.smoothed,
}


def _checked(start: Callable[[Problem, np.random.Generator], Array], *, probes: bool = True) -> Callable[..., Array]:
    """Return a start that takes a problem and a seed or generator; it probes the terms first, if it
    evaluates them.
    """

    @wraps(start)
    def checked(problem: Problem, rng: Any = 0) -> Array:
        generator = inputs.generator(rng, "rng")
        if probes:
            as_problem(problem).probe(points.random(problem, np.random.default_rng(0)))
        return start(as_problem(problem), generator)

    return checked


random = _checked(points.random, probes=False)
pca, coordinates, smoothed = map(_checked, (points.pca, points.coordinates, _search.smoothed))

__all__ = ["STARTS", "coordinates", "pca", "random", "smoothed"]
