"""The Moreau envelope: a smooth function below g, the closer to it the smaller nu is."""

from collections.abc import Callable
from dataclasses import dataclass

from orthoprox._arrays import Array, namespace, precision
from orthoprox.stiefel import inner
from orthoprox.terms import HasProxDerivative, Nonsmooth


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
    """Return the second derivative of the envelope, V -> (V - J[V]) / nu with J the derivative of the prox.

    A term that does not know J shows it by finite differences, which cost two proxes and no gradient.
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
