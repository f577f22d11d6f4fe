"""What methods share that split X into copies."""

from orthoprox._arrays.library import Array, norm
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz, weak_convexity


def splitting_penalty(problem: Problem, X0: Array) -> float:
    """Return max(1.1 L^-, L/4, 2m), a penalty that serves concave and convex l alike; at L^- SOC
    oscillates undamped if g = 0.

    With twice the modulus m of g, prox_{g/b} is well defined and not too steep.
    """
    L, m = lipschitz(problem.smooth, X0), problem.nonsmooth.modulus
    return max(1.1 * weak_convexity(problem.smooth, X0), L / 4, 2 * m) or 1.0


def relative_gap(A: Array, B: Array) -> Array:
    """Return |A - B| / max(1, |A|, |B|)."""
    return norm(A - B) / max(1.0, float(norm(A)), float(norm(B)))
