"""What a first-order step works on: the products that it needs, and a working set, some entries of
X, that has them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from orthoprox._adaptive.rules import Iterate
from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg.packed import PackedEntries
from orthoprox.nonsmooth.separable import Separable
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import hessian_matrix


class Workspace(Protocol):
    """The operations that a step needs."""

    def prox(self, W: Array, t: float) -> Array:
        """Return the prox of t g."""

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        """Return grad l(E), E'E - I and S -> ES."""

    def overlap(self, X: Array) -> tuple[Array, Array]:
        """Return M and the mask of its diagonal; M_ab = sum of x_ia^2 over the support of b, plus
        the reverse.
        """

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        """Return whether E'E - I is out of bounds, and whether a column has vanished."""


@dataclass(frozen=True)
class WorkingSet:
    """Some entries of X, packed into a column. Y and E'E - I are packed, too: only the pairs of
    overlapping columns.
    """

    entries: PackedEntries
    g: Separable  # g restricted to these entries
    H: Any  # the Hessian of l restricted to these entries
    rest: Array  # grad l(0)
    diagonal: Array  # 1 for the pairs of a column with itself
    near: float  # the largest |E'E - I| within an epoch

    def prox(self, W: Array, t: float) -> Array:
        return self.g.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        return self.H @ E + self.rest, self.entries.cross(E, E) - self.diagonal, lambda S: self.entries.right(E, S)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        squares, there = X**2, (X != 0).astype(X.dtype)
        return self.entries.cross(squares, there) + self.entries.cross(there, squares), self.diagonal > 0

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        return not float(norm(G)) <= self.near, False

    def restricted(self, s: Iterate) -> Iterate:
        """Return an iterate on these entries; residuals are still relative to the whole
        gradient.
        """
        take, pairs = self.entries.take, self.entries.pairs
        X, E, Z, D, EY, EG = (take(M) for M in (s.X, s.E, s.Z, s.D, s.EY, s.EG))
        Y, G = (M[pairs].reshape(-1, 1) for M in (s.Y, s.G))
        memory = replace(s.memory, floor=max(float(norm(s.D)), s.memory.floor))
        return replace(s, X=X, E=E, Z=Z, D=D, EY=EY, EG=EG, Y=Y, G=G, good=X, memory=memory)

    def extended(self, s: Iterate, now: Iterate, whole: Workspace) -> Iterate:
        """Return the iterate on all entries, with zeros outside of these; ``s`` is the one before
        the epoch.
        """
        X, E, Z = (self.entries.put(M) for M in (now.X, now.E, now.Z))
        Y = np.array(s.Y)
        Y[self.entries.pairs] = now.Y[:, 0]
        D, G, right = whole.products(E)
        changed = replace(now, X=X, E=E, Z=Z, Y=Y, D=D, G=G, EY=right(Y), EG=right(G), good=X, memory=s.memory)
        stationarity, feasibility = now.gap / (max(float(norm(D)), s.memory.floor) or 1.0), float(norm(G))
        return replace(changed, stationarity=stationarity, feasibility=feasibility)


def working_set(
    k: Settings, problem: Problem, point: tuple[Array, Array, Array], argument: tuple[Array, float]
) -> WorkingSet | None:
    """Return the entries that are nonzero, or would be if the point whose prox is taken were longer
    by three tenths; None if l is not quadratic, g not separable, or the entries are too many.

    ``point`` is X, E and grad l(E), ``argument`` that of the prox and its step.
    """
    g, H = problem.nonsmooth, hessian_matrix(problem.smooth)
    if H is None or not isinstance(g, Separable):
        return None
    (X, E, D), (W, t) = point, argument
    W = k.margins[0] * W
    P = g.prox(W, t)
    entries = PackedEntries((P != 0) | (X != 0) | (E != 0))
    if sum(entries.overlaps) > min(problem.flops / problem.shape[0], k.pairs):
        return None
    few = g.at(entries)
    if few is None or not np.allclose(few.prox(entries.take(W), t), entries.take(P)):  # its own prox
        return None
    H, (first, second) = entries.within_columns(H), entries.pairs
    rest, diagonal = entries.take(D) - H @ entries.take(E), (first == second).astype(X.dtype).reshape(-1, 1)
    return WorkingSet(entries, few, H, rest, diagonal, k.near)
