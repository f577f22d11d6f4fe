"""LSALM on the entries of a large and sparse X that are nonzero or near to it, where a step takes almost nothing."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orthoprox._arrays import Array, precision
from orthoprox.entries import Entries
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problem import Problem
from orthoprox.products import support
from orthoprox.solvers import _pace, _stride
from orthoprox.solvers._space import Whole
from orthoprox.solvers._stride import Stride
from orthoprox.stiefel import norm
from orthoprox.terms import matrix_of

_NEAR = 1.1  # entries take part that would be nonzero if the point whose prox is taken were longer by this factor
_STEPS = 30  # at most, before all entries are looked at again
_GAIN = 0.1  # or until the residual has fallen by this factor
_MEETINGS = 4.0  # times mn: with more pairs of entries to multiply there is nothing to gain
_MOST = 1e7  # and in any case, for the memory that they take
_BEGIN = 0.25  # the residual with which to begin


@dataclass(frozen=True)
class Part:
    """Some entries; matrices are columns of them, and Y and E'E - I are known where columns meet."""

    problem: Problem
    entries: Entries
    g: Separable  # of these entries
    H: Any  # takes E to HE
    rest: Array  # grad l(0)
    diagonal: Array  # 1 for the pairs of a column with itself
    outward: float  # the pull, as it was last measured

    def prox(self, W: Array, t: float) -> Array:
        return self.g.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        return self.H @ E + self.rest, self.entries.cross(E, E) - self.diagonal, lambda S: self.entries.right(E, S)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        squares, there = X**2, (X != 0).astype(X.dtype)
        return self.entries.cross(squares, there) + self.entries.cross(there, squares), self.diagonal > 0

    def manifold(self, G: Array, bound: float) -> tuple[bool, bool]:
        return not float(norm(G)) <= _pace.AWAY, False

    def pull(self, E: Array, D: Array, S: Array) -> float:
        return self.outward


def sweep(problem: Problem, s: Stride) -> Stride:
    """Take some steps on the entries that are nonzero or near to it, if these are few, and look at all again."""
    part, residual = _part(problem, s), max(s.stationarity, s.feasibility)
    if part is None:
        return s
    now = _restricted(s, part.entries)
    for _ in range(_STEPS):
        new = _stride.step(part, now)
        if new.away:
            break
        now = new
        if max(now.stationarity, now.feasibility) <= _GAIN * residual or now.watch.gait != s.watch.gait:
            break
    return _extended(problem, s, now, part.entries)


def _part(problem: Problem, s: Stride) -> Part | None:
    """Return the entries to work on, or None where this does not pay: X is small or dense, or still far, or there already."""
    ell, g = problem.smooth, problem.nonsmooth
    if s.watch.over or not (precision(s.X) ** (2 / 3) < max(s.stationarity, s.feasibility) <= _BEGIN):
        return None
    H = matrix_of(ell)
    if H is None or not isinstance(g, Separable) or support(s.E) is None:
        return None
    W, t = _NEAR * _stride.target(s), 1 / _pace.total(s.c, s.grip * s.pull)
    P = g.prox(W, t)
    entries = Entries((P != 0) | (s.X != 0) | (s.E != 0))
    if sum(entries.meetings) > min(_MEETINGS * s.X.size, _MOST):
        return None
    few = g.at(entries)
    if few is None or not np.allclose(few.prox(entries.take(W), t), entries.take(P)):  # a subclass with a prox of its own
        return None
    H, (first, second) = entries.within_columns(H), entries.pairs
    rest = entries.take(s.D) - H @ entries.take(s.E)
    diagonal = (first == second).astype(s.X.dtype).reshape(-1, 1)
    return Part(problem, entries, few, H, rest, diagonal, s.pull)


def _restricted(s: Stride, entries: Entries) -> Stride:
    """Return these entries of the iterates; residuals are still compared with the whole gradient."""
    X, E, Z, D, EY, EG = (entries.take(M) for M in (s.X, s.E, s.Z, s.D, s.EY, s.EG))
    Y, G = (M[entries.pairs].reshape(-1, 1) for M in (s.Y, s.G))
    return replace(s, X=X, E=E, Z=Z, D=D, EY=EY, EG=EG, Y=Y, G=G, good=X, scale=max(float(norm(s.D)), s.scale))


def _extended(problem: Problem, s: Stride, part: Stride, entries: Entries) -> Stride:
    """Return the iterates with the entries as they are now, and zeros elsewhere."""
    X, E, Z = (entries.put(M) for M in (part.X, part.E, part.Z))
    Y = np.array(s.Y)
    Y[entries.pairs] = part.Y[:, 0]
    D, G, right = Whole(problem).products(E)
    pull = s.pull
    if part.watch.iterations // _stride.REFRESH != s.watch.iterations // _stride.REFRESH:
        pull = _pace.outward_pull(problem, E, D, _pace.subgradient(problem, X, part.c))
    return replace(part, X=X, E=E, Z=Z, Y=Y, D=D, G=G, EY=right(Y), EG=right(G), good=X, pull=pull, scale=s.scale)
