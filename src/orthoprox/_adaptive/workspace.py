"""The workspace of a first-order step: the arrays and products that it needs, on all entries of X
or on a working set of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array, identity, namespace, norm
from orthoprox._linalg import products, stiefel
from orthoprox._linalg.packed import PackedEntries
from orthoprox._linalg.stiefel import sym
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
class FullSpace:
    """The full space: all entries of X."""

    problem: Problem
    settings: Settings

    def prox(self, W: Array, t: float) -> Array:
        return self.problem.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        sparse = products.support(E)
        return self.problem.grad(E), stiefel.defect(E, sparse), lambda S: products.right(E, S, sparse)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        M = 2 * sym(products.overlap(X, products.support(X)))
        return M, identity(X.shape[-1], X) > 0

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        """Return whether G = E'E - I has an eigenvalue above the bound, and whether one is below
        -.9: a vanished column.
        """
        size = float(norm(G))
        if not size < float("inf"):
            return True, False
        if size <= self.settings.near:
            return False, False
        w = namespace(G).linalg.eigvalsh(G)
        return float(w[-1]) >= bound, float(w[0]) < -self.settings.near


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
