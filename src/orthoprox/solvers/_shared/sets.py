"""The compact sets that LSALM keeps its iterates in, each known by its projection."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from orthoprox._arrays.library import Array, namespace, norm


class ConvexSet(ABC):
    """A closed convex set of matrices."""

    @abstractmethod
    def project(self, X: Array) -> Array:
        """Return the point of the set nearest to X."""


@dataclass(frozen=True)
class Everything(ConvexSet):
    """The whole space: projecting changes nothing."""

    def project(self, X: Array) -> Array:
        return X


@dataclass(frozen=True)
class Ball(ConvexSet):
    """The Frobenius ball |X|_F <= radius."""

    radius: float

    def project(self, X: Array) -> Array:
        xp = namespace(X)
        size = norm(X)[..., None, None]
        return X * (self.radius / xp.maximum(size, self.radius + 0 * size))


@dataclass(frozen=True)
class Cube(ConvexSet):
    """The entrywise box |x_ij| <= radius."""

    radius: float

    def project(self, X: Array) -> Array:
        return namespace(X).clip(X, -self.radius, self.radius)
