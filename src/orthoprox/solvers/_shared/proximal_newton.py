"""The Newton step that follows a proximal step in the tangent space, on the entries that no kink of
g is near, by projected conjugate gradients.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from orthoprox._arrays.library import Array, inner, largest, namespace, norm
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.stiefel import sym
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import hessian, hessian_within, is_quadratic
from orthoprox.solvers._shared.tangent_prox import TangentProx, in_symmetric_basis

STIFF = 100.0  # tau, the curvature that the model has in the held entries; in terms of the unit, as the next one
CURVED = 0.01  # the least curvature of the model along U, and along a direction of conjugate gradients
LINEAR = 0.1  # the share of the residual that is left, at most
POWER = 0.5  # and the power of the residual
CYCLES = 1.2  # conjugate gradients for each free entry, at most
DEPENDENT = 1e-8  # eigenvalues below this belong to normal directions that hardly reach the free entries
DECREASE = 1e-3  # of F along a step, in terms of the unit and of a |U|^2
ROUNDING = 1e-14  # of F
SHORTEST_MOVE = 1 / 8  # of the line search
NEAR_BY = "frobenius", "largest", "own"
OWN = 5.0  # times its entry of V: an entry of X that is as near to a kink is held
NEAR = 4.0  # in terms of the unit: t shrinks where |U| < |V| / (4 + 1/t)
LOWER, RAISE = 0.9, 1.1  # of t, after Newton steps
LONGEST = 1e4  # t, in terms of its first value
_DIRECT = 256  # unknowns of a projection up to which its matrix is inverted
_AT_ONCE = 100_000  # m n^2 up to which n copies of X are multiplied at once
_ITERATIONS = 100  # of a projection by conjugate gradients


class Exit(IntEnum):
    """How conjugate gradients end; the authors' numbers."""

    LIMIT = -1  # out of iterations: W = 0
    ASCENT = 0  # the model does not fall along V: W = 0
    FLAT = 1  # the model is hardly curved along V: W = 0
    NEGATIVE = 2  # nor along the next direction: the last W
    EARLY = 3  # nor along V + W, or it does not fall there: the W before
    LINEAR = 4  # a tenth of the residual is left
    SUPERLINEAR = 5  # its power 1.5 is left, which is less


@dataclass(frozen=True)
class NewtonStep:
    """A step U = V + W, and what it has cost."""

    U: Array
    exit: int  # one of Exit
    products: int = 0  # with l'', each at the price of a gradient
    projections: int = 0  # products X'W and XS, as many of both


def newton_step(problem: Problem, X: Array, D: Array, prox: TangentProx, t: float, *, unit: float, near: Any) -> NewtonStep:
    """Return U = V + W for the proximal step V at X with the length t and the multiplier Lam.
    D is grad l(X).

    W lives on the free entries F, where g is smooth at X + V and has no kink as ``near`` to X, a
    number or one for each entry.
    With B[W] = l''[W] - 2 W Lam, it minimises the model

        <B[V] - V/t, W> + <W, B[W] + g''[W]> / 2   subject to  X'W + W'X = 0

    as far as the curvature is positive and as  m(U) = <D, U> + (<U, B[U]> + tau |U off F|^2) / 2 +
    g(X + U) - g(X)  is not. ``unit`` is a size of curvatures.
    """
    V, g = prox.V, problem.nonsmooth
    free, curved = _free(g, X, prox.P, near)
    value = float(g.value(X))
    rest = V * (1 - free)
    held = STIFF * unit * float(inner(rest, rest))

    BV = hessian(problem.smooth, X, D)(V) - 2 * (V @ prox.Lam)
    along = float(inner(V, BV))

    def flat(U: Array, bent: float) -> bool:
        return not bent + float(inner(U, curved(free * U))) + held >= CURVED * unit * float(inner(U, U))

    def rises(U: Array, bent: float) -> bool:
        return not float(inner(D, U)) + (bent + held) / 2 + float(g.value(X + U)) - value <= 0

    uphill = rises(V, along)
    if uphill or flat(V, along):
        return NewtonStep(V, Exit.ASCENT if uphill else Exit.FLAT, 1)
    second, project = hessian(problem.smooth, X, D), Projection(problem, X, free)
    if is_quadratic(problem.smooth):  # what another term calls its columns is its own business
        second = hessian_within(problem.smooth, X, D, free != 0)
    W, BW, R = 0 * V, 0 * V, project(BV - V / t)
    left = length = float(inner(R, R))
    power = (left**0.5 / unit) ** POWER
    goal, P = left * min(power, LINEAR) ** 2, -R
    end, k, limit = Exit.LIMIT, 0, round(CYCLES * float(namespace(X).sum(free)))
    while end is Exit.LIMIT and k < limit:
        k, BP = k + 1, second(P) - 2 * (P @ prox.Lam)
        AP = BP + curved(P)
        curvature = float(inner(P, AP))
        if not curvature > CURVED * unit * length:
            end = Exit.NEGATIVE
            break
        a = left / curvature
        trial, BW = W + a * P, BW + a * BP
        bent = along + 2 * float(inner(BV, trial)) + float(inner(trial, BW))  # <U, B[U]>
        if flat(V + trial, bent) or rises(V + trial, bent):
            end = Exit.EARLY
            break
        W, R = trial, R + a * project(AP)
        left, previous = float(inner(R, R)), left
        if left <= goal:
            end = Exit.LINEAR if power > LINEAR else Exit.SUPERLINEAR
        beta = left / previous
        P, length = beta * P - R, left + beta**2 * length
    return NewtonStep(V if end is Exit.LIMIT else V + W, end, 1 + k, project.products)


