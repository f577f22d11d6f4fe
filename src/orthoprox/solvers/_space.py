"""Where LSALM runs: on all entries of X."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from orthoprox import products, stiefel
from orthoprox._arrays import Array, identity
from orthoprox.problem import Problem
from orthoprox.solvers import _pace
from orthoprox.stiefel import sym


class Space(Protocol):
    """What a step asks of the arrays that it works with."""

    @property
    def problem(self) -> Problem:
        """The problem to solve."""

    def prox(self, W: Array, t: float) -> Array:
        """Return the prox of t g."""

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        """Return grad l(E), E'E - I and S -> ES."""

    def overlap(self, X: Array) -> tuple[Array, Array]:
        """Return M, with M_ab the sum of x_ia^2 over the support of b plus the reverse, and where its diagonal is."""

    def manifold(self, G: Array, bound: float) -> tuple[bool, bool]:
        """Return whether the manifold is lost, and whether a column has nearly vanished."""

    def pull(self, E: Array, D: Array, S: Array) -> float:
        """Return what drives X off the manifold."""


@dataclass(frozen=True)
class Whole:
    """All entries."""

    problem: Problem

    def prox(self, W: Array, t: float) -> Array:
        return self.problem.nonsmooth.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        sparse = products.support(E)
        return self.problem.smooth.grad(E), stiefel.defect(E, sparse), lambda S: products.right(E, S, sparse)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        M = 2 * sym(products.overlap(X, products.support(X)))
        return M, identity(X.shape[-1], X) > 0

    def manifold(self, G: Array, bound: float) -> tuple[bool, bool]:
        return _pace.manifold(G, bound)

    def pull(self, E: Array, D: Array, S: Array) -> float:
        return _pace.outward_pull(self.problem, E, D, S)
