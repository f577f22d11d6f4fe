"""Starts, by name. A start is an array in the library and the precision of the problem's data."""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem
from orthoprox.starts.continuation import smoothed
from orthoprox.starts.coordinates import coordinates
from orthoprox.starts.pca import pca
from orthoprox.starts.random import random

STARTS: dict[str, Callable[[Problem, np.random.Generator], Array]] = {
    "random": random,
    "pca": pca,
    "coordinates": coordinates,
    "smoothed": smoothed,
}

__all__ = ["STARTS", "coordinates", "pca", "random", "smoothed"]
