"""Conjugate gradients for operators on matrices."""

from collections.abc import Callable

from orthoprox._arrays import Array, namespace
from orthoprox.stiefel import inner


def conjugate_gradients(apply: Callable[[Array], Array], B: Array, *, tol: float, max_iterations: int) -> Array:
    """Return S with |apply(S) - B|_F <= tol |B|_F, or the last iterate, for ``apply`` symmetric and nonnegative."""
    S = namespace(B).zeros_like(B)
    R = P = B
    size = float(inner(R, R))
    goal = tol**2 * size
    for _ in range(max_iterations):
        if size <= goal:
            break
        AP = apply(P)
        curvature = float(inner(P, AP))
        if curvature <= 0:
            break
        step = size / curvature
        S, R = S + step * P, R - step * AP
        size, previous = float(inner(R, R)), size
        P = R + (size / previous) * P
    return S
