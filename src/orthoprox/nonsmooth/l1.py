"""The l1 norm, which makes single entries vanish."""

from collections.abc import Callable
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, is_array, namespace
from orthoprox._arrays.words import sized
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.indicator import Box
from orthoprox.nonsmooth.separable import Separable


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

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        total = xp.sum(self.mu * xp.abs(X), axis=(-2, -1))
        return total if self.bound == np.inf else total + Box(-self.bound, self.bound).value(X)

    def prox(self, X: Array, t: Array) -> Array:
        xp = namespace(X)
        threshold = t * self.mu
        shrunk = X - xp.clip(X, -threshold, threshold)
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


def _weight(mu: Any) -> Any:
    """Return a penalty weight, a nonnegative number or an array of them."""
    if not (isinstance(mu, (list, tuple)) or sized(mu)):
        return inputs.number(mu, "mu", strict=False)
    weights = inputs.matrix(mu, "mu", shape=(), batch=True)
    if bool(namespace(weights).any(weights < 0)):
        raise ValueError("mu has negative entries; a penalty weight needs entries >= 0.")
    return weights
