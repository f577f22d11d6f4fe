"""The first-order phase: LSALM at an extrapolated point, with parameters measured along the last
steps.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from orthoprox._adaptive import parameter_rules, primal_dual
from orthoprox._adaptive.primal_dual import PrimalDual
from orthoprox._adaptive.stagnation import STEP_RULES, StagnationMonitor
from orthoprox._adaptive.workspace import Workspace, penalty_threshold
from orthoprox._arrays.library import Array, namespace, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.products import lincomb, restart_test, secant_norms
from orthoprox.problems.problem import Problem

REFRESH = 50  # iterations between measurements of the penalty threshold
_NEAR_FEASIBLE = 0.5  # |E'E - I| below which X is near the manifold
_COHERENT = 0.15  # an entry of E'E - I above which inertia would carry X off the manifold
_VANISHED = 20  # iterations in a row with a vanished column that count as a divergence


@dataclass(frozen=True)
class Iterate:
    """The iterates, and the quantities measured along the run."""

    X: Array  # X^k, primal iterate
    E: Array  # X^k + theta (X^k - X^(k-1)), the extrapolated point: all is evaluated here
    Y: Array  # Y^k, multiplier of X'X = I
    Z: Array  # Z^k, smoothing centre
    good: Array  # the last X without a vanished column
    D: Array  # grad l(E)
    G: Array  # E'E - I
    EY: Array  # the product E Y
    EG: Array  # the product E G
    c: float  # curvature in force, 1 / lam
    near_curvature: float  # c when X was last near the manifold; far from it c measures the penalty
    threshold: float  # the penalty threshold: rho below a fourth of it drives X off the manifold
    scale: float  # the least denominator of relative residuals
    bound: float  # the eigenvalue of E'E - I at which the run has diverged
    gap: float  # (c + r) |X - E|, the residual of the last step
    monitor: StagnationMonitor
    t: float = 1.0  # Nesterov's t
    theta: float = 0.0  # inertia of the last step
    safety: float = 1.0  # safety factor of the measured curvature; divergences raise it
    penalty_safety: float = 1.0  # safety factor of the threshold; vanished columns raise it
    vanished: int = 0  # iterations in a row with a vanished column
    out_of_bounds: bool = False  # E'E - I is beyond the bound, or not finite

    @cached_property
    def stationarity(self) -> float:
        """(c + r) |X - E|, relative to the gradient."""
        return self.gap / (max(float(norm(self.D)), self.scale) or 1.0)

    @cached_property
    def feasibility(self) -> float:
        """|E'E - I|."""
        return float(norm(self.G))

    @cached_property
    def coherence(self) -> float:
        """The largest absolute entry of E'E - I. It is small if many columns share a large
        |E'E - I|.
        """
        xp = namespace(self.G)
        return float(xp.max(xp.abs(self.G)))

    @property
    def diverged(self) -> bool:
        """Whether the step is out of bounds, or a vanished column persists."""
        return self.out_of_bounds or self.vanished >= _VANISHED

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of LSALM in force."""
        rho, c = parameter_rules.penalty(self.c, self.penalty_safety * self.threshold)
        r, alpha = parameter_rules.SMOOTHING * c, parameter_rules.PENALTY * c
        constants = {"rho": rho, "lam": 1 / c, "r": r, "alpha": alpha, "beta": parameter_rules.CENTRE}
        return constants | {"theta": self.theta, "step_rule": float(self.monitor.step_rule)}


def first(problem: Problem, X: Array) -> tuple[Iterate, float]:
    """Return the first iterate at a point X of the manifold, and the curvature of l there."""
    D = problem.smooth.grad(X)
    curvature = parameter_rules.curvature_at(problem, X, D)
    point = primal_dual.at(problem, X, D, curvature)
    c = parameter_rules.initial_curvature(problem, curvature, point.Y, STEP_RULES[0])
    bound = parameter_rules.divergence_bound(problem.nonsmooth.prox(X, 1 / c))
    scale = 1e-3 * float(norm(D))
    return _at(problem, point, c, scale=scale, bound=bound, monitor=StagnationMonitor()), curvature


def step(workspace: Workspace, s: Iterate) -> Iterate:
    """Return the next iterate; its c follows the curvature along the step."""
    rule = STEP_RULES[s.monitor.step_rule]
    rho, c = parameter_rules.penalty(s.c, s.penalty_safety * s.threshold)
    alpha, total = parameter_rules.PENALTY * c, (1 + parameter_rules.SMOOTHING) * c

    # Algorithm 1, lines 2 and 3
    W = prox_argument(s)
    X = workspace.prox(W, 1 / total)
    Z = lincomb((1 - parameter_rules.CENTRE, s.Z), (parameter_rules.CENTRE, X))

    # extrapolation
    length, along = restart_test(X, s.E, s.X)
    t, theta = parameter_rules.inertia(s.t, rule, along)
    E = lincomb((1 + theta, X), (-theta, s.X)) if theta > 0 else X
    D, G, right = workspace.products(E)
    EY, EG = right(s.Y), right(G)
    measured = _curvatures(*secant_norms((E, s.E), (D, s.D), (EY, s.EY), (EG, s.EG), 2 * rho))

    # Algorithm 1, line 4, with eps = 0 and a weight for each entry
    identified = parameter_rules.identified(s.stationarity, s.feasibility)
    weights = parameter_rules.dual_weights(*workspace.overlap(X), s.stationarity, s.feasibility) if identified else None
    change = alpha * G if weights is None else alpha * weights * G
    EY = lincomb((1.0, EY), (alpha, EG) if weights is None else (1.0, right(change)))

    # divergence, curvature, stagnation and restart tests
    out_of_bounds, vanished = workspace.divergence_test(G, s.bound)
    following = parameter_rules.next_curvature(workspace.problem, c, rule, s.safety, measured)
    new = replace(s, X=X, E=E, Y=s.Y + change, Z=Z, D=D, G=G, EY=EY, EG=EG, c=following, theta=theta, gap=total * length)
    monitor = s.monitor.update(max(new.stationarity, new.feasibility))
    restart = monitor.step_rule != s.monitor.step_rule or new.coherence > _COHERENT >= s.coherence
    refresh = monitor.iterations % REFRESH == 0
    return replace(
        new,
        t=1.0 if restart else t,
        monitor=monitor,
        good=s.good if vanished else X,
        vanished=s.vanished + 1 if vanished else 0,
        out_of_bounds=out_of_bounds or not length < float("inf"),
        near_curvature=following if new.feasibility <= _NEAR_FEASIBLE else s.near_curvature,
        threshold=workspace.penalty_threshold(E, D, total * (W - X)) if refresh else s.threshold,
    )


def prox_argument(s: Iterate) -> Array:
    """Return the point whose prox is the next X: Algorithm 1, lines 2 and 3, at E and with
    1/lam = c.
    """
    rho, c = parameter_rules.penalty(s.c, s.penalty_safety * s.threshold)
    r = parameter_rules.SMOOTHING * c
    total = c + r
    return lincomb((c / total, s.E), (r / total, s.Z), (-1 / total, s.D), (-2 / total, s.EY), (-2 * rho / total, s.EG))


def restarted(problem: Problem, s: Iterate, otherwise: Array) -> Iterate:
    """Restart from the point of the manifold nearest to the last good X, with twice c and larger
    safety factors.
    """
    X = stiefel.polar(s.good) if float(norm(s.good)) < float("inf") else otherwise
    D, c = problem.smooth.grad(X), 2 * s.near_curvature
    X = X if float(norm(D)) < float("inf") else namespace(X).nan * X  # no finite gradient: the run ends
    new = _at(problem, primal_dual.at(problem, X, D, c), c, scale=s.scale, bound=s.bound, monitor=s.monitor)
    penalty_safety = min(2 * s.penalty_safety, 8.0) if s.vanished else s.penalty_safety
    return replace(new, safety=min(1.5 * s.safety, 3.0), penalty_safety=penalty_safety)


def restarted_from(problem: Problem, s: Iterate, point: PrimalDual, curvature: float) -> Iterate:
    """Restart from a point that another phase found, without inertia and with more patience."""
    c = parameter_rules.initial_curvature(problem, curvature, point.Y, STEP_RULES[1])
    new = _at(problem, point, c, scale=s.scale, bound=s.bound, monitor=StagnationMonitor.later())
    return replace(new, safety=s.safety, penalty_safety=s.penalty_safety)


def _at(problem: Problem, point: PrimalDual, c: float, *, scale: float, bound: float, monitor: StagnationMonitor) -> Iterate:
    X, Y, D = point.X, point.Y, point.D
    G = stiefel.defect(X)
    return Iterate(
        X=X,
        E=X,
        Y=Y,
        Z=X,
        good=X,
        D=D,
        G=G,
        EY=X @ Y,
        EG=X @ G,
        c=c,
        near_curvature=c,
        threshold=penalty_threshold(problem, X, D, point.S),
        scale=scale,
        bound=bound,
        gap=c * X.shape[-1] ** 0.5,  # no step has been taken
        monitor=monitor,
    )


def _curvatures(length: float, change: float, total: float) -> tuple[float, float]:
    """Return k_L and k_T, the change of the gradient of the Lagrangian without and with the
    penalty, over |E+ - E|.
    """
    return (change / length, total / length) if length > 0 else (0.0, 0.0)
