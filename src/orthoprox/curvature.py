"""How fast a gradient can change: spectral norms by Lanczos, and finite differences where nothing is known."""

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from orthoprox import _inputs
from orthoprox._arrays import Array, from_numpy, namespace, precision, to_numpy
from orthoprox.stiefel import norm
from orthoprox.terms import HasLipschitz, HasWeakConvexity, Smooth

MARGIN = 1.01  # Lanczos approaches the norm from below
_DENSE = 16  # below this size a dense eigenvalue decomposition is exact and as fast
_EIGENVALUES = 2000  # up to this size all eigenvalues are computed where the smallest is asked for
_POWER_STEPS = 12
_POWER_MARGIN = 1.1


def spectral_norm(apply: Callable[[np.ndarray], np.ndarray], size: int) -> float:
    """Return a bound of the largest |eigenvalue| of a symmetric operator: Lanczos from a fixed vector, times 1.01."""
    if size <= _DENSE:
        return MARGIN * float(np.max(np.abs(np.linalg.eigvalsh(_finite(apply(np.eye(size)))))))
    v0 = np.random.default_rng(0).standard_normal(size)
    if not np.any(_finite(apply(v0.reshape(size, 1)))):
        return 0.0  # Lanczos cannot start at the zero operator
    matvec = LinearOperator((size, size), matvec=lambda v: apply(v.reshape(size, 1)).ravel(), dtype=np.float64)
    largest = eigsh(matvec, k=1, which="LM", v0=v0, tol=1e-3, return_eigenvectors=False)
    return MARGIN * float(np.max(np.abs(largest)))


def smallest_eigenvalue(apply: Callable[[np.ndarray], np.ndarray], size: int) -> float:
    """Return the smallest eigenvalue of a symmetric operator; above size 2000 only to .1 % of the norm, rounded down."""
    if size <= _EIGENVALUES:
        return float(np.linalg.eigvalsh(_finite(apply(np.eye(size))))[0])
    largest = spectral_norm(apply, size)
    spread = spectral_norm(lambda V: largest * V - apply(V), size) / MARGIN
    return largest - (1 + 1e-3) * spread


def weak_convexity(smooth: Smooth, X: Array) -> float:
    """Return a modulus with l + modulus/2 |.|^2 convex: the term's own, or the Lipschitz constant of its gradient."""
    return smooth.modulus if isinstance(smooth, HasWeakConvexity) else lipschitz(smooth, X)


def lipschitz(smooth: Smooth, X: Array) -> float:
    """Return the Lipschitz constant of grad l: the term's own, or an estimate around X.

    The estimate is 1.1 times the largest |grad l(X + V) - grad l(X)| / |V| met by a power method on finite differences.
    """
    if isinstance(smooth, HasLipschitz):
        return _inputs.number(smooth.lipschitz, f"{type(smooth).__name__}.lipschitz", strict=False)
    return _POWER_MARGIN * met(smooth, X, smooth.grad(X), _POWER_STEPS)


def met(smooth: Smooth, X: Array, D: Array, steps: int) -> float:
    """Return the largest |grad l(X + V) - D| / |V| that a power method meets from a fixed V; D = grad l(X)."""
    xp = namespace(X)
    V = from_numpy(np.random.default_rng(0).standard_normal(tuple(X.shape)), like=X)
    length, largest = _difference(X), 0.0
    for _ in range(steps):
        size = norm(V)
        V = V * (length / xp.where(size > 0, size, 1.0))[..., None, None]
        V = smooth.grad(X + V) - D
        largest = max(largest, float(xp.max(norm(V))) / length)
    return largest


def _difference(X: Array) -> float:
    """Return the length of a step for finite differences: long enough for the precision, short for the curvature."""
    return float(10 * precision(X) ** (1 / 3) * X.shape[-1] ** 0.5)


def hessian(smooth: Smooth, X: Array, D: Array) -> Callable[[Array], Array]:
    """Return V -> l''(X)[V], a finite difference of gradients from D = grad l(X): one gradient for each V."""
    size = _difference(X)

    def apply(V: Array) -> Array:
        length = float(norm(V))
        return V if length == 0 else (smooth.grad(X + (size / length) * V) - D) * (length / size)

    return apply


def steepness(smooth: Smooth, X: Array, D: Array) -> float:
    """Return max(L, |D|_2) with D = grad l(X): on the manifold the gradient turns as fast as its length and L allow.

    For a quadratic without a linear part this is L, at any X of the manifold.
    """
    return max(lipschitz(smooth, X), float(namespace(D).linalg.matrix_norm(D, ord=2)))


def dense_norm(A: Array) -> float:
    """Return a bound of the spectral norms of a (batch of) dense symmetric matrices."""
    A = to_numpy(A)
    if A.ndim > 2:
        return MARGIN * float(np.max(np.abs(np.linalg.eigvalsh(_finite(A)))))
    return spectral_norm(lambda V: A @ V, A.shape[-1])


def _finite(M: np.ndarray) -> np.ndarray:
    if not np.all(np.isfinite(M)):
        raise ValueError("The gradient of the smooth term is not finite; its data need products that are, scale them.")
    return M
