"""Terms that act on each entry alone: their subdifferential is an interval for each entry. The
simplest are no term at all, g = 0, and the l1 norm, which makes single entries vanish.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, is_array, namespace
from orthoprox._arrays.words import sized
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.base import Face, Nonsmooth

SLACK = 1e-6  # an entry outside of its bounds by no more is inside: a point projected to the manifold keeps a finite value
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
        return xp.maximum(W + lower, 0.0) + xp.minimum(W + upper, 0.0)  # faster than clip

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
    def round_to_kinks(self, X: Array, reach: Any) -> Array:
        """Return X with the entries that are no farther than ``reach`` from a kink put on it: a
        number, or one for each entry.
        """
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


class L1(Separable):
    """The weighted l1 norm g(X) = sum_ij mu_ij |x_ij|, optionally with the box |x_ij| <= bound.

    prox_tg(X) = sign(X) min(max(|X| - t mu, 0), bound)

    Parameters
    ----------
    mu : float or array
        The weight, nonnegative; an array of shape (m, n) weighs each entry, (m, 1) each row, (1, n)
        or (n,) each column.
    bound : float, optional
        The radius of the box; none by default.
    """

    def __init__(self, mu: Any, bound: float | None = None) -> None:
        self.mu = _weight(mu)
        self.bound = np.inf if bound is None else inputs.number(bound, "bound")
        self.kinks = 0.0, -self.bound, self.bound

    def check_shape(self, shape: tuple[int, int]) -> None:
        inputs.broadcastable(self.mu, "mu", shape)

    def weighted(self, mu: Any) -> "L1":
        """Return the same penalty with another weight."""
        return self._with(mu)

    def at(self, entries: PackedEntries) -> "L1":
        return self._with(entries.take(self.mu))

    def at_rows(self, rows: Array) -> "L1":
        """Return g of matrices that are 0 outside of these rows, as a term of its own."""
        by_rows = is_array(self.mu) and self.mu.ndim > 1 and self.mu.shape[-2] > 1
        return self._with(self.mu[..., rows, :]) if by_rows else self

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        total = xp.sum(self.mu * xp.abs(X), axis=(-2, -1))
        return total if self.bound == np.inf else total + indicator(xp.abs(X) <= self.bound + SLACK, X)

    def prox(self, X: Array, t: Array) -> Array:
        xp = namespace(X)
        threshold = t * self.mu
        shrunk = X - xp.minimum(xp.maximum(X, -threshold), threshold)  # faster than clip
        return shrunk if self.bound == np.inf else xp.clip(shrunk, -self.bound, self.bound)

    def prox_derivative(self, X: Array, t: Array) -> Callable[[Array], Array]:
        """Return V -> V where the prox moves with X: |X| beyond t mu, and the box not reached; 0
        elsewhere.
        """
        xp = namespace(X)
        x = xp.abs(X)
        moves = x > t * self.mu
        moves = moves if self.bound == np.inf else moves & (x - t * self.mu < self.bound)
        mask = xp.astype(moves, X.dtype)
        return lambda V: mask * V

    def interval(self, X: Array) -> tuple[Array, Array]:
        xp, mu = namespace(X), self.mu
        mu = mu if is_array(mu) else xp.asarray(mu, dtype=X.dtype, device=X.device)
        lower, upper = xp.where(X > 0, mu, -mu), xp.where(X < 0, -mu, mu)
        if self.bound == np.inf:
            return lower, upper
        return xp.where(X <= -self.bound, -xp.inf, lower), xp.where(X >= self.bound, xp.inf, upper)

    def _with(self, mu: Any) -> "L1":
        return L1(mu, None if self.bound == np.inf else self.bound)

    def _second_derivative(self, X: Array) -> Array:
        return namespace(X).zeros_like(X)


def indicator(inside: Array, X: Array) -> Array:
    """Return 0 if all entries of X are inside, or else infinity."""
    xp = namespace(X)
    zero = xp.sum(xp.zeros_like(X), axis=(-2, -1))
    return xp.where(xp.all(inside, axis=(-2, -1)), zero, zero + np.inf)


def _weight(mu: Any) -> Any:
    """Return a penalty weight, a nonnegative number or an array of them."""
    if not (isinstance(mu, (list, tuple)) or sized(mu)):
        return inputs.number(mu, "mu", strict=False)
    weights = inputs.matrix(mu, "mu", shape=(), batch=True)
    if bool(namespace(weights).any(weights < 0)):
        raise ValueError("mu has negative entries; a penalty weight needs entries >= 0.")
    return weights
