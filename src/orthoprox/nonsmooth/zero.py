"""No nonsmooth term at all."""

from orthoprox._arrays import Array, namespace
from orthoprox.nonsmooth.separable import Separable


class Zero(Separable):
    """The term g = 0, which leaves a smooth problem; the prox is the identity."""

    def value(self, X: Array) -> Array:
        xp = namespace(X)
        return xp.sum(xp.zeros_like(X), axis=(-2, -1))

    def prox(self, X: Array, t: Array) -> Array:
        return X

    def prox_derivative(self, X: Array, t: Array, V: Array) -> Array:
        """Return V."""
        return V

    def interval(self, X: Array) -> tuple[Array, Array]:
        zero = namespace(X).zeros_like(X)
        return zero, zero
