"""How fast the gradient of a smooth term changes: its own constants, or finite differences where it
knows none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, from_numpy, is_array, namespace, norm, precision
from orthoprox.smooth.base import HasHessian, HasLipschitz, HasWeakConvexity, Smooth

_POWER_STEPS = 12
_POWER_MARGIN = 1.1


def weak_convexity(smooth: Smooth, X: Array) -> float:
    """Return a modulus with l + modulus/2 |.|^2 convex: the term's own, or the Lipschitz constant
    of its gradient.
    """
    return smooth.modulus if isinstance(smooth, HasWeakConvexity) else lipschitz(smooth, X)


def lipschitz(smooth: Smooth, X: Array) -> float:
    """Return the Lipschitz constant of grad l: the term's own, or an estimate around X.

    The estimate is 1.1 times the largest |grad l(X + V) - grad l(X)| / |V| found by a power method
    on finite differences.
    """
    if isinstance(smooth, HasLipschitz):
        return inputs.number(smooth.lipschitz, f"{smooth.__class__.__name__}.lipschitz", strict=False)
    return _POWER_MARGIN * largest_secant(smooth, X, smooth.grad(X), _POWER_STEPS)


def local_lipschitz(smooth: Smooth, X: Array, D: Array, steps: int) -> float:
    """Return the largest secant of the gradient around X; raise where it is not finite."""
    found = largest_secant(smooth, X, D, steps)
    if not found < float("inf"):
        raise FloatingPointError(f"The gradient of {smooth.__class__.__name__} is not finite near X, its curvature {found}.")
    return found


def largest_secant(smooth: Smooth, X: Array, D: Array, steps: int) -> float:
    """Return the largest |grad l(X + V) - D| / |V| that a power method finds from a fixed V;
    D = grad l(X).
    """
    xp = namespace(X)
    V = from_numpy(np.random.default_rng(0).standard_normal(tuple(X.shape)), like=X)
    length, largest = _difference(X), 0.0
    for _ in range(steps):
        size = norm(V)
        V = V * (length / xp.where(size > 0, size, 1.0))[..., None, None]
        V = smooth.grad(X + V) - D
        largest = max(largest, float(xp.max(norm(V))) / length)
    return largest


def _difference(X: Array) -> float:
    """Return the length of a step for finite differences: long enough for the precision, short for
    the curvature.
    """
    return float(10 * precision(X) ** (1 / 3) * X.shape[-1] ** 0.5)


def is_quadratic(smooth: Smooth) -> bool:
    """Whether the term is known to be quadratic: it has a second derivative of its own. A subclass
    may be another function.
    """
    return "second_derivative" in vars(smooth.__class__)


def hessian(smooth: Smooth, X: Array, D: Array) -> Callable[[Array], Array]:
    """Return V -> l''(X)[V], at the price of one gradient for each V: that of a quadratic term, or
    a finite difference of gradients from D = grad l(X).
    """
    if is_quadratic(smooth):
        return smooth.second_derivative  # type: ignore[attr-defined, no-any-return]
    size = _difference(X)

    def apply(V: Array) -> Array:
        length = float(norm(V))
        return V if length == 0 else (smooth.grad(X + (size / length) * V) - D) * (length / size)

    return apply


def hessian_within(smooth: Smooth, X: Array, D: Array, mask: Array) -> Callable[[Array], Array]:
    """Return V -> l''(X)[V] for V that are 0 outside of a mask. What it is there is left open, so
    that a sparse term can do with less work.
    """
    entries = within(smooth, mask)
    return hessian(smooth, X, D) if entries is None else lambda V: smooth.second_derivative(V, entries)  # type: ignore[attr-defined]


def within(smooth: Smooth, mask: Array) -> Any:
    """Return what a term needs for second derivatives of V that are 0 outside of a mask, with the
    ``operations`` of one; None unless it is much less than for other V.
    """
    columns = smooth.columns if "columns" in vars(smooth.__class__) else None  # type: ignore[attr-defined]
    return None if columns is None else columns.within(mask)


def hessian_matrix(ell: Smooth) -> Array | None:
    """Return the Hessian that a term shows as a matrix, or None; a method of that name is something
    else.
    """
    H = ell.hessian if isinstance(ell, HasHessian) else None
    return H if H is not None and is_array(H) and H.ndim == 2 else None


def steepness(smooth: Smooth, X: Array, D: Array) -> float:
    """Return max(L, |D|_2) with D = grad l(X): on the manifold the gradient changes at most as fast
    as its length and L allow.

    For a quadratic without a linear part this is L, at any X of the manifold.
    """
    if not float(norm(D)) < float("inf"):  # a decomposition would print, or not end
        raise FloatingPointError(f"The gradient of {smooth.__class__.__name__} is not finite.")
    return max(lipschitz(smooth, X), float(namespace(D).linalg.matrix_norm(D, ord=2)))
