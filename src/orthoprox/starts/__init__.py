"""Where a run can start, by name, and the probe that compares starts. The registry is STARTS.

Imports the rooms _arrays, _linalg, smooth, nonsmooth, problems, stopping, _adaptive.
"""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem
from orthoprox.starts.points import coordinates, pca, random
from orthoprox.starts.search import smoothed

STARTS: dict[str, Callable[[Problem, np.random.Generator], Array]] = {
    "random": random,
    "pca": pca,
    "coordinates": coordinates,
    "smoothed": smoothed,
}

__all__ = ["STARTS", "coordinates", "pca", "random", "smoothed"]
