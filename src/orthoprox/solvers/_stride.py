"""LSALM at an extrapolated point, with the parameters that the last steps have measured."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from orthoprox import stiefel
from orthoprox._arrays import Array, namespace
from orthoprox.fused import blend, distances, turn
from orthoprox.problem import Problem
from orthoprox.solvers import _pace
from orthoprox.solvers._space import Space
from orthoprox.solvers._watch import GAITS, Watch
from orthoprox.stiefel import norm

REFRESH = 50  # iterations between measurements of the outward pull
_CALM = 0.5  # |E'E - I| below which X is near the manifold
_TILT = 0.15  # an entry of E'E - I from which on inertia would carry X off the manifold
_BLANK = 20  # iterations in a row with a vanishing column that count as a loss


@dataclass(frozen=True)
class Stride:
    """The iterates, and what was measured along the way."""

    X: Array  # X^k, primal iterate
    E: Array  # X^k + theta (X^k - X^(k-1)), where everything is evaluated
    Y: Array  # Y^k, multiplier of X'X = I
    Z: Array  # Z^k, smoothing centre
    good: Array  # the last X without a vanishing column
    D: Array  # grad l(E)
    G: Array  # E'E - I
    EY: Array  # the products E Y
    EG: Array  # and E G
    c: float  # curvature in force, 1 / lam
    calm: float  # and when X was last near the manifold: far from it the penalty itself is steep
    pull: float  # what drives X off the manifold
    scale: float  # the least size of the gradient that residuals are compared with
    bound: float  # the eigenvalue of E'E - I at which the manifold is lost
    gap: float  # (c + r) |X - E|, how far from stationary the last step started
    watch: Watch
    t: float = 1.0  # counter of the inertia
    theta: float = 0.0  # inertia of the last step
    care: float = 1.0  # factor of the measured curvature, raised by losses
    grip: float = 1.0  # factor of the measured pull, raised by vanishing columns
    blank: int = 0  # iterations in a row with a vanishing column
    away: bool = False  # E'E - I is beyond the bound, or not finite

    @cached_property
    def stationarity(self) -> float:
        """How far from stationary, relative to the gradient."""
        return self.gap / (max(float(norm(self.D)), self.scale) or 1.0)

    @cached_property
    def feasibility(self) -> float:
        """|E'E - I|."""
        return float(norm(self.G))

    @cached_property
    def tilt(self) -> float:
        """The largest absolute entry of E'E - I: small where a large |E'E - I| is shared by many columns."""
        xp = namespace(self.G)
        return float(xp.max(xp.abs(self.G)))

    @property
    def lost(self) -> bool:
        """Whether the manifold is lost."""
        return self.away or self.blank >= _BLANK

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of LSALM in force."""
        rho, c = _pace.penalty(self.c, self.grip * self.pull)
        constants = {"rho": rho, "lam": 1 / c, "r": _pace.SMOOTHING * c, "alpha": _pace.PENALTY * c, "beta": _pace.CENTRE}
        return constants | {"theta": self.theta, "gait": float(self.watch.gait)}


def first(problem: Problem, X: Array) -> tuple[Stride, float]:
    """Return the first iterates at a point of the manifold, and the curvature of l there."""
    D = problem.smooth.grad(X)
    curvature = _pace.curvature_at(problem, X, D)
    S = _pace.subgradient(problem, X, curvature)
    Y = _pace.multiplier(X, D, S)
    c = _pace.first_step(problem, curvature, Y, GAITS[0])
    bound = _pace.loss_bound(problem.nonsmooth.prox(X, 1 / c))
    return _at(problem, X, Y, D, S, c, scale=1e-3 * float(norm(D)), bound=bound, watch=Watch()), curvature


def step(space: Space, s: Stride) -> Stride:
    """Take one step and measure what it met."""
    gait = GAITS[s.watch.gait]
    rho, c = _pace.penalty(s.c, s.grip * s.pull)
    alpha, total = _pace.PENALTY * c, (1 + _pace.SMOOTHING) * c

    W = target(s)
    X = space.prox(W, 1 / total)
    Z = blend((1 - _pace.CENTRE, s.Z), (_pace.CENTRE, X))

    length, along = turn(X, s.E, s.X)
    t, theta = _pace.inertia(s.t, gait, along)
    E = blend((1 + theta, X), (-theta, s.X)) if theta > 0 else X
    D, G, right = space.products(E)
    EY, EG = right(s.Y), right(G)
    met = _curvatures(*distances((E, s.E), (D, s.D), (EY, s.EY), (EG, s.EG), 2 * rho))

    # Algorithm 1, line 4, with eps = 0 and a factor for each entry
    identified = _pace.identified(s.stationarity, s.feasibility)
    factors = _pace.dual_weights(*space.overlap(X), s.stationarity, s.feasibility) if identified else None
    change = alpha * G if factors is None else alpha * factors * G
    EY = blend((1.0, EY), (alpha, EG) if factors is None else (1.0, right(change)))

    away, blank = space.manifold(G, s.bound)
    following = _pace.next_curvature(space.problem, c, gait, s.care, *met)
    new = replace(
        s, X=X, E=E, Y=s.Y + change, Z=Z, D=D, G=G, EY=EY, EG=EG, c=following, t=t, theta=theta, gap=total * length,
        good=s.good if blank else X, blank=s.blank + 1 if blank else 0, away=away or not length < float("inf"),
    )  # fmt: skip
    calm = following if new.feasibility <= _CALM else s.calm
    watch = s.watch.look(max(new.stationarity, new.feasibility))
    pull = space.pull(E, D, total * (W - X)) if watch.iterations % REFRESH == 0 else s.pull
    anew = watch.gait != s.watch.gait or new.tilt > _TILT >= s.tilt
    return replace(new, watch=watch, pull=pull, calm=calm, t=1.0 if anew else t)


def target(s: Stride) -> Array:
    """Return the point whose prox is the next X: Algorithm 1, lines 2 and 3, at E and with 1/lam = c."""
    rho, c = _pace.penalty(s.c, s.grip * s.pull)
    r = _pace.SMOOTHING * c
    total = c + r
    return blend((c / total, s.E), (r / total, s.Z), (-1 / total, s.D), (-2 / total, s.EY), (-2 * rho / total, s.EG))


def recovered(problem: Problem, s: Stride, otherwise: Array) -> Stride:
    """Return to the manifold, to its point nearest to the last good X, with twice the curvature and more care afterwards."""
    X = stiefel.polar(s.good) if float(norm(s.good)) < float("inf") else otherwise
    D, c = problem.smooth.grad(X), 2 * s.calm
    X = X if float(norm(D)) < float("inf") else namespace(X).nan * X  # there is no way back, and the run ends
    S = _pace.subgradient(problem, X, c)
    new = _at(problem, X, _pace.multiplier(X, D, S), D, S, c, scale=s.scale, bound=s.bound, watch=s.watch)
    return replace(new, care=min(1.5 * s.care, 3.0), grip=min(2 * s.grip, 8.0) if s.blank else s.grip)


def resumed(problem: Problem, s: Stride, X: Array, Y: Array, S: Array, curvature: float) -> Stride:
    """Go on from another point with its multiplier and subgradient, without inertia and with more patience."""
    c = _pace.first_step(problem, curvature, Y, GAITS[1])
    new = _at(problem, X, Y, problem.smooth.grad(X), S, c, scale=s.scale, bound=s.bound, watch=Watch.later())
    return replace(new, care=s.care, grip=s.grip)


def _at(
    problem: Problem, X: Array, Y: Array, D: Array, S: Array, c: float, *, scale: float, bound: float, watch: Watch
) -> Stride:
    G, pull = stiefel.defect(X), _pace.outward_pull(problem, X, D, S)
    far = c * X.shape[-1] ** 0.5  # as long as nothing is known
    return Stride(X, X, Y, X, X, D, G, X @ Y, X @ G, c, c, pull, scale=scale, bound=bound, watch=watch, gap=far)


def _curvatures(length: float, change: float, total: float) -> tuple[float, float]:
    """Return how fast the gradient of the Lagrangian has changed, without and with the penalty."""
    return (change / length, total / length) if length > 0 else (0.0, 0.0)
