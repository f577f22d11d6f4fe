"""Data: generators that take a seed, and loaders with checksums.

Imports the rooms _arrays.
"""

from orthoprox.datasets.components import five_components
from orthoprox.datasets.house import cmu_house, synthetic_house
from orthoprox.datasets.quadratics import random_quadratic

__all__ = ["cmu_house", "five_components", "random_quadratic", "synthetic_house"]
