"""Data: generators that take a seed, and loaders with checksums.

Imports the rooms _arrays.
"""

from orthoprox.datasets.components import five_components
from orthoprox.datasets.house import cmu_house, synthetic_house
from orthoprox.datasets.pitprops import PitProps, pitprops
from orthoprox.datasets.quadratics import random_quadratic

__all__ = ["PitProps", "cmu_house", "five_components", "pitprops", "random_quadratic", "synthetic_house"]
