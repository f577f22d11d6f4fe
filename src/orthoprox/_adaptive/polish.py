"""The polish: Newton's method for the smooth problem that remains once the zeros and signs of X are
identified.

A first-order method identifies the zeros of a solution long before its digits (Burke and More 1988;
Lewis 2002). The polish holds the entries that are on kinks; g is smooth in the others. Newton's
method solves  grad l + g' + 2XY = 0 in the free entries together with X'X = I, and no projection
fills the zeros. Then the polish looks for a multiplier with which the held entries are stationary
as well. If there is none, it frees the entries with the largest violation and begins another round.
The evaluator measures the outcome; the polish keeps it only if it is better.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array, from_numpy, inner, negligible, norm, precision, rounding, to_numpy
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Evaluator
from orthoprox._linalg.krylov import trust_region
from orthoprox._linalg.packed import Matrix, Orthogonality, beside_coordinates
from orthoprox._linalg.stiefel import defect, feasibility, lagrangian_gradient, min_norm
from orthoprox.nonsmooth.base import Face, HasFace
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import hessian, hessian_matrix, hessian_within, is_quadratic, within

Curved = Matrix | Callable[[Matrix], Matrix]


@dataclass(frozen=True)
class Attempt:
    """A point to polish, or the outcome."""

    point: PrimalDual
    memory: Memory
    improved: bool = False
    failed: str = ""


@dataclass(frozen=True)
class Polish(Phase[Attempt]):
    """The polish of a point: a step that finds a better one or not, and one that hands it on."""

    settings: Settings

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Attempt:
        return Attempt(point, memory)

    def step(self, problem: Problem, state: Attempt) -> Attempt:
        memory, point = state.memory, state.point
        evaluator = Evaluator(problem, memory.step, memory.floor)
        found = None if state.improved else polish(problem, point.X, point.Y, evaluator, self.settings)
        if found is None:
            return state
        (X, Y), D = found, problem.grad(found[0])
        point = PrimalDual(X, Y, D, -lagrangian_gradient(D, X, Y))  # S by stationarity
        return Attempt(point, replace(memory, polish_at=0.0), improved=True)

    def verdict(self, problem: Problem, old: Attempt, new: Attempt) -> Verdict:
        found = Verdict.POLISHED if old.improved else Verdict.GOING  # a run may end at a better point
        return found if new.improved else Verdict.REFUSED

    def point(self, problem: Problem, state: Attempt) -> PrimalDual:
        return state.point

    def output(self, state: Attempt) -> tuple[Array, Array]:
        return state.point.X, state.point.Y

    def residuals(self, state: Attempt) -> tuple[float, float]:
        X, Y, D, S = state.point.X, state.point.Y, state.point.D, state.point.S
        return feasibility(X), float(norm(lagrangian_gradient(D + S, X, Y)))

    def parameters(self, state: Attempt) -> dict[str, Any]:
        return {}


def polish(
    problem: Problem, X: Array, Y: Array | None, evaluator: Evaluator, k: Settings = SETTINGS
) -> tuple[Array, Array] | None:
    """Return a point near X with a smaller KKT error and its multiplier, or None if polishing does
    not help.

    The point keeps the exact zeros of the prox point of X. Its f is at most that of X, up to the
    inaccuracy of X. The size of the problem bounds the work. A g without kinks is not polished.
    """
    g = problem.nonsmooth
    if X.ndim > 2 or not isinstance(g, HasFace):
        return None
    before = evaluator.certify(X, Y)
    kkt_error = evaluator.kkt_error(X, before)
    if not kkt_error < k.gain:
        return None
    model, value = _Model(k, problem, g, like=X, floor=evaluator.floor), _value(problem, before)
    highest = value + max(kkt_error, precision(X) ** 0.5) * (abs(value) + max(before.gradient, evaluator.floor))
    best, least = None, kkt_error
    far = k.gain * k.identified  # what is far smaller than its error is on a kink
    near = k.gain * kkt_error if max(kkt_error, model.root) < far else 0.0
    plain, rounded = (to_numpy(g.round_to_kinks(before.point, reach)) for reach in (near, far))
    for start in (plain,) if np.array_equal(plain, rounded) else (plain, rounded):
        found = _rounds(model, start, to_numpy(before.multiplier))
        if found is not None:
            P, S = (from_numpy(M, like=X) for M in found)
            after = evaluator.certify(P, S)
            left = evaluator.kkt_error(P, after)
            if left < least and _value(problem, after) <= highest:
                best, least = (P, S), left
        if least <= model.small:
            break
    return best


def _value(problem: Problem, proof: Certificate) -> float:
    """Return f + <Y, P'P - I> at the certified P: to second order f at the nearest feasible one."""
    return float(problem.value(proof.point) + inner(proof.multiplier, defect(proof.point)))


