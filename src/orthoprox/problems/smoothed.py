"""The problem with g replaced by its Moreau envelope."""

from orthoprox._arrays.library import Array
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.nonsmooth.moreau import envelope
from orthoprox.smooth.base import Smooth


class Smoothed(Smooth):
    """The smoothed objective l + e, e the envelope of g."""

    def __init__(self, ell: Smooth, g: Nonsmooth, nu: float) -> None:
        self.ell, self.g, self.nu = ell, g, nu

    def value(self, X: Array) -> Array:
        return self.ell.value(X) + envelope(self.g, X, self.nu).value

    def grad(self, X: Array) -> Array:
        return self.ell.grad(X) + (X - self.g.prox(X, self.nu)) / self.nu

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, D = self.ell.value_and_grad(X)
        e = envelope(self.g, X, self.nu)
        return value + e.value, D + e.gradient
