"""Exchange of columns: many hops at once, each among a few columns of X and the rows that they have
for themselves.
"""

from contextlib import suppress
from functools import partial
from math import inf

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays.library import Array
from orthoprox.files.journal import CURRENT, Page
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.smooth.curvature import lipschitz
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance
from orthoprox.stopping.clock import Stopped

SIZES = range(2, SETTINGS.block + 1)  # of blocks, in turn
ROUND = SETTINGS.exchange + 1  # gradients of a round


def exchangeable(problem: Problem, X: Array) -> bool:
    """Whether f is a sum over the columns of X, the same function of each, and at least n rows of X
    have at most one nonzero entry: l is quadratic without a linear part, and g an l1 norm whose
    weights belong to rows.
    """
    ell, g = uncounted(problem)
    quadratic = ell.__class__ is Variance or (ell.__class__ is Quadratic and ell.B is None)
    if not (quadratic and g.__class__ is L1 and g.bound == inf and isinstance(X, np.ndarray)):
        return False
    same = np.ndim(g.mu) == 0 or np.shape(g.mu)[-1] == 1
    return same and bool(np.sum(np.count_nonzero(X, axis=1) <= 1) >= X.shape[1])


def exchanged(problem: Problem, X: Array, rng: np.random.Generator, gradients: float, patience: float) -> tuple[Array, float]:
    """Return a lower point near a minimiser with sparse columns, and f there; X itself if none is
    found.

    A round divides the columns into blocks of two to four that depend on each other. A block has
    the rows that no other block uses. In each block a coordinate vector takes the place of one
    column, and the columns compete for the rows of the block (see :func:`_settled`). Supports are
    then disjoint, so that the columns stay orthogonal, and blocks do not touch each other: those
    that end lower are kept.

    Parameters
    ----------
    problem : Problem
        One that is :func:`exchangeable`.
    X : array
        On the manifold.
    rng : numpy.random.Generator
        For blocks, and for the columns and rows that are exchanged.
    gradients : float
        The most that may be spent; a round takes six.
    patience : float
        The rounds in vain, for each size of block and one after the other, that end the search.
    """
    journal = CURRENT.get()
    if journal is None:
        return _exchanged(problem, X, rng, gradients, patience)
    return journal.unit("exchanges", lambda page: _exchanged(problem, X, rng, gradients, patience, page=page))


def _exchanged(
    problem: Problem,
    X: Array,
    rng: np.random.Generator,
    gradients: float,
    patience: float,
    *,
    page: Page | None = None,
) -> tuple[Array, float]:
    k, rounds, vain = SETTINGS, 0, 0
    shift = 0.0 if uncounted(problem)[0].__class__ is Variance else lipschitz(problem.smooth, X)
    D = problem.grad(X)
    values = _values(problem, X, D)
    enough = k.goal * abs(float(np.sum(values)))
    if page is not None:
        X, D, values, rounds, vain = page.resumed() or (X, D, values, rounds, vain)
    with suppress(Stopped):
        while vain < patience * len(SIZES) and ROUND * (rounds + 1) < gradients:
            block = _blocks(X, D, rng, SIZES[rounds % len(SIZES)])
            rows = _rows(X, D, block, rng)
            Z = _settled(problem, _hops(X, block, rows, rng), rows[:, None] == block, shift)
            E = problem.grad(Z)
            new = np.where(np.any(Z, axis=0), _values(problem, Z, E), inf)
            lower = (np.bincount(block, new) < np.bincount(block, values) - enough)[block]
            X, D, values = np.where(lower, Z, X), np.where(lower, E, D), np.where(lower, new, values)
            rounds, vain = rounds + 1, 0 if np.any(lower) else vain + 1
            if page is not None:
                page.keep(partial(tuple, (X, D, values, rounds, vain)))
        return X, float(problem.value(X))
    return X, float(np.sum(values))


def _values(problem: Problem, X: Array, D: Array) -> Array:
    """Return f of each column; D = grad l(X)."""
    return np.einsum("ij,ij->j", X, D) / 2 + problem.nonsmooth.value(X.T[:, :, None])


