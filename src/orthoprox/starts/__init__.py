"""Where a run can start, by name, and the probe that compares starts. The registry is STARTS; the
public functions probe the terms first, if they evaluate them.

Imports the rooms _arrays, _linalg, files, smooth, nonsmooth, problems, stopping, _adaptive.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array
from orthoprox.problems.careful import careful
from orthoprox.problems.own_terms import own_errors
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.starts import points
from orthoprox.starts import search as _search

Start = Callable[[Problem, np.random.Generator], Array]


def _checked(start: Start) -> Start:
    """Return a start that takes nothing but a problem and a seed or generator."""

    @wraps(start)
    def checked(problem: Problem, rng: Any = 0) -> Array:
        with quiet():
            return start(as_problem(problem), inputs.generator(rng, "rng"))

    return checked


STARTS: dict[str, Start] = {
    "random": _checked(points.random),
    "pca": _checked(points.pca),
    "coordinates": _checked(points.coordinates),
    "smoothed": _checked(_search.smoothed),
    "rotated": _checked(points.rotated),
}


def _probing(start: Start) -> Callable[..., Array]:
    """Return a start that probes the terms first."""

    def probing(problem: Problem, generator: np.random.Generator) -> Array:
        inside = careful(problem)
        with own_errors():
            inside.measured(points.random(problem, np.random.default_rng(0)))
            try:
                return start(inside, generator)
            except (FloatingPointError, np.linalg.LinAlgError) as error:
                raise ValueError(f"The start cannot be computed: {error} Scale the data, or choose another one.") from error

    return _checked(wraps(start)(probing))


random: Callable[..., Array] = STARTS["random"]
_KINDS = points.pca, points.coordinates, _search.smoothed, points.rotated
pca, coordinates, smoothed, rotated = map(_probing, _KINDS)

__all__ = ["STARTS", "coordinates", "pca", "random", "rotated", "smoothed"]
