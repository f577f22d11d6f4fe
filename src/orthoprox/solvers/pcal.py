"""PCAL, the parallelisable column-wise augmented Lagrangian method."""

from dataclasses import dataclass
from typing import ClassVar

from orthoprox._arrays.library import Array, identity, namespace
from orthoprox.solvers._shared.linearised import LinearisedLagrangian
from orthoprox.solvers.base import Facts


@dataclass(frozen=True)
class PCAL(LinearisedLagrangian):
    """PLAM with columns kept at norm 1, which bounds the iterates and makes the penalty less
    delicate.

    With V = grad l(X) - X Lam + b X (X'X - I), Lam = sym(grad l(X)'X), the step is  X - tau (V - X
    diag(X'V)),  its columns divided by their norms.

    Parameters
    ----------
    penalty, step_size, first, smallest : float, optional
        As in PLAM.

    References
    ----------
    B. Gao, X. Liu and Y. Yuan, Parallelizable algorithms for optimization problems with
    orthogonality constraints, SIAM J. Sci. Comput. 41 (2019).
    """

    facts: ClassVar = Facts(
        "PCAL",
        nonsmooth=False,
        single_loop=True,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=True,
        work={"gradient": 1, "gram": 2, "right": 1},
    )

    def _point(self, X: Array) -> Array:
        xp = namespace(X)
        return X / xp.sqrt(xp.sum(X * X, axis=-2, keepdims=True))

    def _factor(self, K: Array, G: Array, DX: Array) -> Array:
        """Return K + diag(X'V), where X'V = X'D - (I + G) K needs no product of the size of X."""
        xp = namespace(K)
        d = xp.linalg.diagonal(DX - K) - xp.sum(G * K, axis=-1)
        return K + d[..., None, :] * identity(K.shape[-1], K)
