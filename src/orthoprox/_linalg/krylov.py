"""Iterative solvers for operators on matrices: conjugate gradients and trust regions."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from orthoprox._arrays.library import Array, inner, namespace, norm


def conjugate_gradients(apply: Callable[[Array], Array], B: Array, *, tol: float, max_iterations: int) -> Array:
    """Return S with |apply(S) - B|_F <= tol |B|_F, or the last iterate, for ``apply`` symmetric and
    nonnegative.
    """
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


@dataclass(frozen=True)
class Step:
    """An approximate minimiser of a quadratic model within a trust region."""

    V: Array
    decrease: float  # of the model
    edge: bool  # whether V reaches the border


def trust_region(
    apply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    R: Array,
    radius: float,
    *,
    tol: float,
    max_iterations: int,
) -> Step:
    """Minimise <R, V> + <V, apply(V)> / 2 over |V| <= radius by conjugate gradients.

    They end where the residual has fallen to ``tol`` in the norm of the preconditioner, or at the
    border: because the next step would cross it, or along a direction of negative curvature.

    Reference: T. Steihaug, The conjugate gradient method and trust regions in large scale
    optimization, SIAM J. Numer. Anal. 20 (1983).
    """
    V = AV = namespace(R).zeros_like(R)
    Q = -R
    Z = precondition(Q)
    P, size = Z, float(inner(Q, Z))
    goal, edge = tol**2 * size, False
    for _ in range(max_iterations):
        if size <= goal or size <= 0:
            break
        AP = apply(P)
        curvature = float(inner(P, AP))
        step = size / curvature if curvature > 0 else float("inf")
        if not step < float("inf") or float(norm(V + step * P)) >= radius:
            step, edge = _to_border(V, P, radius), True
        V, AV, Q = V + step * P, AV + step * AP, Q - step * AP
        if edge:
            break
        Z = precondition(Q)
        size, previous = float(inner(Q, Z)), size
        P = Z + (size / previous) * P
    return Step(V, -float(inner(R, V)) - float(inner(V, AV)) / 2, edge)


def next_radius(radius: float, step: Step, agreement: float, largest: float) -> tuple[float, bool]:
    """Return the radius of the next trust region, and whether to accept the step.

    ``agreement`` is the decrease of the function over that of the model. The constants are those
    of Nocedal and Wright, Numerical Optimization (2006), Algorithm 4.1, with eta = .1.
    """
    if not agreement >= 0.25:
        return float(norm(step.V)) / 4, agreement > 0.1
    return (min(2 * radius, largest) if agreement > 0.75 and step.edge else radius), True


def _to_border(V: Array, P: Array, radius: float) -> float:
    """Return the tau >= 0 with |V + tau P| = radius."""
    vv, vp, pp = (float(inner(*pair)) for pair in ((V, V), (V, P), (P, P)))
    return float((-vp + sqrt(max(vp * vp + pp * (radius**2 - vv), 0.0))) / pp)  # powers of vp need not be exact
