"""The start for wide data: a homotopy in the threshold of g, and repairs of the columns that found
nothing.

For concave l the step  X+ = polar(prox(-grad l(X)))  is a power method with a threshold (Journee,
Nesterov, Richtarik and Sepulchre 2010). With a threshold that rises from a quarter of g to g it
finds sparse components in noise where principal components show none.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.wide import WIDE
from orthoprox._arrays.library import Array
from orthoprox._linalg.stiefel import polar
from orthoprox.files.journal import noted
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.problems.rows import extended, on_rows
from orthoprox.problems.single import in_single
from orthoprox.stopping.clock import Stopped

Rng = np.random.Generator


@dataclass(frozen=True)
class Found:
    """A point of the search, and what is known there."""

    X: Array
    f: float
    D: Array  # grad l(X)


def homotopy(problem: Problem, X: Array, rng: Rng, factor: float = 1.0) -> Array:
    """Return the end of the homotopy from principal components, rotated before and after, and
    repaired; X is a random point. If time is over, it is the best point so far. Dense data are read
    in single precision. ``factor`` multiplies what the repairs may take.
    """
    dtype, alone = X.dtype, isinstance(problem.nonsmooth, Separable)  # otherwise columns stand for nothing by themselves
    with suppress(Stopped):
        problem = in_single(problem)
        X = X if problem.smooth.data is None else X.astype(problem.smooth.data.dtype)  # type: ignore[attr-defined]
        for _ in range(SETTINGS.power_steps):
            X = noted("power", partial(_power, problem, X))
        X = _rotated(problem, _found(problem, X)).X if alone else X
        X = _settled(problem, X, np.zeros(X.shape[1], bool), (*WIDE.stages, 1.0))
        if alone:
            found = _rotated(problem, _found(problem, X))
            X = found.X
            for better in _repairs(problem, found, rng, factor):
                X = better.X
    return polar(X.astype(dtype))


def _power(problem: Problem, X: Array) -> Array:
    """Return X after a step of the power method."""
    return polar(-problem.grad(X))


def _found(problem: Problem, X: Array) -> Found:
    value, D = problem.value_and_grad(X)
    return Found(X, float(value + problem.nonsmooth.value(X)), D)


def _rotated(problem: Problem, found: Found) -> Found:
    """Return XR with a rotation R for which g(XR) is lower, as for :func:`.rotations`, or X itself;
    l, a variance, is the same there.
    """
    k, X = SETTINGS, found.X
    rows = np.flatnonzero(np.any(X != 0, axis=1))
    V, g, R = X[rows], uncounted(problem)[1].at_rows(rows), np.eye(X.shape[1], dtype=X.dtype)
    nu = problem.smoothing(X, found.D, k.widths[0])
    for _ in k.widths:
        for _ in range(k.power):
            problem.heed()
            problem.count(gradients=0, proxes=1)
            R = polar(V.T @ g.prox(V @ R, nu).astype(V.dtype, copy=False))
        nu *= k.widths[0]
    gain = float(g.value(V)) - float(g.value(V @ R))
    return Found(X @ R, found.f - gain, found.D @ R) if gain > 0 else found


def _repairs(problem: Problem, found: Found, rng: Rng, factor: float) -> Iterator[Found]:
    """Yield points that are lower and lower. A repair drops the columns of X that contribute least,
    a quarter of them or, after failures, one, the next in turn, and begins anew with seeds in their
    place. The work of all is limited.
    """
    k, n, failures = WIDE, problem.shape[1], 0
    price = 2 * k.seeds * n * uncounted(problem)[0].operations  # about twice as many gradients as for the seeds
    for _ in range(min(int(factor * SETTINGS.rounds), int(factor * k.work / price))):
        if failures >= factor * k.failures:
            return
        order = np.argsort(-_contributions(problem, found.X, found.D), kind="stable")
        leave = order[: ceil(k.dropped * n)] if failures == 0 else order[[(failures - 1) % n]]
        new = noted("repair", partial(_repaired, problem, found, leave, rng))
        failures += 1
        if new.f < found.f - SETTINGS.gain * SETTINGS.identified * abs(found.f):
            found, failures = new, 0
            yield found


def _repaired(problem: Problem, found: Found, leave: Array, rng: Rng) -> Found:
    """Return X with seeds in place of some columns, settled."""
    kept, Y = ~np.isin(np.arange(problem.shape[1]), leave), found.X.copy()
    Y[:, leave] = _seeds(problem, found.X[:, kept], len(leave), rng)
    return _found(problem, _settled(problem, polar(Y), kept, (*WIDE.stages[1:], 1.0)))


def _contributions(problem: Problem, X: Array, D: Array) -> Array:
    """Return what each column of X contributes to f, for l(X) = <X, grad l(X)> / 2."""
    total, parts = float(problem.nonsmooth.value(X)), []
    for i in range(X.shape[1]):
        others = X.copy()
        others[:, i] = 0
        parts.append(total - float(problem.nonsmooth.value(others)))
    return np.sum(X * D, axis=0) / 2 + np.array(parts)


def _settled(problem: Problem, X: Array, kept: Array, stages: Sequence[float]) -> Array:
    """Return the end of the homotopy from X. Columns that are ``kept`` have the threshold of g from
    the first stage on.
    """
    for t in stages:
        X = noted("stage", partial(_stage, problem, X, kept, t))
    return X


def _stage(problem: Problem, X: Array, kept: Array, t: float) -> Array:
    """Return the end of a stage, which begins with all rows and goes on with those that are near
    its threshold.
    """
    k, m, D = WIDE, len(X), problem.grad(X)
    X = _step(problem, D, kept, t)
    near = np.any((X != 0) | (_thresholded(problem, -D / k.near, kept, t) != 0), axis=1)
    rows = np.flatnonzero(near)
    steps = k.steps if t < 1 else k.most
    part = (on_rows(problem, rows, steps * X.shape[1]) if 2 * len(rows) <= m else None) or problem
    x = X if part is problem else X[rows]
    for _ in range(steps - 1):
        before, x = x, _step(part, part.grad(x), kept, t)
        if t == 1 and np.max(np.linalg.norm(x - before, axis=0)) <= SETTINGS.identified:
            break
    return x if part is problem else extended(x, rows, m)


def _step(problem: Problem, D: Array, kept: Array, t: float) -> Array:
    """Return polar(prox(-D)), D = grad l(X). A column that vanishes becomes a coordinate vector, of
    the row where D is largest of those that no column uses.
    """
    W = _thresholded(problem, -D, kept, t)
    for i in np.flatnonzero(~np.any(W != 0, axis=0)):
        free = np.where(np.any(W != 0, axis=1), -1.0, np.abs(D[:, i]))
        W[np.argmax(free), i] = 1
    return polar(W)


def _thresholded(problem: Problem, W: Array, kept: Array, t: float) -> Array:
    """Return the prox of t g at W, and that of g in the columns that are kept."""
    P = _shrunk(problem, W, t)
    return np.where(kept, _shrunk(problem, W, 1.0), P) if np.any(kept) else P


def _shrunk(problem: Problem, W: Array, t: float) -> Array:
    """Return c P with P the prox of t g / c at W / c, where no column of W / c is longer than 1;
    for a norm c does not matter.
    """
    c = max(float(np.max(np.linalg.norm(W, axis=0))), 2 * problem.nonsmooth.modulus) or 1.0
    return (c * problem.prox(W / c, t / c)).astype(W.dtype, copy=False)


def _without(K: Array, X: Array) -> Array:
    """Return (I - KK')X."""
    return X - K @ (K.T @ X)


def _seeds(problem: Problem, K: Array, number: int, rng: Rng) -> Array:
    """Return columns to begin with in place of some that K lacks: a feature with those that vary
    with it, in the data B = A(I - KK') without what K explains.

    The features j with the largest |B'b_j|^2 / |b_j|^2, by random products, are compared by a bound
    of f for one column, the least  tau^2 - |prox(2 tau C_j)|  over tau, C_j = B'b_j / |b_j|.
    """
    k, n, ell = WIDE, problem.shape[1], uncounted(problem)[0]
    squares = np.maximum(ell.squares, SETTINGS.goal * np.max(ell.squares))
    chosen = np.argsort(-_associations(problem, K, rng) / squares, kind="stable")[: k.seeds * n]
    scores, cosines = np.empty(len(chosen)), np.empty((len(chosen), len(chosen)))
    for j in range(0, len(chosen), n):
        few = slice(j, min(j + n, len(chosen)))
        C = _associated(problem, K, chosen[few])
        tops = np.linalg.norm(C, axis=0)
        bounds = [tau**2 - np.linalg.norm(_shrunk(problem, 2 * tau * C, 0.5), axis=0) for tau in (tops / 2, tops)]
        scores[few] = np.min(bounds, axis=0)[: few.stop - j]
        cosines[:, few] = np.abs(C[chosen, : few.stop - j])
    cosines /= np.sqrt(squares[chosen])[:, None]
    best = _different(np.argsort(scores, kind="stable"), cosines, number)
    C = _associated(problem, K, chosen[best])[:, :number]
    sizes = np.abs(C)
    return np.where(sizes >= k.apart * np.max(sizes, axis=0), C, SETTINGS.identified * C)


def _associations(problem: Problem, K: Array, rng: Rng) -> Array:
    """Return |B'a_j|^2 for each feature, or an estimate by random products."""
    (m, n), total = problem.shape, uncounted(problem)[0].associations
    if total is not None:
        return np.asarray(total - np.sum((problem.grad(K) / 2) ** 2, axis=1))
    products = (_product(problem, K, rng.standard_normal((m, n))) for _ in range(WIDE.seeds))
    return np.sum([np.sum(R**2, axis=1) for R in products], axis=0)


def _associated(problem: Problem, K: Array, features: Array) -> Array:
    """Return C_j = B'b_j / |b_j| for at most n features; what is left of n columns repeats them."""
    m, n = problem.shape
    few, E = np.resize(features, n), np.zeros((m, n))
    E[few, np.arange(n)] = 1
    C = _product(problem, K, E)
    squares = C[few, np.arange(n)]
    return C / np.sqrt(np.where(squares > 0, squares, 1.0))


def _product(problem: Problem, K: Array, X: Array) -> Array:
    """Return B'BX, for l(X) = -|AX|^2."""
    return _without(K, -problem.grad(_without(K, X.astype(K.dtype))) / 2)


def _different(order: Array, cosines: Array, number: int) -> list[int]:
    """Return the first so many that are different from those before, and others if these are too
    few.
    """
    found: list[int] = []
    for i in order:
        if len(found) < number and all(cosines[i, j] <= WIDE.apart for j in found):
            found.append(int(i))
    return found + [int(i) for i in order if i not in found][: number - len(found)]
