"""The polar retraction R_X(V) = polar(X + V) = (X + V)(I + V'V)^(-1/2): its inverse, and its
derivative with respect to V.
"""

from dataclasses import dataclass
from functools import cached_property

from orthoprox._arrays.library import Array, identity, namespace, norm, precision
from orthoprox._linalg import stiefel
from orthoprox._linalg.stiefel import sym, tangent

_SIGN_STEPS = 30  # quadratic convergence needs five to ten
_FAR = 0.75  # |I - sym(X'Y)| in the row-sum norm beyond which the inverse is not tried


@dataclass(frozen=True)
class Retracted:
    """The point Y = R_X(V) with a tangent V, and T = DR_X(V), which maps tangent vectors at X to
    tangent vectors at Y.

    With S = (I + V'V)^(1/2) and M = X'Y,

        T^-1 Z = Z S + Y K,                     M K + K M' = -(X'Z S + S Z'X),
        T^-# W = P_T(W S - 2 X Q S) at Y,       M'Q + Q M = sym(Y'W),

    where T^-# is the adjoint of T^-1, and K, Q are symmetric.
    """

    X: Array
    V: Array

    Y: Array

    def back(self, Z: Array) -> Array:
        """Return T^-1 Z."""
        S, M = self._factors
        return Z @ S + self.Y @ lyapunov(M, -2 * sym(self.X.mT @ Z @ S))

    def adjoint_back(self, W: Array) -> Array:
        """Return T^-# W."""
        S, M = self._factors
        Q = lyapunov(M.mT, sym(self.Y.mT @ W))
        return tangent(self.Y, (W - 2 * (self.X @ Q)) @ S)

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """S and M."""
        return sym(self.Y.mT @ (self.X + self.V)), self.X.mT @ self.Y


def retract(X: Array, V: Array) -> Retracted:
    """Return R_X(V) for a tangent V."""
    return Retracted(X, V, stiefel.polar(X + V))


def inverse(X: Array, Y: Array) -> Array | None:
    """Return the V with R_X(V) = Y; None where Y is too far away.

    V = Y S - X with the symmetric S of  M S + S M' = 2I,  M = X'Y. It exists where sym(M) is
    positive definite.
    """
    xp, M, one = namespace(X), X.mT @ Y, identity(X.shape[-1], X)
    if not float(xp.linalg.matrix_norm(one - sym(M), ord=float("inf"))) <= _FAR:
        return None
    return Y @ lyapunov(M, 2 * one) - X


def lyapunov(M: Array, C: Array) -> Array:
    """Return the symmetric S with M S + S M' = C, where the eigenvalues of M have positive real
    parts and C is symmetric.

    Newton's iteration for the sign of M,  A <- (A + A^-1) / 2,  tends to I and keeps  A S + S A'
    computable.
    """
    xp, one = namespace(M), identity(M.shape[-1], M)
    A, close = M, precision(M) ** 0.5
    for _ in range(_SIGN_STEPS):
        near = float(norm(A - one)) <= close
        B = xp.linalg.inv(A)
        A, C = (A + B) / 2, (C + B @ C @ B.mT) / 2
        if near:
            break
    return sym(C) / 2