def reach(g: Any, V: Array, near: str) -> Any:
    """Return how near to a kink an entry of X is held, by one of ``NEAR_BY``: a number, or one for
    each entry.
    """
    if near == "frobenius":
        return float(norm(V))
    if near == "largest" or not isinstance(g, Separable):
        return float(largest(V))
    xp = namespace(V)
    return xp.minimum(OWN * xp.abs(V), largest(V))


def _free(g: Any, X: Array, P: Array, near: Any) -> tuple[Array, Callable[[Array], Array]]:
    """Return the free entries, 1 there and 0 elsewhere, and W -> g''(P)[W]."""
    there = g.face(P)
    free = there.free & g.face(g.round_to_kinks(X, near)).free
    return namespace(X).astype(free, X.dtype), there.curvature


class Projection:
    """R -> the nearest W that lives on the free entries F and has X'W + W'X = 0.

    W = R - XS on F, with the symmetric S of least norm with  sym(X'(XS on F)) = sym(X'(R on F)).
    The pseudo-inverse of its matrix solves a small system, conjugate gradients a large one.
    Directions XS that hardly reach F are left alone: they would make W long and gain nothing.
    """

    def __init__(self, problem: Problem, X: Array, free: Array) -> None:
        n = X.shape[-1]
        self.X, self.free, self.heed, self.products = X, free, problem.heed, 0
        self._solve = self._directly() if n * (n + 1) // 2 <= _DIRECT else self._iteratively()

    def __call__(self, R: Array) -> Array:
        self.products += 1
        R = self.free * R
        return R - self.free * (self.X @ self._solve(sym(self.X.mT @ R)))

    def _directly(self) -> Callable[[Array], Array]:
        """Column j of X'(XS on F) is M_j s_j, M_j = X' diag(f_j) X, at the price of n products, or
        of those with the rows that are free in column j if X is large.
        """
        X, xp, n = self.X, namespace(self.X), self.X.shape[-1]
        if X.shape[0] * n * n <= _AT_ONCE:
            M = X.mT @ (self.free.mT[:, :, None] * X)
        else:
            M = xp.stack([rows.mT @ rows for rows in (X[self.free[:, j] != 0] for j in range(n))])
        self.products += n

        def normal(S: Array) -> Array:
            return sym(xp.permute_dims(M @ xp.permute_dims(S, (2, 1, 0)), (2, 1, 0)))

        basis, matrix = in_symmetric_basis(normal, X)
        w, Q = xp.linalg.eigh(matrix)
        inverse = (Q * xp.where(w > DEPENDENT, 1 / xp.where(w > DEPENDENT, w, 1.0), 0.0)) @ Q.mT
        return lambda E: xp.reshape(basis.mT @ (inverse @ (basis @ xp.reshape(E, (n * n, 1)))), (n, n))

    def _iteratively(self) -> Callable[[Array], Array]:
        """The system is nearly diagonal, and scaled by the root of its diagonal."""
        X, free, xp = self.X, self.free, namespace(self.X)
        diagonal = sym((X * X).mT @ free)
        scale = xp.where(diagonal > DEPENDENT, 1 / xp.sqrt(xp.where(diagonal > DEPENDENT, diagonal, 1.0)), 0.0)

        def normal(S: Array) -> Array:
            self.heed()
            self.products += 1
            return scale * sym(X.mT @ (free * (X @ (scale * S))))

        return lambda E: scale * conjugate_gradients(normal, scale * E, tol=DEPENDENT, max_iterations=_ITERATIONS)