def _blocks(X: Array, D: Array, rng: np.random.Generator, size: int) -> Array:
    """Return the block of each column: random columns, each with those that depend on it most.

    The dependence of columns a and b is sum_i |D_ia x_ib| + |D_ib x_ia|, times a random number.
    """
    n = X.shape[1]
    M = np.abs(D).T @ np.abs(X)
    M = (M + M.T) * rng.random((n, n))
    np.fill_diagonal(M, inf)  # a column belongs to itself
    order = np.argsort(-M, axis=1, kind="stable")
    block, free = np.zeros(n, int), np.ones(n, bool)
    for number, j in enumerate(rng.permutation(n)):
        if free[j]:
            members = order[j][free[order[j]]][:size]
            block[members], free[members] = number, False
    return np.unique(block, return_inverse=True)[1]


def _rows(X: Array, D: Array, block: Array, rng: np.random.Generator) -> Array:
    """Return the block of each row: the only one that uses it, -1 if there are more, or for a row
    of zeros that of a column with a large entry of D, times a random number.
    """
    used = np.zeros((len(X), block.max() + 1), bool)
    i, j = np.nonzero(X)
    used[i, block[j]] = True
    number, rows = np.sum(used, axis=1), np.argmax(used, axis=1)
    noise = rng.standard_normal(X.shape)
    wanted = block[np.argmax(np.abs(D * noise), axis=1)]
    return np.where(number == 0, wanted, np.where(number == 1, rows, -1))


def _hops(X: Array, block: Array, rows: Array, rng: np.random.Generator) -> Array:
    """Return X on the rows of its blocks, with a column of each block, chosen at random, replaced
    by a coordinate vector.
    """
    own, order = rows[:, None] == block, rng.permutation(len(block))
    chosen = order[np.unique(block[order], return_index=True)[1]]  # the first of each block
    Z, noise = np.where(own, X, 0), rng.standard_normal(X.shape)
    at = np.argmax(np.where(own, noise, -inf)[:, chosen], axis=0)
    Z[:, chosen] = 0
    Z[at, chosen] = own[at, chosen]
    return Z


def _settled(problem: Problem, Z: Array, own: Array, shift: float, share: float = 0.5) -> Array:
    """Return columns with disjoint supports after some steps, with a share of the penalty that
    grows to 1.

    A step minimises a model of f on each column z of length 1, <grad l(z) - shift z, x> + g(x),
    which lies above f - f(z) if l - shift |.|^2 / 2 is concave: its minimiser is w / |w| with w =
    prox_g(shift z - grad l(z)), and its minimum -|w|. Each row goes to the column that loses most
    without it, w_i^2 / |w|. A column without any row takes one that it wants and others hardly
    use.
    """
    at = np.arange(len(Z))
    for step in range(SETTINGS.exchange):
        G = np.where(own, shift * Z - problem.grad(Z), 0)
        W = problem.prox(G, min(1.0, share + step / SETTINGS.exchange))
        length = _lengths(W)
        winner = np.argmax(W * W / length, axis=1)
        Z = np.zeros_like(W)
        Z[at, winner] = W[at, winner]
        empty = np.flatnonzero(~np.any(Z, axis=0))
        wish = np.abs(G[:, empty]) - 2 * np.max(np.abs(Z), axis=1)[:, None]
        taken = np.argmax(np.where(G[:, empty] != 0, wish, -inf), axis=0)
        for i, at_first in zip(*np.unique(taken, return_index=True), strict=True):  # a row for one of them
            if G[i, empty[at_first]] != 0:
                Z[i] = 0
                Z[i, empty[at_first]] = 1
        Z = Z / _lengths(Z)
    return Z


def _lengths(Z: Array) -> Array:
    """Return the lengths of the columns, 1 for those that are 0."""
    squares = np.einsum("ij,ij->j", Z, Z)
    return np.where(squares > 0, np.sqrt(squares), 1)
