"""A trust-region Newton method on the manifold for the Moreau-smoothed problem; it drives the
smoothing to 0.

The Moreau envelope e_nu replaces g, and F = l + e_nu is smooth. Each step is a Riemannian
trust-region Newton step (Absil, Baker and Gallivan 2007); with nu fixed, F never rises. If F is
nearly stationary, the method reduces nu and moves X towards the prox point P. It reports P, which
has exact zeros.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array, namespace, negligible, norm, precision, rounding
from orthoprox._linalg.krylov import conjugate_gradients, next_radius, trust_region
from orthoprox._linalg.stiefel import defect, multiplier, polar, sym, tangent
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import Envelope, curvature, envelope
from orthoprox.smooth.curvature import hessian


@dataclass(frozen=True)
class Point:
    """A point of the smoothed problem."""

    X: Array  # a point of the manifold
    nu: float  # the smoothing
    radius: float  # of the trust region
    before: Array | None  # P when nu was last reduced
    ell: float  # l(X)
    D: Array  # grad l(X)
    e: Envelope  # of g at X
    memory: Memory
    rejected: int = 0  # rejected steps in a row
    steps: int = 0  # with this smoothing
    failed: str = ""  # why the phase cannot go on

    @property
    def value(self) -> float:
        """F(X) = l(X) + e_nu(X)."""
        return self.ell + float(self.e.value)

    @property
    def multiplier(self) -> Array:
        """The multiplier, -sym(X' grad F) / 2."""
        return multiplier(self.X, self.D + self.e.gradient)

    @property
    def residual(self) -> Array:
        """The gradient of F along the manifold."""
        return tangent(self.X, self.D + self.e.gradient)

    @property
    def width(self) -> float:
        """|P - X| / sqrt(n), the distance of X to the prox point; 0 for a smooth problem."""
        return float(norm(self.X - self.e.point) / self.X.shape[-1] ** 0.5)


@dataclass(frozen=True)
class SmoothingNewton(Phase[Point]):
    """The smoothing Newton method from a first width; ``until_end`` means that it does not stop
    where the supports are identified.
    """

    settings: Settings
    width: float
    until_end: bool = False

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Point:
        """Return the first point, X or the nearest one on the manifold, with the largest nu of at
        most this width.
        """
        X = point.X if float(norm(defect(point.X))) <= rounding(point.X) else polar(point.X)
        nu = problem.smoothing(X, point.D, self.width)
        return _at(problem, X, nu, radius=self.settings.radius * X.shape[-1] ** 0.5, before=None, memory=memory)

    def step(self, problem: Problem, state: Point) -> Point:
        """Take a Newton step, or reduce the smoothing if F is nearly stationary or the steps with
        this nu are used up.
        """
        width, residual, gradient_norm = state.width, float(norm(state.residual)), float(norm(state.D))
        k = self.settings
        solved = residual <= min(k.accurate, width) * max(gradient_norm, state.memory.floor)
        spent = state.rejected >= k.rejections or state.steps >= k.newton_steps
        if width > negligible(state.X) and (solved or spent):
            return self._reduce_smoothing(problem, state)
        exact = residual <= rounding(state.X) * gradient_norm  # a further step would follow rounding errors
        return state if exact else replace(self._newton(problem, state), steps=state.steps + 1)

    def verdict(self, problem: Problem, old: Point, new: Point) -> Verdict:
        identified = not self.until_end and new.nu < old.nu and new.width <= self.settings.identified
        return Verdict.IDENTIFIED if identified else Verdict.GOING

    def point(self, problem: Problem, state: Point) -> PrimalDual:
        P = state.e.point
        return PrimalDual(P, state.multiplier, problem.grad(P), state.e.gradient)

    def output(self, state: Point) -> tuple[Array, Array]:
        return state.e.point, state.multiplier

    def residuals(self, state: Point) -> tuple[float, float]:
        prox = norm(state.residual) + norm(state.D) * state.width
        return float(norm(defect(state.e.point))), float(prox)

    def parameters(self, state: Point) -> dict[str, Any]:
        return {"nu": state.nu}

    def _newton(self, problem: Problem, point: Point) -> Point:
        """Minimise the quadratic model of F in the trust region; accept if F falls by a tenth of
        the predicted decrease.
        """
        X, Y, R = point.X, point.multiplier, point.residual
        second, curved = hessian(problem.smooth, X, point.D), curvature(problem.nonsmooth, X, point.nu)
        relative = float(norm(R)) / (max(float(norm(point.D)), point.memory.floor) or 1.0)
        move = trust_region(
            lambda V: tangent(X, second(V) + curved(V) + 2 * (V @ Y)),
            self._metric(problem, point, curved),
            R,
            point.radius,
            tol=min(0.5, relative**0.5),
            max_iterations=self.settings.cg_steps,
        )
        if isnan(move.decrease):
            return replace(point, failed="The derivatives of l are not finite near the last point.")
        new = _at(problem, polar(X + move.V), point.nu, radius=point.radius, before=point.before, memory=point.memory)
        if move.decrease <= rounding(X) * (abs(point.value) + abs(point.ell)):  # compare residuals instead
            agreement = 1.0 if float(norm(new.residual)) < float(norm(R)) else 0.0
        else:
            agreement = (point.value - new.value) / move.decrease
        radius, accepted = next_radius(point.radius, move, agreement, X.shape[-1] ** 0.5)
        return replace(new, radius=radius) if accepted else replace(point, radius=radius, rejected=point.rejected + 1)

    def _reduce_smoothing(self, problem: Problem, point: Point) -> Point:
        """Halve nu and the distance of X to P: P and the subgradient (X - P) / nu stay nearly the
        same.

        Or extrapolate the path P(nu) by half its last move, if this leaves a smaller residual.
        """
        P = point.e.point
        radius = max(point.radius, self.settings.identified * P.shape[-1] ** 0.5) if point.rejected else point.radius
        X, nu = polar(P + 0.5 * (point.X - P)), 0.5 * point.nu
        new = _at(problem, X, nu, radius=radius, before=P, memory=point.memory)
        if point.before is None:
            return new
        ahead = _at(problem, polar(X + 0.5 * (P - point.before)), nu, radius=radius, before=P, memory=point.memory)
        return ahead if float(norm(ahead.residual)) < float(norm(new.residual)) else new

    def _metric(self, problem: Problem, point: Point, curved: Callable[[Array], Array]) -> Callable[[Array], Array]:
        """Return the preconditioner R -> V, the projection of R / C to the tangent space in the
        metric C.

        C = |grad l| / sqrt(n), plus 1 / nu for entries that the prox holds fast. Without this
        metric the condition number grows as nu shrinks. V = (R - XS) / C with S from
        X'V + V'X = 0. This equation for an n x n matrix is nearly diagonal, so that conjugate
        gradients solve it in a few products.
        """
        X = point.X
        xp, ones = namespace(X), namespace(X).ones_like(X)
        gradient_norm = float(norm(point.D)) / X.shape[-1] ** 0.5 or 1.0
        held = 1 - point.nu * curved(ones) < precision(X) ** 0.5
        inverse = xp.where(held, ones / (gradient_norm + 1 / point.nu), ones / gradient_norm)
        diagonal = xp.sqrt(sym((X * X).mT @ inverse))

        def normal(T: Array) -> Array:
            problem.heed()
            return sym(X.mT @ (inverse * (X @ (T / diagonal)))) / diagonal

        def project(R: Array) -> Array:
            B = sym(X.mT @ (inverse * R)) / diagonal
            S = conjugate_gradients(normal, B, tol=negligible(X), max_iterations=self.settings.cg_steps) / diagonal
            return inverse * (R - X @ S)

        return project


def _at(problem: Problem, X: Array, nu: float, *, radius: float, before: Array | None, memory: Memory) -> Point:
    ell, D = problem.value_and_grad(X)
    return Point(X, nu, radius, before, ell=float(ell), D=D, e=envelope(problem.nonsmooth, X, nu), memory=memory)
