"""Terms that act on each entry alone: their subdifferential is an interval for each entry."""

from abc import abstractmethod
from typing import final

from orthoprox._arrays import Array, namespace
from orthoprox.terms import Nonsmooth


class Separable(Nonsmooth):
    """A sum of functions of one entry each, g(X) = sum_ij g_ij(x_ij).

    One dimension makes two things simple. The subdifferential is a box, [lower, upper] at each entry, from which the
    least-norm subgradient and the directional derivative follow. And the prox of g plus the indicator of an interval is
    the prox of g, clipped to that interval.
    """

    @abstractmethod
    def interval(self, X: Array) -> tuple[Array, Array]:
        """Return the ends of dg_ij(x_ij), infinite where X lies on the border of the domain."""

    @final
    def nearest(self, X: Array, W: Array) -> Array:
        """Return the element of W + dg(X) of least norm."""
        lower, upper = self.interval(X)
        xp = namespace(W)
        return xp.clip(W + lower, 0.0, None) + xp.clip(W + upper, None, 0.0)

    @final
    def slope(self, X: Array, V: Array) -> Array:
        """Return the directional derivative g'(X; V), the largest <s, V> with s in dg(X)."""
        lower, upper = self.interval(X)
        xp = namespace(V)
        zero = xp.zeros_like(V)
        rising = xp.where(V > 0, xp.where(V > 0, upper, zero) * V, zero)
        falling = xp.where(V < 0, xp.where(V < 0, lower, zero) * V, zero)
        return xp.sum(rising + falling, axis=(-2, -1))
