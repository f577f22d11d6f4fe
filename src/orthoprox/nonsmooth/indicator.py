"""Indicators of entrywise bounds: 0 inside, infinite outside; the prox is the projection."""

from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, is_array, namespace
from orthoprox._arrays.words import short, sized
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.separable import SLACK, Separable, indicator


class Nonnegative(Separable):
    """The indicator of x_ij >= 0; prox_tg(X) = max(X, 0)."""

    def at(self, entries: PackedEntries) -> "Nonnegative":
        return Nonnegative()

    def value(self, X: Array) -> Array:
        return indicator(X >= -SLACK, X)

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
        shapes = [tuple(bound.shape) if is_array(bound) else () for bound in (self.lower, self.upper)]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError as error:
            raise ValueError(f"lower has shape {shapes[0]} and upper {shapes[1]}; both need to broadcast to X.") from error
        fits = (self.lower <= self.upper) & (self.lower < np.inf) & (self.upper > -np.inf)
        if not (bool(namespace(fits).all(fits)) if is_array(fits) else fits):
            raise ValueError(f"Box has lower = {short(lower)} and upper = {short(upper)}; it needs lower <= upper everywhere.")
        self.kinks = self.lower, self.upper

    def check_shape(self, shape: tuple[int, int]) -> None:
        inputs.broadcastable(self.lower, "lower", shape)
        inputs.broadcastable(self.upper, "upper", shape)

    def at(self, entries: PackedEntries) -> "Box":
        return Box(entries.take(self.lower), entries.take(self.upper))

    def value(self, X: Array) -> Array:
        return indicator((X >= self.lower - SLACK) & (X <= self.upper + SLACK), X)

    def prox(self, X: Array, t: Array) -> Array:
        return namespace(X).clip(X, self.lower, self.upper)

    def interval(self, X: Array) -> tuple[Array, Array]:
        xp = namespace(X)
        zero = xp.zeros_like(X)
        return xp.where(X <= self.lower, zero - np.inf, zero), xp.where(X >= self.upper, zero + np.inf, zero)


def _bound(value: Any, name: str) -> Any:
    if isinstance(value, (list, tuple)) or sized(value):
        return inputs.matrix(value, name, shape=(), batch=True, infinite=True)
    if isinstance(value, (float, np.floating)) and np.isinf(value):
        return float(value)  # no bound
    return inputs.number(value, name, minimum=-np.inf)
