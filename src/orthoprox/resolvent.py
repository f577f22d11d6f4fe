"""Minimising a smooth term plus a quadratic: exactly where the term can, by a few gradient steps where it cannot."""

from collections.abc import Callable

from orthoprox._arrays import Array
from orthoprox.curvature import lipschitz
from orthoprox.terms import HasResolvent, Smooth

GRADIENT_STEPS = 5

Resolvent = Callable[[Array, Array], Array]
"""(R, X) -> argmin_X  l(X) + c/2 |X|^2 - <R, X>, with X the point to start from."""


def resolvent(smooth: Smooth, c: float, X: Array) -> Resolvent:
    """Return the solver of  grad l(X) + c X = R  for many R; c has to exceed the weak convexity modulus of l."""
    if isinstance(smooth, HasResolvent):
        solve = smooth.resolvent(c)
        return lambda R, X: solve(R)
    step = 1 / (lipschitz(smooth, X) + c)

    def descend(R: Array, X: Array) -> Array:
        for _ in range(GRADIENT_STEPS):
            X = X - step * (smooth.grad(X) + c * X - R)
        return X

    return descend