class _Model:
    """The terms of a problem as functions of NumPy arrays, the scale of residuals, flops left."""

    def __init__(self, k: Settings, problem: Problem, g: HasFace, *, like: Array, floor: float) -> None:
        (m, n), self.ell, self.g, self.like, self.floor, self.k = problem.shape, problem.smooth, g, like, floor, k
        self.dense = 2.0 * m * m * n
        self.flops = k.polish * max(problem.flops, k.overhead)
        self.rounding, self.small, self.root, self.heed = rounding(like), negligible(like), precision(like) ** 0.5, problem.heed

    def grad(self, X: Matrix) -> Matrix:
        return to_numpy(self.ell.grad(self._send(X)))

    def face(self, X: Matrix) -> Face:
        face = self.g.face(self._send(X))
        return Face(to_numpy(face.free), to_numpy(face.gradient), lambda V: to_numpy(face.curvature(self._send(V))))

    def curved(self, X: Matrix, D: Matrix, face: Face, equations: Orthogonality, Y: Matrix) -> Curved:
        """Return H: v -> (l'' + g'')[v] + 2vY in the free entries, as a matrix if there are few.

        A small shift is for an f that is the same for all rotations of X: as X has an error, the
        curvature along them may be slightly negative. D is grad l(X). A quadratic l provides its
        second derivative; for any other l it is a difference of gradients.
        """
        more = self.k.goal * self.scale(D) / X.shape[1] ** 0.5
        H, entries = hessian_matrix(self.ell), equations.entries
        take, put = entries.take, entries.put
        if H is not None and isinstance(self.g, Separable) and len(entries) <= 2 * SMALL.decomposed:
            ones = np.ones((len(entries), 1), X.dtype)
            return np.asarray(entries.matrix(to_numpy(H), 2 * Y) + np.diagflat(take(face.curvature(put(ones))) + more))
        if H is not None and entries.overlaps[1] <= X.size:
            K = entries.within_columns(to_numpy(H))
            return lambda v: K @ v + take(face.curvature(put(v))) + more * v + 2 * equations.right(v, Y)
        at = self.ell, self._send(X), self._send(D)
        apply = hessian_within(*at, self._send(face.free)) if is_quadratic(self.ell) else hessian(*at)

        def curved(v: Matrix) -> Matrix:
            V = put(v)
            second = take(to_numpy(apply(self._send(V))) + face.curvature(V))
            return np.asarray(second + more * v + 2 * equations.right(v, Y))

        return curved

    def stop_at_kinks(self, *ends: Matrix) -> Matrix:
        return to_numpy(self.g.stop_at_kinks(*map(self._send, ends)))

    def min_norm_subgradient(self, *at: Matrix) -> Matrix:
        return to_numpy(self.g.min_norm_subgradient(*map(self._send, at)))

    def scale(self, D: Matrix) -> float:
        return max(float(norm(D)), self.floor) or 1.0

    def equations(self, X: Matrix, mask: Matrix, damping: float = 0.0) -> Orthogonality | None:
        """Return the equations of X'X = I in the mask; None if it is empty or no flops are left."""
        self.heed()
        self.flops -= Orthogonality.cost(X, mask)
        if self.flops < 0 or not np.any(mask):
            return None
        equations = Orthogonality(X, mask, damping)
        count, fill = equations.fill
        self.flops -= 2 * fill**2 / count
        return equations

    def few(self, some: Matrix, of: Matrix) -> bool:
        """Whether no more entries are set than a number, or a share of the others."""
        return bool(np.count_nonzero(some) <= max(self.k.few, self.k.gain * np.count_nonzero(of)))

    def product(self, equations: Orthogonality, free: Matrix) -> float:
        """Return the flops of a product with the projected Hessian."""
        (m, n), entries = self.like.shape, len(equations.entries)
        inside = within(self.ell, free) if is_quadratic(self.ell) else None  # `columns` of others is theirs
        second = min(self.dense, self.k.sparse * m * entries) if inside is None else inside.operations
        return float(second + 2 * entries * n + equations.projection_flops)

    def _send(self, M: Matrix) -> Array:
        return from_numpy(M, like=self.like)


