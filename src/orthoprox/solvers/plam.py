"""PLAM, the proximal linearised augmented Lagrangian method."""

from dataclasses import dataclass
from typing import ClassVar

from orthoprox._arrays.library import Array
from orthoprox.solvers._shared.linearised import LinearisedLagrangian
from orthoprox.solvers.base import Facts


@dataclass(frozen=True)
class PLAM(LinearisedLagrangian):
    """Gradient steps on the augmented Lagrangian with the multiplier in closed form, Lam = sym(grad
    l(X)'X):

        X+ = X - tau (grad l(X) - X Lam + b X (X'X - I))

    Parameters
    ----------
    penalty : float, optional
        b; by default max(S/4, 1.1 w) with S = max(L, |grad l(X0)|_2), L the Lipschitz constant of
        grad l, and w the largest eigenvalue of sym(X0'grad l(X0)): where b is smaller than such an
        eigenvalue, X'X moves away from I.
    step_size : float, optional
        A constant tau; by default Barzilai-Borwein steps |<s, y>| / <y, y> with s and y the last
        changes of X and of the direction.
    first, smallest : float, optional
        The first Barzilai-Borwein step, by default 1/(4b), and the smallest, by default a hundredth
        of it.

    References
    ----------
    B. Gao, X. Liu and Y. Yuan, Parallelizable algorithms for optimization problems with
    orthogonality constraints, SIAM J. Sci. Comput. 41 (2019).
    """

    facts: ClassVar = Facts(
        "PLAM",
        nonsmooth=False,
        single_loop=True,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=True,
        work={"gradient": 1, "gram": 2, "right": 1},
    )

    def _point(self, X: Array) -> Array:
        return X

    def _factor(self, K: Array, G: Array, DX: Array) -> Array:
        return K
