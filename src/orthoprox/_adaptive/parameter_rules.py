"""The parameter rules of the default method: formulas that are homogeneous in f.

docs/automatic.md derives them.
"""

from orthoprox._adaptive.stagnation import StepRule
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace, norm
from orthoprox._certify.certificate import proximal_step
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import local_lipschitz

PENALTY = 0.2  # rho / c and alpha / c
SMOOTHING, CENTRE = 0.05, 0.9  # r / c, and beta
_THRESHOLD = 0.5  # rho over the penalty threshold
_CONVEX = 1.2  # c over the modulus of a weakly convex g, whose prox is single-valued above 1
_POWER_STEPS = 4
_IDENTIFIED, _WEIGHT = 1e-3, 10.0  # the residual at which supports are identified; the largest dual weight
_DIVERGED = 0.95  # the divergence bound is at least this times 1 + n/20


def curvature_at(problem: Problem, X: Array, D: Array) -> float:
    """Return the curvature of l around X by four finite differences: a first value that every step
    corrects.
    """
    slope = float(norm(D)) / X.shape[-1] ** 0.5
    name = f"The curvature of {type(problem.smooth).__name__}"
    measured = inputs.number(local_lipschitz(problem.smooth, X, D, _POWER_STEPS), name, strict=False)
    return max(measured, 1e-3 * slope, _CONVEX * problem.nonsmooth.modulus) or 1 / proximal_step(problem, X)


def initial_curvature(problem: Problem, curvature: float, Y: Array, rule: StepRule) -> float:
    """Return c = L + 2 |Y|_2, the curvature of l(X) + <Y, X'X - I>, with the margin of the step
    rule.
    """
    w = namespace(Y).linalg.eigvalsh(Y)
    size = max(-float(w[0]), float(w[-1]))
    return max(rule.lagrangian * (curvature + 2 * size), _CONVEX * problem.nonsmooth.modulus)


def penalty(c: float, threshold: float) -> tuple[float, float]:
    """Return rho = max(c/5, threshold/2), and c or 4 rho, if that is more."""
    rho = max(PENALTY * c, _THRESHOLD * threshold)
    return rho, max(c, 4 * rho)


def total(c: float, threshold: float) -> float:
    """Return c + r, one over the step of the prox."""
    return (1 + SMOOTHING) * penalty(c, threshold)[1]


def inertia(t: float, rule: StepRule, along: float) -> tuple[float, float]:
    """Return Nesterov's next t and theta, with the adaptive restart of O'Donoghue and Candes
    (2015).

    ``along`` is <E - X, X - X^(k-1)>; if it is positive, the step opposes the extrapolation,
    and both restart.
    """
    if along > 0:
        return 1.0, 0.0
    following = (1 + (1 + 4 * t**2) ** 0.5) / 2
    return following, min((t - 1) / following, rule.inertia)


def next_curvature(problem: Problem, c: float, rule: StepRule, safety: float, measured: tuple[float, float]) -> float:
    """Return max(safety k_L, safety k_T, decay c), with the factors of the step rule; ``measured``
    is k_L and k_T.
    """
    lagrangian, total = measured
    largest = max(rule.lagrangian * safety * lagrangian, min(rule.total * safety, 1.0) * total)
    return max(largest, rule.decay * c, _CONVEX * problem.nonsmooth.modulus)


def identified(stationarity: float, feasibility: float) -> bool:
    """Whether the supports of the columns can be trusted: the residuals are at most 1e-3."""
    return max(stationarity, feasibility) <= _IDENTIFIED


def dual_weights(M: Array, diagonal: Array, stationarity: float, feasibility: float) -> Array:
    """Return the weights of the dual step: 2 / M_ab, at least 1, for columns a and b that hardly
    overlap; 1 for a = b.

    M_ab = sum of x_ia^2 over the support of b, plus the reverse. G_ab responds to Y_ab in
    proportion to M_ab, which is 2 for columns that share their support. The supports must be
    identified first. The weights are at most 10, and at most 100 if only feasibility is missing.
    """
    xp, most = namespace(M), _WEIGHT if feasibility <= 10 * stationarity else 10 * _WEIGHT
    weights = xp.clip(2 / xp.where(M > 0, M, 2.0), 1.0, most)
    return xp.where(diagonal, 1.0, weights)


def divergence_bound(first: Array) -> float:
    """Return max(.95 (1 + n/20), 2 |P|_2^2), P the first prox point: a larger eigenvalue of E'E - I
    is a divergence.
    """
    C = first.mT @ first
    room: float = 1 + 0.05 * C.shape[-1]
    return max(_DIVERGED * room, 2 * float(namespace(C).linalg.eigvalsh(C)[-1]))