def _rounds(model: _Model, X: Matrix, Y: Matrix) -> tuple[Matrix, Matrix] | None:
    """Alternate between the free and the held entries; return the best point found."""
    best, least, seen = None, np.inf, set()
    for _ in range(model.k.rounds):
        solved = _newton(model, X, Y)
        if solved is None:
            break
        X = solved[0]
        Y, R, error = _dual(model, *solved)
        if error < least:
            best, least = (X, Y), error
        held = ~model.face(X).free
        violation = np.where(held, np.abs(R), 0.0)
        leaving = violation > model.k.gain * np.max(violation)
        if error <= model.small or held.tobytes() in seen or not model.few(leaving, ~held):
            break
        seen.add(held.tobytes())
        X = X - np.where(leaving, model.root * R / (np.max(violation) or 1.0), 0.0)
    return best


def _newton(model: _Model, X: Matrix, Y: Matrix) -> tuple[Matrix, Matrix] | None:
    """Solve grad l + g' + 2XY = 0 in the free entries and X'X = I; return X and Y, None in vain."""
    last = np.inf
    for _ in range(model.k.newton_steps):
        X = beside_coordinates(X)
        D, face = model.grad(X), model.face(X)
        equations = model.equations(X, face.free)
        if equations is None:
            return (X, Y) if last < np.inf else None
        W = D + face.gradient
        Y = Y + equations.multiplier(equations.entries.take(W + 2 * (equations.X @ Y)))
        r = equations.project(equations.entries.take(W + 2 * (equations.X @ Y)))
        error = max(float(norm(r)) / model.scale(D), feasibility(X))
        if error <= model.rounding or last / 2 < error <= model.small:
            return X, Y
        if error > model.k.gain:
            return None
        H, tol = model.curved(X, D, face, equations, Y), max(min(model.k.gain, error), model.k.goal)
        V = _step(model, equations, r, H, price=model.product(equations, face.free), tol=tol)
        if V is None:
            return None
        Z = model.stop_at_kinks(X, X + V)
        held = face.free & ~model.face(Z).free
        if not model.few(held, face.free):
            return None
        X, last = Z, error if not np.any(held) else np.inf
    return X, Y


def _step(model: _Model, equations: Orthogonality, r: Matrix, H: Curved, *, price: float, tol: float) -> Matrix | None:
    """Return the Newton step v + w: v is the shortest way to X'X = I, and w minimises the quadratic
    model from there.

    w minimises  <r + Hv, w> + <w, Hw> / 2  over J w = 0, by a factorisation of H or conjugate
    gradients. If H has negative curvature, or the step is long, return None. Nearly dependent
    equations make the projection P inexact, but PHP stays symmetric.
    """
    radius, project = model.k.radius * equations.X.shape[1] ** 0.5, equations.project
    v = equations.restoring()
    w = None if callable(H) else equations.minimum(H, r + H @ v)
    if w is not None and max(float(norm(v)), float(norm(w))) < radius:
        return equations.entries.put(v + w)

    def curved(v: Matrix) -> Matrix:
        model.heed()
        model.flops -= price
        return H(v) if callable(H) else np.asarray(H @ v)

    move = trust_region(
        lambda w: project(curved(project(w))),
        lambda w: w,
        project(r + curved(v)),
        radius,
        tol=tol,
        max_iterations=min(model.k.cg_steps, max(int(model.flops / price), 0)),
    )
    return None if move.edge or not float(norm(v)) < radius else equations.entries.put(v + project(move.V))


def _dual(model: _Model, X: Matrix, Y: Matrix) -> tuple[Matrix, Matrix, float]:
    """Minimise |R(Y)|, R the least element of grad l + dg + 2XY, by semismooth Newton; return Y, R
    and the relative error.

    Each step solves a linear least-squares problem in the free entries and in those held ones where
    R is not zero.
    """
    D, sparse, free = model.grad(X), sp.csr_array(X), model.face(X).free

    def residual(Y: Matrix) -> Matrix:
        return model.min_norm_subgradient(X, D + 2 * (sparse @ Y))

    def newton(R: Matrix, damping: float) -> Matrix | None:
        equations = model.equations(X, free | (R != 0), damping)
        return None if equations is None else equations.multiplier(equations.entries.take(R), exact=False)

    scale = model.scale(D)
    Y, R = min_norm(residual, newton, Y, residual(Y), tiny=model.rounding * scale)
    return Y, R, max(float(norm(R)) / scale, feasibility(X))
