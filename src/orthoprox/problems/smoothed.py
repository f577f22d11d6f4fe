"""The Moreau envelope of g, a smooth function below it, and the problem with the envelope in its
place.
"""

from collections.abc import Callable
from dataclasses import dataclass

from orthoprox._arrays.library import Array, inner, namespace, precision
from orthoprox.nonsmooth.base import HasProxDerivative, Nonsmooth
from orthoprox.smooth.base import Smooth


@dataclass(frozen=True)
class Envelope:
    """The envelope e(X) = min_P g(P) + |P - X|^2 / (2 nu) at one point X."""

    point: Array  # P, the minimiser: prox_{nu g}(X)
    value: Array  # e(X), below g(X)
    gradient: Array  # (X - P) / nu, which is also a subgradient of g at P


def envelope(g: Nonsmooth, X: Array, nu: float) -> Envelope:
    """Return the envelope of g at X; a weakly convex g needs nu < 1 / modulus."""
    P = g.prox(X, nu)
    S = (X - P) / nu
    return Envelope(P, g.value(P) + nu * inner(S, S) / 2, S)


def curvature(g: Nonsmooth, X: Array, nu: float) -> Callable[[Array], Array]:
    """Return the second derivative of the envelope, V -> (V - J[V]) / nu with J the derivative of
    the prox.

    A term that does not know J shows it by finite differences, which cost two proxes and no
    gradient.
    """
    J = g.prox_derivative(X, nu) if isinstance(g, HasProxDerivative) else _differences(g, X, nu)
    return lambda V: (V - J(V)) / nu


def _differences(g: Nonsmooth, X: Array, nu: float) -> Callable[[Array], Array]:
    P, size = g.prox(X, nu), 0.1 * precision(X) ** 0.5

    def derivative(V: Array) -> Array:
        largest = float(namespace(V).max(namespace(V).abs(V)))
        if largest == 0:
            return V
        return (g.prox(X + (size / largest) * V, nu) - P) * (largest / size)

    return derivative


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
