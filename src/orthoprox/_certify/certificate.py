r"""How far a point is from stationary, bracketed from both sides.

X is stationary if X'X = I and 0 lies in grad l(X) + dg(X) + 2XY for some symmetric Y. Exact zeros
decide what dg is, and projections destroy them, so the certificate is computed at the prox point

    P = prox_tg(X - t (grad l(X) + 2XY)),   t = 1 / L,

and brackets  dist(P) = min over symmetric Y of |grad l(P) + dg(P) + 2PY|_F.  Any symmetric Y gives
an upper bound; any unit V with sym(P'V) = 0 gives the lower bound -(<grad l(P), V> + g'(P; V)).
Neither needs P'P = I.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, inner, namespace, norm, precision
from orthoprox._linalg import products, stiefel
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.stiefel import defect, min_norm, sym
from orthoprox.nonsmooth.base import HasSubdifferential
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.problems.scaled import scaled
from orthoprox.smooth.curvature import lipschitz

_THOROUGH = 10_000  # pairs of products that a certificate asked for by itself may spend
_SEARCH = 20  # those that find a multiplier where the method has none
_LAST = 50  # and those that the lower bound may spend in any case
_CG_STEPS = 200
_STALL_DAMPING = 1e-10  # only a step with less damping may be the last because it gains little


@dataclass(frozen=True)
class Certificate:
    """What is proved about a point X; all norms are Frobenius norms."""

    point: Array  # P, the prox point that the bounds are about
    distance: float  # |P - X|
    feasibility: float  # |P'P - I|
    upper: float  # dist(P) is at most this
    lower: float  # and at least this
    multiplier: Array  # Y, the symmetric matrix that gives `upper`
    gradient: float  # |grad l(X)|
    subgradient: float  # |s| of the s in dg(P) that gives `upper`

    def times(self, unit: float) -> "Certificate":
        """Return the certificate of f times the unit."""
        return replace(
            self,
            upper=self.upper * unit,
            lower=self.lower * unit,
            multiplier=self.multiplier * unit,
            gradient=self.gradient * unit,
            subgradient=self.subgradient * unit,
        )

    def relative(self, floor: float = 0.0) -> float:
        """Return upper / max(|grad l(X)|, floor), unchanged when f is scaled; where both vanish,
        upper / |s|.
        """
        scale = max(self.gradient, floor) or self.subgradient
        if self.upper == 0:
            return 0.0
        return float("inf") if scale == 0 else self.upper / scale  # NaN stays NaN: it proves nothing


def certificate(problem: Problem, X: Any, *, multiplier: Any = None) -> Certificate:
    """Certify X: bracket the distance to stationarity at its prox point.

    Parameters
    ----------
    problem : Problem
    X : array of shape (m, n)
        Any point; it need not satisfy X'X = I.
    multiplier : array of shape (n, n), optional
        A symmetric matrix to start from, for example a solver's own.

    Returns
    -------
    Certificate
        ``point``, ``distance``, ``feasibility``, ``upper``, ``lower``, ``multiplier``, and the
        norms to compare with.
    """
    as_problem(problem)
    X = inputs.matrix(X, "X", shape=problem.shape)
    if multiplier is not None:
        multiplier = inputs.matrix(multiplier, "multiplier", shape=(problem.shape[1],) * 2)
    with quiet():
        size = problem.measured(X)[1]
        inside, multiplier = scaled(problem, size), None if multiplier is None else sym(multiplier / size)
        return certify(inside, X, multiplier, proximal_step(inside, X), work=_THOROUGH).times(size)


def proximal_step(problem: Problem, X: Array) -> float:
    """Return the step t = 1 / L of the prox point, short enough for a weakly convex g.

    Where L = 0 the step is as short as the slopes of l and g demand for a small move.
    """
    curvature = lipschitz(problem.smooth, X) + 2 * problem.nonsmooth.modulus
    if curvature == 0:
        n = X.shape[-1]
        curvature = float(norm(problem.grad(X))) / n**0.5 + 10 * abs(float(problem.nonsmooth.value(X))) / n
    return 1 / curvature if 0 < curvature < float("inf") else 1.0


def certify(problem: Problem, X: Array, Y: Array | None, t: float, *, work: int = 0) -> Certificate:
    """Certify X from the multiplier Y.

    The prox point depends on Y, and a better Y gives a better prox point: without a multiplier the
    first certificate serves to find one. With ``work``, the number of pairs of products that may be
    spent, the multiplier is refined and the lower bound computed; this goes on while the bound
    falls and P does not move away from X or from P'P = I.
    """
    D, budget = problem.grad(X), _Budget(work, problem.heed)
    if Y is None:
        s = (X - problem.prox(X, t)) / t
        search = budget if work > 0 else _Budget(_SEARCH, problem.heed)
        Y = _certify_once(problem, X, stiefel.multiplier(X, D + s), D=D, t=t, budget=search).multiplier
    best = _certify_once(problem, X, Y, D=D, t=t, budget=budget)
    while budget.left > 0 and best.upper > _rounding(D):
        proof = _certify_once(problem, X, best.multiplier, D=D, t=t, budget=budget)
        near = proof.distance <= best.distance and proof.feasibility <= best.feasibility
        if not (near and proof.upper < 0.9 * best.upper):
            break
        best = proof
    return best


class _Budget:
    """Counts down the products that a certificate may still spend, and ends where the call has
    to.
    """

    def __init__(self, products: int, heed: Callable[[], None]) -> None:
        self.left, self.heed = products, heed

    def solve(self, apply: Callable[[Array], Array], B: Array, tol: float) -> Array:
        """Solve apply(S) = B by conjugate gradients within the budget."""

        def counted(S: Array) -> Array:
            self.heed()
            self.left -= 1
            return apply(S)

        return conjugate_gradients(counted, B, tol=tol, max_iterations=max(0, min(_CG_STEPS, self.left)))


def _certify_once(problem: Problem, X: Array, Y: Array, *, D: Array, t: float, budget: _Budget) -> Certificate:
    B = X - t * stiefel.lagrangian_gradient(D, X, Y)
    P = problem.prox(B, t)
    C = problem.grad(P)
    model = _Subdifferential(problem, P, (B - P) / t)

    Y, R = _improve(model, C, Y, model.min_norm_subgradient(C + 2 * model.right(Y)))
    lower = 0.0
    if budget.left > 0 and float(norm(R)) > _rounding(C):
        Y, R = _min_norm(model, C, Y, R, budget)
        lower = model.descent(C, _direction(model, R, budget), Y)
    upper = float(norm(R))
    return Certificate(
        point=P,
        distance=float(norm(P - X)),
        feasibility=model.feasibility,
        upper=upper,
        lower=min(max(lower, 0.0), upper),
        multiplier=Y,
        gradient=float(norm(D)),
        subgradient=float(norm(R - C - 2 * model.right(Y))),
    )


class _Subdifferential:
    """The set dg(P), as far as the term shows it: all of it, or the one element that the prox
    gave.
    """

    def __init__(self, problem: Problem, P: Array, s: Array) -> None:
        self.g, self.P, self.s, self.support = problem.nonsmooth, P, s, products.support(P)
        self.feasibility = float(norm(defect(P, self.support)))

    def right(self, S: Array) -> Array:
        """Return PS."""
        return products.right(self.P, S, self.support)

    def left(self, R: Array) -> Array:
        """Return sym(P'R)."""
        return sym(products.left(self.P, R, self.support))

    def min_norm_subgradient(self, W: Array) -> Array:
        if isinstance(self.g, HasSubdifferential):
            return self.g.min_norm_subgradient(self.P, W)
        return W + self.s

    def descent(self, C: Array, V: Array, Y: Array) -> float:
        """Return the lower bound that the direction V proves, less what rounding left of
        sym(P'V) = 0.
        """
        size = float(norm(V))
        if size == 0.0 or not isinstance(self.g, HasSubdifferential):
            return 0.0
        V = V / size
        leak = 2 * float(norm(self.left(V))) * float(norm(Y))
        return -float(inner(C, V) + self.g.directional_derivative(self.P, V)) - leak


def _improve(model: _Subdifferential, C: Array, Y: Array, R: Array) -> tuple[Array, Array]:
    """Take one gradient step on |R(Y)|^2 / 2 of a safe length; for a smooth problem on the manifold
    it is exact.
    """
    trial = Y - model.left(R) / (2 * (1 + model.feasibility))
    S = model.min_norm_subgradient(C + 2 * model.right(trial))
    return (trial, S) if float(norm(S)) < float(norm(R)) else (Y, R)


def _min_norm(model: _Subdifferential, C: Array, Y: Array, R: Array, budget: _Budget) -> tuple[Array, Array]:
    """Minimise |R(Y)| over symmetric Y, R(Y) the minimum-norm element of C + dg(P) + 2PY; return Y
    and R.

    The generalised derivative of R keeps its nonzero entries and drops the others (for groups of
    entries it keeps too much, which only shortens the step), so the Newton equation reads  sym(P'(M
    o PS)) + damping S = -sym(P'R) / 2  with the mask M.
    """

    def newton(R: Array, damping: float) -> Array | None:
        F = model.left(R)
        if float(norm(F)) <= precision(R) * float(norm(R)) or budget.left <= 0:
            return None
        spread = _masked(model, R)
        return budget.solve(lambda T: model.left(spread(T)) + damping * T, -F / 2, tol=1e-3)

    return min_norm(
        lambda Y: model.min_norm_subgradient(C + 2 * model.right(Y)),
        newton,
        Y,
        R,
        tiny=_rounding(C),
        stall_damping=_STALL_DAMPING,
    )


def _rounding(C: Array) -> float:
    """Return the residual that is no more than what rounding leaves of a gradient C."""
    return float(8 * precision(C) * C.shape[-1] ** 0.5 * norm(C))


def _direction(model: _Subdifferential, R: Array, budget: _Budget) -> Array:
    """Return V near -R with sym(P'V) = 0, changed only where R is nonzero: elsewhere g may rise to
    both sides.
    """
    spread, V = _masked(model, R), -R
    last = _Budget(max(budget.left, _LAST), budget.heed)
    for _ in range(3):  # iterative refinement: each round removes what the one before left
        V = V - spread(last.solve(lambda T: model.left(spread(T)), model.left(V), tol=1e-8))
    return V


def _masked(model: _Subdifferential, R: Array) -> Callable[[Array], Array]:
    """Return the operator S -> M o PS, M the mask of the nonzero entries of R."""
    mask = namespace(R).astype(R != 0, R.dtype)
    return lambda S: mask * model.right(S)
