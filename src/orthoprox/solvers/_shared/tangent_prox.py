"""The proximal step in a tangent space, by a regularised semismooth Newton method on its
multiplier.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from orthoprox._arrays.library import Array, from_numpy, inner, namespace
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.linesearch import backtrack
from orthoprox._linalg.stiefel import defect, sym

DIRECT = 2**18  # the Newton equation is solved directly while the products that form it have fewer entries than this
NEWTON_STEPS = 100
GOOD, SLOPED = 1e-3, 1e-4  # the decrease of |E|^2, and of the dual function, that a step needs
SHORTEST = 2**-10  # of its line search
COARSEST, ACCURACY, FINEST = 1e-2, 0.3, 1e-27  # of the tolerance of a subproblem


@dataclass(frozen=True)
class TangentProx:
    """The solution of one subproblem."""

    P: Array  # X + V, with the exact zeros of a prox
    V: Array  # the step
    Lam: Array  # the multiplier of X'V + V'X = 0
    proxes: int  # how often the prox was evaluated


@dataclass(frozen=True)
class _Trial:
    """A multiplier and what follows from it."""

    Lam: Array
    B: Array  # X - t D + 2t X Lam
    W: Array  # prox_tg(B)
    E: Array  # X'W + W'X - 2I
    size: float  # |E|_F^2
    psi: float  # the dual function <B - W/2, W> / t - g(W) - 2 tr(Lam), convex with gradient E


def tangent_prox(g: Any, X: Array, D: Array, t: float, Lam: Array, *, tol: float, dual: bool) -> TangentProx:
    """Return V = argmin <D, V> + |V|^2 / 2t + g(X + V)  subject to  X'V + V'X = 0.

    With B = X - t D + 2t X Lam and W = prox_tg(B), V = W - X is the solution where E(Lam) = X'W +
    W'X - 2I vanishes. E is the gradient of a convex function, with the generalised derivative  S ->
    4t sym(X' J[X S]),  J the derivative of the prox at B. Regularised Newton steps start at ``Lam``
    and end at |E|_F^2 <= tol. A step is good where it reduces |E|, the authors' rule, or (``dual``)
    that convex function: with many columns, |E| alone leads into ever shorter steps.
    """
    base, G, xp = X - t * D, defect(X), namespace(X)

    def at(Lam: Array) -> _Trial:
        B = base + 2 * t * (X @ Lam)
        W = g.prox(B, t)
        E = 2 * (sym(X.mT @ (W - X)) + G)
        psi = inner(B - W / 2, W) / t - g.value(W) - 2 * xp.linalg.trace(Lam)
        return _Trial(Lam, B, W, E, float(inner(E, E)), float(psi))

    now, proxes = at(Lam), 1
    for _ in range(NEWTON_STEPS):
        if now.size <= tol:
            break
        S = _newton_step(g, X, t, now, 20 * t if dual else 1.0)
        slope = float(inner(now.E, S))

        def good(a: float, trial: _Trial, now: _Trial = now, slope: float = slope) -> bool:
            return trial.size < now.size * (1 - GOOD * a) or (dual and trial.psi <= now.psi + SLOPED * a * slope)

        found = backtrack(lambda a, Lam=now.Lam, S=S: at(Lam + a * S), good, 1.0, shortest=SHORTEST)  # type: ignore[misc]
        now, proxes = found.point, proxes + found.trials
    return TangentProx(now.W, now.W - X, now.Lam, proxes)


def inner_tolerance(size: float) -> float:
    """Return the bound of |X'V + V'X|_F^2: small against the descent |V|^2, of which ``size`` is
    the last |V|.
    """
    return min(COARSEST, max((ACCURACY * size**2) ** 2, FINEST))


def _newton_step(g: Any, X: Array, t: float, now: _Trial, unit: float) -> Array:
    """Return S with (4t sym(X' J[X S]) + shift S) = -E; a ``unit`` of the shift in proportion to t
    makes it scale free.
    """
    size = now.size**0.5
    shift = 0.2 * max(min(size, 0.1), 1e-11) * unit

    J = g.prox_derivative(now.B, t)

    def apply(S: Array) -> Array:
        return 4 * t * sym(X.mT @ J(X @ S)) + shift * S

    m, n = X.shape[-2:]
    if m * n * n * (n + 1) // 2 > DIRECT:
        tol = min(max(1e-7, min(1e-4, 1e-3 * size)) / size, 0.01)  # beyond 1 no step would be taken any more
        return conjugate_gradients(apply, -now.E, tol=tol, max_iterations=n**2)
    xp = namespace(X)
    basis, matrix = in_symmetric_basis(apply, X)
    coordinates = xp.linalg.solve(matrix, -(basis @ xp.reshape(now.E, (n * n, 1))))
    return xp.reshape(basis.mT @ coordinates, (n, n))


def in_symmetric_basis(apply: Callable[[Array], Array], X: Array) -> tuple[Array, Array]:
    """Return an orthonormal basis of the symmetric n x n matrices, one in each row, and the matrix
    of an operator in it.
    """
    xp, n = namespace(X), X.shape[-1]
    basis = symmetric_basis(n, X)
    flat = xp.reshape(basis, (basis.shape[0], n * n))
    return flat, xp.reshape(apply(basis), flat.shape) @ flat.mT


def symmetric_basis(n: int, like: Array) -> Array:
    """Return an orthonormal basis of the symmetric n x n matrices, stacked along the first axis."""
    return from_numpy(_symmetric_basis(n), like=like)


@cache
def _symmetric_basis(n: int) -> np.ndarray:
    rows, columns = np.tril_indices(n)
    basis = np.zeros((len(rows), n, n))
    k = np.arange(len(rows))
    basis[k, rows, columns] = basis[k, columns, rows] = np.where(rows == columns, 1.0, 0.5**0.5)
    return basis
