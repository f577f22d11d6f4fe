"""The abstract nonsmooth term g, and the abilities that a method may ask of it beyond its prox."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from orthoprox._arrays.library import Array
from orthoprox._arrays.words import described


class Nonsmooth(ABC):
    """A prox-friendly term g, convex up to a quadratic: ``g + modulus/2 |.|_F^2`` is convex.

    Its methods accept leading batch axes. A weakly convex term sets its ``modulus``; its prox needs
    t < 1 / modulus.
    """

    modulus: float = 0.0

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Return g(X)."""

    @abstractmethod
    def prox(self, X: Array, t: Array) -> Array:
        """Return argmin_P  g(P) + |P - X|_F^2 / (2 t)."""

    def __repr__(self) -> str:
        return described(self)


@runtime_checkable
class HasProxDerivative(Protocol):
    """A convex nonsmooth term that knows a generalised derivative of its prox."""

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return the derivative of prox_tg at X, V -> J[V]: symmetric, between 0 and 1."""


@runtime_checkable
class HasSubdifferential(Protocol):
    """A nonsmooth term that knows its subdifferential, not only its prox."""

    def min_norm_subgradient(self, X: Array, W: Array) -> Array:
        """Return the element of W + dg(X) of minimum norm."""

    def directional_derivative(self, X: Array, V: Array) -> Array:
        """Return the directional derivative g'(X; V)."""


@runtime_checkable
class HasWeight(Protocol):
    """A penalty with a weight."""

    def weighted(self, mu: float) -> Nonsmooth:
        """Return the same penalty with another weight."""


@dataclass(frozen=True)
class Face:
    """What g looks like near one X as long as nothing leaves or reaches a kink: a smooth function
    of the free entries.
    """

    free: Array  # mask of the entries that no kink holds
    gradient: Array  # of g at X, in the free entries; 0 in the others
    curvature: Callable[[Array], Array]  # V -> g''(X)[V], for V that vanishes in the others


@runtime_checkable
class HasFace(HasSubdifferential, Protocol):
    """A nonsmooth term that is smooth away from kinks, and knows where these are and what its
    subdifferential is.
    """

    def face(self, X: Array) -> Face:
        """Return g near X with the kinks that hold entries of X kept."""

    def round_to_kinks(self, X: Array, reach: float) -> Array:
        """Return X with what is no farther than ``reach`` from a kink put on it."""

    def stop_at_kinks(self, X: Array, Z: Array) -> Array:
        """Return Z, but where the way from X to Z crosses a kink, that kink."""
