"""Indicators of entrywise bounds: 0 inside, infinite outside; the prox is the projection.

An entry outside by at most 1e-6 counts as inside, so that a point projected to the manifold keeps a finite value.
"""

from typing import Any

import numpy as np

from orthoprox import _inputs
from orthoprox._arrays import Array, is_array, namespace
from orthoprox.nonsmooth.separable import Separable

_SLACK = 1e-6


class Nonnegative(Separable):
    """The indicator of x_ij >= 0; prox_tg(X) = max(X, 0)."""

    def value(self, X: Array) -> Array:
        return _indicator(X >= -_SLACK, X)

    def prox(self, X: Array, t: Array) -> Array:
        return namespace(X).clip(X, 0.0, None)

    def interval(self, X: Array) -> tuple[Array, Array]:
        zero = namespace(X).zeros_like(X)
        return namespace(X).where(X <= 0, zero - np.inf, zero), zero


class Box(Separable):
    """The indicator of lower <= x_ij <= upper; prox_tg(X) = min(max(X, lower), upper).

    Each bound is a number or an array that broadcasts to X; infinite bounds are none.
    """

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = _bound(lower, "lower"), _bound(upper, "upper")
        gap = self.upper - self.lower
        if not (bool(namespace(gap).all(gap >= 0)) if is_array(gap) else gap >= 0):
            raise ValueError(f"Box has lower = {lower} and upper = {upper}; it needs lower <= upper everywhere.")

    def check_shape(self, shape: tuple[int, int]) -> None:
        _inputs.broadcastable(self.lower, "lower", shape)
        _inputs.broadcastable(self.upper, "upper", shape)

    def value(self, X: Array) -> Array:
        return _indicator((X >= self.lower - _SLACK) & (X <= self.upper + _SLACK), X)

    def prox(self, X: Array, t: Array) -> Array:
        return namespace(X).clip(X, self.lower, self.upper)

    def interval(self, X: Array) -> tuple[Array, Array]:
        xp = namespace(X)
        zero = xp.zeros_like(X)
        return xp.where(X <= self.lower, zero - np.inf, zero), xp.where(X >= self.upper, zero + np.inf, zero)


def _indicator(inside: Array, X: Array) -> Array:
    xp = namespace(X)
    zero = xp.sum(xp.zeros_like(X), axis=(-2, -1))
    return xp.where(xp.all(inside, axis=(-2, -1)), zero, zero + np.inf)


def _bound(value: Any, name: str) -> Any:
    if is_array(value) and not isinstance(value, np.generic):
        xp = namespace(value)
        if not xp.isdtype(value.dtype, ("real floating", "integral")) or bool(xp.any(xp.isnan(value))):
            raise ValueError(
                f"{name} has dtype {value.dtype} or NaN entries; it needs real numbers (infinite ones are no bound)."
            )
        return value
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and value == value:
        return float(value)
    raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; it needs a real number or an array of them.")
