"""Working-set epochs: cheap steps of LSALM on the entries of a large sparse X that are nonzero, or
nearly so.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orthoprox._adaptive import first_order, parameter_rules
from orthoprox._adaptive.first_order import Iterate
from orthoprox._adaptive.primal_dual import subgradient
from orthoprox._adaptive.workspace import NEAR, FullSpace, penalty_threshold
from orthoprox._arrays.library import Array, norm, precision
from orthoprox._linalg.packed import PackedEntries
from orthoprox._linalg.products import support
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import hessian_matrix

_MARGIN = 1.1  # the working set holds entries that are nonzero after the prox of so many times the point
_STEPS = 30  # the most iterations of an epoch
_GAIN = 0.1  # an epoch ends if the residual has fallen by this factor
_OVERLAPS = 4.0  # times mn: with more pairs of entries to multiply an epoch does not pay
_MOST = 1e7  # pairs of entries, for the memory that they take
_BEGIN = 0.25  # the largest residual at which epochs begin


@dataclass(frozen=True)
class WorkingSet:
    """Some entries of X, packed into a column. Y and E'E - I are packed, too: only the pairs of
    overlapping columns.
    """

    problem: Problem
    entries: PackedEntries
    g: Separable  # g restricted to these entries
    H: Any  # the Hessian of l restricted to these entries
    rest: Array  # grad l(0)
    diagonal: Array  # 1 for the pairs of a column with itself
    threshold: float  # the penalty threshold as last measured

    def prox(self, W: Array, t: float) -> Array:
        return self.g.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        return self.H @ E + self.rest, self.entries.cross(E, E) - self.diagonal, lambda S: self.entries.right(E, S)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        squares, there = X**2, (X != 0).astype(X.dtype)
        return self.entries.cross(squares, there) + self.entries.cross(there, squares), self.diagonal > 0

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        return not float(norm(G)) <= NEAR, False

    def penalty_threshold(self, E: Array, D: Array, S: Array) -> float:
        return self.threshold


def epoch(problem: Problem, s: Iterate) -> Iterate:
    """Run one epoch on the working set, if that is small; return the iterate with all its
    entries.
    """
    working_set, residual = _working_set(problem, s), max(s.stationarity, s.feasibility)
    if working_set is None:
        return s
    now = _restricted(s, working_set.entries)
    for _ in range(_STEPS):
        new = first_order.step(working_set, now)
        if new.out_of_bounds:
            break
        now = new
        if max(now.stationarity, now.feasibility) <= _GAIN * residual or now.monitor.step_rule != s.monitor.step_rule:
            break
    return _extended(problem, s, now, working_set.entries)


def _working_set(problem: Problem, s: Iterate) -> WorkingSet | None:
    """Return the working set, or None if an epoch does not pay: X is small, dense, far from a
    solution, or solved.
    """
    ell, g = problem.smooth, problem.nonsmooth
    if s.monitor.exhausted or not (precision(s.X) ** (2 / 3) < max(s.stationarity, s.feasibility) <= _BEGIN):
        return None
    H = hessian_matrix(ell)
    if H is None or not isinstance(g, Separable) or support(s.E) is None:
        return None
    W, t = _MARGIN * first_order.prox_argument(s), 1 / parameter_rules.total(s.c, s.penalty_safety * s.threshold)
    P = g.prox(W, t)
    entries = PackedEntries((P != 0) | (s.X != 0) | (s.E != 0))
    if sum(entries.overlaps) > min(_OVERLAPS * s.X.size, _MOST):
        return None
    few = g.at(entries)
    if few is None or not np.allclose(few.prox(entries.take(W), t), entries.take(P)):  # a subclass with its own prox
        return None
    H, (first, second) = entries.within_columns(H), entries.pairs
    rest = entries.take(s.D) - H @ entries.take(s.E)
    diagonal = (first == second).astype(s.X.dtype).reshape(-1, 1)
    return WorkingSet(problem, entries, few, H, rest, diagonal, s.threshold)


def _restricted(s: Iterate, entries: PackedEntries) -> Iterate:
    """Return the iterate on these entries; residuals are still relative to the whole gradient."""
    X, E, Z, D, EY, EG = (entries.take(M) for M in (s.X, s.E, s.Z, s.D, s.EY, s.EG))
    Y, G = (M[entries.pairs].reshape(-1, 1) for M in (s.Y, s.G))
    return replace(s, X=X, E=E, Z=Z, D=D, EY=EY, EG=EG, Y=Y, G=G, good=X, scale=max(float(norm(s.D)), s.scale))


def _extended(problem: Problem, s: Iterate, now: Iterate, entries: PackedEntries) -> Iterate:
    """Return the iterate on all entries, with zeros outside the working set."""
    X, E, Z = (entries.put(M) for M in (now.X, now.E, now.Z))
    Y = np.array(s.Y)
    Y[entries.pairs] = now.Y[:, 0]
    D, G, right = FullSpace(problem).products(E)
    threshold = s.threshold
    if now.monitor.iterations // first_order.REFRESH != s.monitor.iterations // first_order.REFRESH:
        threshold = penalty_threshold(problem, E, D, subgradient(problem, X, now.c))
    return replace(now, X=X, E=E, Z=Z, Y=Y, D=D, G=G, EY=right(Y), EG=right(G), good=X, threshold=threshold, scale=s.scale)
