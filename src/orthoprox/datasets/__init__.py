"""Data: generators that take a seed, and loaders."""

from orthoprox.datasets.components import five_components
from orthoprox.datasets.quadratics import random_quadratic

__all__ = ["five_components", "random_quadratic"]
