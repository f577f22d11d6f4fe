"""The augmented Lagrangian of X = Y, least in Y, and a semismooth Newton method for it on the
manifold.
"""

from collections.abc import Callable
from dataclasses import dataclass

from orthoprox._arrays.library import Array, inner
from orthoprox._linalg import stiefel
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.linesearch import backtrack
from orthoprox._linalg.stiefel import sym
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import Envelope, curvature, envelope
from orthoprox.smooth.curvature import hessian
from orthoprox.solvers._shared.rgbb import Point, euclidean

_STEPS = 10
_CG_STEPS = 300
_FORCING = 1e-3  # an equation is never solved to less than this share of its right side: the next one goes on
_DECREASE = 0.1
_SHORTEST = 1e-4  # of the line search
_LOWER, _RAISE = 0.8, 2.0  # of the shift after a step, and where the Hessian is still not positive
_MARGIN = 1.5  # times the negative curvature found
_ROUNDING = 1e-14  # of F


@dataclass(frozen=True)
class Parts:
    """What F consists of at one X."""

    f: float  # l(X)
    D: Array  # grad l(X)
    e: Envelope  # of g at X + Lam/s


@dataclass(frozen=True)
class Lagrangian:
    """F(X) = l(X) + e(X + Lam/s), e the Moreau envelope of g with the parameter 1/s.

    Up to a constant this is the least value over Y of  l(X) + g(Y) + <Lam, X - Y> + s/2 |X - Y|^2.
    It is reached at the prox point Y, and the gradient of e is Lam + s (X - Y), an element of dg(Y)
    and the next multiplier.
    """

    problem: Problem
    Lam: Array
    s: float  # the penalty

    def at(self, X: Array) -> Point[Parts]:
        """Evaluate F and its gradient, at the price of one gradient and one prox."""
        f, D = self.problem.smooth.value_and_grad(X)
        return self.known(X, float(f), D)

    def known(self, X: Array, f: float, D: Array) -> Point[Parts]:
        """Evaluate F and its gradient where l(X) and grad l(X) are known, at the price of one
        prox.
        """
        e = envelope(self.problem.nonsmooth, X + self.Lam / self.s, 1 / self.s)
        return Point(X, f + float(e.value), D + e.gradient, Parts(f, D, e))

    def hessian(self, point: Point[Parts]) -> Callable[[Array], Array]:
        """Return the generalised Hessian on the manifold, V -> P_T(l''[V] + e''[V] - V sym(X'F')),
        for tangent V.
        """
        X, S = point.X, sym(point.X.mT @ point.gradient)
        second = hessian(self.problem.smooth, X, point.more.D)
        curved = curvature(self.problem.nonsmooth, X + self.Lam / self.s, 1 / self.s)
        return lambda V: stiefel.tangent(X, second(V) + curved(V) - V @ S)


@dataclass(frozen=True)
class Newton:
    """Where Newton's method led."""

    point: Point[Parts]
    size: float  # the length of the Riemannian gradient there
    shift: float  # where the next call starts
    trials: int  # evaluations of F
    products: int  # with the Hessian, each at the price of a gradient


@dataclass(frozen=True)
class Equation:
    """The solution of one Newton equation."""

    Z: Array  # with (H + shift) Z = -xi to the tolerance, where ``lowest`` is positive
    lowest: float  # the least <P, (H + shift) P> / <P, P> found on the way
    products: int


def newton(F: Lagrangian, start: Point[Parts], *, tol: float, accuracy: float, shift: float, by_value: bool) -> Newton:
    """Take steps  X+ = qr(X + a Z),  (H + shift) Z = -xi,  until |xi| <= tol; xi and H are gradient
    and Hessian of F.

    Conjugate gradients solve the equation to ``accuracy``. Where they find negative curvature, the
    shift rises above it and nothing else is done; after a step it falls. a = 1, 1/2, 1/4, ... until
    F falls by a tenth of -a <xi, Z> (``by_value``), or |xi|^2 by a tenth of a |xi|^2. A line search
    without success is the end.
    """
    now, (xi, size) = start, euclidean(start.X, start.gradient)
    trials = products = 0
    for _ in range(_STEPS):
        if size <= tol:
            break
        equation = solve(F.hessian(now), xi, shift, max(accuracy / size, _FORCING))
        Z, products = equation.Z, products + equation.products
        if equation.lowest <= 0:
            shift = max(_RAISE * shift, _MARGIN * (shift - equation.lowest))
            continue
        shift = _LOWER * shift
        limit = now.value + _ROUNDING * (abs(now.value) + abs(now.more.f))
        slope = float(inner(xi, Z))

        def good(a: float, trial: Point[Parts], size: float = size, limit: float = limit, slope: float = slope) -> bool:
            if by_value:
                return trial.value <= limit + _DECREASE * a * slope
            left = euclidean(trial.X, trial.gradient)[1]
            return left * left <= (1 - _DECREASE * a) * (size * size)

        line = lambda a, X=now.X, Z=Z: F.at(stiefel.RETRACTIONS["qr"](X + a * Z))  # noqa: E731
        found = backtrack(line, good, 1.0, shortest=_SHORTEST)
        trials += found.trials
        if not found.accepted:
            break
        now = found.point
        xi, size = euclidean(now.X, now.gradient)
    return Newton(now, size, shift, trials, products)


def solve(H: Callable[[Array], Array], xi: Array, shift: float, tol: float) -> Equation:
    """Solve (H + shift) Z = -xi by conjugate gradients, to |residual| <= tol |xi|; they end at
    negative curvature.
    """
    lowest, products = float("inf"), 0

    def shifted(P: Array) -> Array:
        nonlocal lowest, products
        HP = H(P) + shift * P
        lowest, products = min(lowest, float(inner(P, HP) / inner(P, P))), products + 1
        return HP

    Z = conjugate_gradients(shifted, -xi, tol=tol, max_iterations=_CG_STEPS)
    return Equation(Z, lowest, products)
