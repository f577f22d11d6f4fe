"""Terms that act on each entry alone: their subdifferential is an interval for each entry. The
simplest is no term at all, g = 0.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, final

from orthoprox._arrays.library import Array, namespace
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.base import Face, Nonsmooth

_DIFFERENCE = 1e-3  # the longest step of a difference, and half the way to the next kink at most


class Separable(Nonsmooth):
    """A sum of functions of one entry each, g(X) = sum_ij g_ij(x_ij).

    One dimension makes two things simple. The subdifferential is a box, [lower, upper] at each
    entry, from which the minimum-norm subgradient and the directional derivative follow. And the
    prox of g plus the indicator of an interval is the prox of g, clipped to that interval.

    ``kinks`` are the points where the g_ij are not differentiable, each a number or an array that
    broadcasts to X.
    """

    kinks: tuple[Any, ...] = (0.0,)

    @abstractmethod
    def interval(self, X: Array) -> tuple[Array, Array]:
        """Return the ends of dg_ij(x_ij), infinite where X lies on the border of the domain."""

    def at(self, entries: PackedEntries) -> "Separable | None":
        """Return g of these entries alone, a function of a column of them, as a term of its own;
        None where a term does not tell.
        """
        return None

    @final
    def min_norm_subgradient(self, X: Array, W: Array) -> Array:
        """Return the element of W + dg(X) of minimum norm."""
        lower, upper = self.interval(X)
        xp = namespace(W)
        return xp.clip(W + lower, 0.0, None) + xp.clip(W + upper, None, 0.0)

    @final
    def directional_derivative(self, X: Array, V: Array) -> Array:
        """Return the directional derivative g'(X; V), the largest <s, V> with s in dg(X)."""
        lower, upper = self.interval(X)
        xp = namespace(V)
        zero = xp.zeros_like(V)
        rising = xp.where(V > 0, xp.where(V > 0, upper, zero) * V, zero)
        falling = xp.where(V < 0, xp.where(V < 0, lower, zero) * V, zero)
        return xp.sum(rising + falling, axis=(-2, -1))

    @final
    def face(self, X: Array) -> Face:
        """Return g near X: an entry is free where its subdifferential is one number, the
        derivative.
        """
        lower, upper = self.interval(X)
        xp = namespace(X)
        free, zero = lower == upper, xp.zeros_like(X)
        second = xp.where(free, self._second_derivative(X), zero)
        return Face(free, xp.where(free, lower, zero), lambda V: second * V)

    @final
    def round_to_kinks(self, X: Array, reach: float) -> Array:
        """Return X with the entries that are no farther than ``reach`` from a kink put on it."""
        xp = namespace(X)
        for kink in self.kinks:
            X = xp.where(xp.abs(X - kink) <= reach, kink + xp.zeros_like(X), X)
        return X

    @final
    def stop_at_kinks(self, X: Array, Z: Array) -> Array:
        """Return Z, but where the way from X to Z crosses a kink, that kink."""
        xp = namespace(X)
        for kink in self.kinks:
            Z = xp.where((X - kink) * (Z - kink) < 0, kink + xp.zeros_like(X), Z)
        return Z

    def _second_derivative(self, X: Array) -> Array:
        """Return (g'(x + h) - g'(x - h)) / 2h, the second derivative; 0 on a kink."""
        xp = namespace(X)
        h = xp.full_like(X, _DIFFERENCE)
        for kink in self.kinks:
            h = xp.minimum(h, xp.abs(X - kink) / 2)
        inside, h = h > 0, xp.where(h > 0, h, 1.0)
        ahead, behind = (xp.where(inside, self.interval(X + side * h)[0], 0.0) for side in (1, -1))
        return (ahead - behind) / (2 * h)


class Zero(Separable):
    """The term g = 0, which leaves a smooth problem; the prox is the identity."""

    kinks = ()

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        return xp.sum(xp.zeros_like(X), axis=(-2, -1))

    def prox(self, X: Array, t: Array) -> Array:
        return X

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return V -> V."""
        return lambda V: V

    def interval(self, X: Array) -> tuple[Array, Array]:
        zero = namespace(X).zeros_like(X)
        return zero, zero
