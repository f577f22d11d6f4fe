"""Smooth terms l, one file for each family; their base class, their abilities, and estimates of
their curvature.

Imports the rooms _arrays, _linalg, streams.
"""

from orthoprox.smooth.base import Smooth as Smooth
from orthoprox.smooth.function import Function
from orthoprox.smooth.log_cosh import LogCosh
from orthoprox.smooth.matching import Matching
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.sharded import Sharded
from orthoprox.smooth.variance import Variance

__all__ = ["Function", "LogCosh", "Matching", "Quadratic", "Sharded", "Variance"]
