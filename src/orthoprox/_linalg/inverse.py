"""Solving (A + cI) X = R for many right-hand sides."""

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp

from orthoprox._arrays.library import Array, identity, is_array, namespace, norm, power_of_two, precision
from orthoprox._linalg.krylov import conjugate_gradients

Inverses = Callable[[Any], Callable[[float], Callable[[Array], Array]]]
"""A -> c -> R -> (A + cI)^(-1) R."""


def shifted_inverse(A: Any, c: float) -> Callable[[Array], Array]:
    """Return R -> (A + cI)^(-1) R, with A + cI positive definite.

    A dense A is inverted once, so that each solve is one product; a sparse one is factored once; an
    operator is left to conjugate gradients.
    """
    if is_array(A):
        inverse = namespace(A).linalg.inv(A + c * identity(A.shape[-1], A))
        return lambda R: inverse @ R
    if sp.issparse(A):
        from scipy.sparse.linalg import splu

        factors = splu((A + c * sp.eye_array(A.shape[0])).tocsc())
        return lambda R: factors.solve(R).astype(R.dtype)

    def solve(R: Array) -> Array:
        unit = power_of_two(float(norm(R)))  # no square of R overflows
        tol = max(1e-12, 8 * precision(R))
        return unit * conjugate_gradients(lambda X: A @ X + c * X, R / unit, tol=tol, max_iterations=1000)

    return solve


def shifted_inverses(A: Any) -> Callable[[float], Callable[[Array], Array]]:
    """Return c -> R -> (A + cI)^(-1) R for many c: the eigenvalues of a dense A are computed once,
    others start afresh.
    """
    if not is_array(A):
        return lambda c: shifted_inverse(A, c)
    w, Q = namespace(A).linalg.eigh(A)
    return lambda c: lambda R: Q @ ((Q.mT @ R) / (w + c)[..., :, None])


def check_shift(c: float, modulus: float) -> None:
    """Raise where l + c/2 |X|^2 is not strongly convex."""
    if not c > modulus:
        raise ValueError(
            f"A quadratic of weight {c:g} was added to a smooth term of weak convexity modulus {modulus:g}; it needs a "
            "larger weight for a unique minimiser, set a larger penalty."
        )
