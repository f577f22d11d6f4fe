"""No nonsmooth term at all."""

from collections.abc import Callable

from orthoprox._arrays.library import Array, namespace
from orthoprox.nonsmooth.separable import Separable


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
