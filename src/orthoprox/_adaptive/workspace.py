"""The workspace of a first-order step: the arrays and products that it needs, here on all entries
of X.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from orthoprox._arrays.library import Array, identity, namespace, norm, precision
from orthoprox._linalg import products, stiefel
from orthoprox._linalg.stiefel import sym
from orthoprox.problems.problem import Problem

NEAR = 0.9  # |E'E - I| up to this needs no eigenvalues: no column has vanished
_CUT = 10.0  # the largest |S| / |D| in the penalty threshold


class Workspace(Protocol):
    """The operations that a step needs."""

    @property
    def problem(self) -> Problem:
        """The problem to solve."""

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

    def penalty_threshold(self, E: Array, D: Array, S: Array) -> float:
        """Return the penalty threshold."""


@dataclass(frozen=True)
class FullSpace:
    """The full space: all entries of X."""

    problem: Problem

    def prox(self, W: Array, t: float) -> Array:
        return self.problem.nonsmooth.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        sparse = products.support(E)
        return self.problem.smooth.grad(E), stiefel.defect(E, sparse), lambda S: products.right(E, S, sparse)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        M = 2 * sym(products.overlap(X, products.support(X)))
        return M, identity(X.shape[-1], X) > 0

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        return divergence_test(G, bound)

    def penalty_threshold(self, E: Array, D: Array, S: Array) -> float:
        return penalty_threshold(self.problem, E, D, S)


def penalty_threshold(problem: Problem, E: Array, D: Array, S: Array) -> float:
    """Return the penalty threshold, max(0, largest eigenvalue of sym(E'(D + S - l''(E)[E]))).

    Along X(I + delta) the multiplier cancels the Hessian of l. The linear and the nonsmooth part
    remain, and the penalty has to outweigh them; otherwise columns vanish. S is the subgradient of
    the last step. While the steps are long, a subgradient of an indicator has any size; it is cut
    to ten times that of D.
    """
    S = S * min(1.0, _CUT * float(norm(D)) / (float(norm(S)) or 1.0))
    size = 2 * precision(E) ** (1 / 3)
    along = (problem.smooth.grad((1 + size) * E) - D) / size
    M = sym(products.left(E, D + S - along, products.support(E)))
    xp = namespace(M)
    return max(0.0, float(xp.linalg.eigvalsh(M)[-1])) if bool(xp.all(xp.isfinite(M))) else 0.0


def divergence_test(G: Array, bound: float) -> tuple[bool, bool]:
    """Return whether G = E'E - I has an eigenvalue above the bound, and whether one is below -.9: a
    vanished column.
    """
    size = float(norm(G))
    if not size < float("inf"):
        return True, False
    if size <= NEAR:
        return False, False
    w = namespace(G).linalg.eigvalsh(G)
    return float(w[-1]) >= bound, float(w[0]) < -NEAR
