"""Minimising a smooth term plus a quadratic: exactly where the term can, by a few gradient steps
where it cannot.
"""

from collections.abc import Callable

from orthoprox._arrays.library import Array
from orthoprox.smooth.base import HasResolvent, Smooth
from orthoprox.smooth.curvature import lipschitz

GRADIENT_STEPS = 5

Resolvent = Callable[[Array, Array], Array]
"""(R, X) -> argmin_X  l(X) + c/2 |X|^2 - <R, X>, with X the point to start from."""


def resolvent(smooth: Smooth, c: float, X: Array) -> Resolvent:
    """Return the solver of  grad l(X) + c X = R  for many R; c has to exceed the weak convexity
    modulus of l.
    """
    return _exact(smooth.resolvent(c)) if isinstance(smooth, HasResolvent) else _inexact(smooth, X)(c)


def resolvents(smooth: Smooth, X: Array) -> Callable[[float], Resolvent]:
    """Return c -> resolvent, for methods that change c as they go."""
    if not isinstance(smooth, HasResolvent):
        return _inexact(smooth, X)
    family = smooth.resolvents()
    return lambda c: _exact(family(c))


def _exact(solve: Callable[[Array], Array]) -> Resolvent:
    return lambda R, X: solve(R)


def _inexact(smooth: Smooth, X: Array) -> Callable[[float], Resolvent]:
    L = lipschitz(smooth, X)

    def at(c: float) -> Resolvent:
        def descend(R: Array, X: Array) -> Array:
            for _ in range(GRADIENT_STEPS):
                X = X - (smooth.grad(X) + c * X - R) / (L + c)
            return X

        return descend

    return at
