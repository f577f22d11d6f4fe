"""Smooth terms l."""

from orthoprox.smooth.function import Function
from orthoprox.smooth.matching import Matching
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance

__all__ = ["Function", "Matching", "Quadratic", "Variance"]
