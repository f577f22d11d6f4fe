"""The rules by which the adaptive method chooses its parameters; each is a formula in units of the problem.

docs/automatic.md derives them.
"""

from orthoprox import _inputs
from orthoprox._arrays import Array, namespace, precision
from orthoprox.certificate import proximal_step
from orthoprox.curvature import met
from orthoprox.problem import Problem
from orthoprox.products import left, support
from orthoprox.solvers._watch import Gait
from orthoprox.stiefel import norm, sym

PENALTY = 0.2  # rho / c and alpha / c
SMOOTHING, CENTRE = 0.05, 0.9  # r / c, and beta
_PULL = 0.5  # rho over the outward pull
_CONVEX = 1.2  # c over the modulus of a weakly convex g, whose prox is single-valued above 1
_POWER_STEPS = 4
_CUT = 10.0  # |S| over |D|, at most, in the outward pull
_IDENTIFIED, _WEIGHT = 1e-3, 10.0  # the residual below which supports are trusted; the largest factor of the dual step
AWAY, _GONE = 0.9, 0.95  # |E'E - I| below the first is near enough to the manifold not to look closer


def curvature_at(problem: Problem, X: Array, D: Array) -> float:
    """Return the curvature of l around X, by four finite differences: a first value, corrected by every step."""
    slope = float(norm(D)) / X.shape[-1] ** 0.5
    name = f"The curvature of {type(problem.smooth).__name__}"
    measured = _inputs.number(met(problem.smooth, X, D, _POWER_STEPS), name, strict=False)
    return max(measured, 1e-3 * slope, _CONVEX * problem.nonsmooth.modulus) or 1 / proximal_step(problem, X)


def subgradient(problem: Problem, X: Array, c: float) -> Array:
    """Return c (X - prox_{g/c}(X)): a true prox step, since a tiny one says nothing about an indicator."""
    return c * (X - problem.nonsmooth.prox(X, 1 / c))


def multiplier(X: Array, D: Array, S: Array) -> Array:
    """Return Y = -sym(X'(D + S)) / 2, the least-squares multiplier at a point of the manifold."""
    return -sym(X.mT @ (D + S)) / 2


def first_step(problem: Problem, curvature: float, Y: Array, gait: Gait) -> float:
    """Return c = L + 2 |Y|_2, the curvature of l(X) + <Y, X'X - I>, with the margin of the gait."""
    w = namespace(Y).linalg.eigvalsh(Y)
    size = max(-float(w[0]), float(w[-1]))
    return max(gait.lagrangian * (curvature + 2 * size), _CONVEX * problem.nonsmooth.modulus)


def outward_pull(problem: Problem, E: Array, D: Array, S: Array) -> float:
    """Return the largest eigenvalue of sym(E'(D + S - l''(E)[E])), if positive: what drives X off the manifold.

    Along X(I + delta) the multiplier cancels the Hessian of l and leaves the linear and the nonsmooth part, which the
    penalty has to outweigh. Where it does not, columns vanish. S is a subgradient that a step met; while the steps are long
    one of an indicator has any size, and is cut to ten times that of D.
    """
    S = S * min(1.0, _CUT * float(norm(D)) / (float(norm(S)) or 1.0))
    size = 2 * precision(E) ** (1 / 3)
    along = (problem.smooth.grad((1 + size) * E) - D) / size
    M = sym(left(E, D + S - along, support(E)))
    xp = namespace(M)
    return max(0.0, float(xp.linalg.eigvalsh(M)[-1])) if bool(xp.all(xp.isfinite(M))) else 0.0


def penalty(c: float, pull: float) -> tuple[float, float]:
    """Return rho = c/5, or half the pull if that is more, and c, raised to 4 rho where the penalty itself needs it."""
    rho = max(PENALTY * c, _PULL * pull)
    return rho, max(c, 4 * rho)


def total(c: float, pull: float) -> float:
    """Return c + r, one over the step of the prox."""
    return (1 + SMOOTHING) * penalty(c, pull)[1]


def inertia(t: float, gait: Gait, along: float) -> tuple[float, float]:
    """Return Nesterov's next t and theta; both start afresh where <E - X, X - X^(k-1)> > 0: the step went back."""
    if along > 0:
        return 1.0, 0.0
    following = (1 + (1 + 4 * t**2) ** 0.5) / 2
    return following, min((t - 1) / following, gait.inertia)


def next_curvature(problem: Problem, c: float, gait: Gait, care: float, lagrangian: float, total: float) -> float:
    """Return the curvature that the last step met, without and with the penalty; it falls only slowly."""
    met = max(gait.lagrangian * care * lagrangian, min(gait.total * care, 1.0) * total)
    return max(met, gait.decay * c, _CONVEX * problem.nonsmooth.modulus)


def identified(stationarity: float, feasibility: float) -> bool:
    """Whether the supports of the columns are nearly final."""
    return max(stationarity, feasibility) <= _IDENTIFIED


def dual_weights(M: Array, diagonal: Array, stationarity: float, feasibility: float) -> Array:
    """Return the factors of the dual step: 2 / M_ab, at least 1, for columns a and b that hardly overlap; 1 for a = b.

    M_ab = sum of x_ia^2 over the support of b, plus the reverse, is how fast the entry G_ab answers to Y_ab: 2 for columns
    that share their support. The supports have to be nearly final, or the factors are those of other columns; they are at
    most 10, and 100 where nothing but feasibility is missing.
    """
    xp, most = namespace(M), _WEIGHT if feasibility <= 10 * stationarity else 10 * _WEIGHT
    weights = xp.clip(2 / xp.where(M > 0, M, 2.0), 1.0, most)
    return xp.where(diagonal, 1.0, weights)


def manifold(G: Array, bound: float) -> tuple[bool, bool]:
    """Return whether E'E - I is so large that the manifold is lost, and whether a column of E has nearly vanished."""
    size = float(norm(G))
    if not size < float("inf"):
        return True, False
    if size <= AWAY:
        return False, False
    w = namespace(G).linalg.eigvalsh(G)
    return float(w[-1]) >= bound, float(w[0]) < -AWAY


def loss_bound(first: Array) -> float:
    """Return how large an eigenvalue of E'E - I may get: what the first prox point needs, and more room for more columns."""
    C = first.mT @ first
    room: float = 1 + 0.05 * C.shape[-1]
    return max(_GONE * room, 2 * float(namespace(C).linalg.eigvalsh(C)[-1]))
