"""The quadratic l(X) = tr(X'AX)/2 + tr(B'X)."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, inner, is_array, namespace, to_numpy
from orthoprox._linalg import products
from orthoprox._linalg.adjoint import check_symmetric
from orthoprox._linalg.inverse import Inverses, check_shift, shifted_inverse, shifted_inverses
from orthoprox._linalg.spectrum import dense_norm, smallest_eigenvalue, spectral_norm
from orthoprox.smooth.base import Smooth

_STRIP = 1024  # rows of A that are compared with its columns at a time


class Quadratic(Smooth):
    """The quadratic l(X) = tr(X'AX)/2 + tr(B'X), with gradient AX + B.

    Parameters
    ----------
    A : array, scipy.sparse matrix or LinearOperator, shape (m, m)
        Symmetric, which one random test checks of an operator; arrays may carry leading batch axes.
    B : array of shape (m, n), optional
        The linear part; none by default.
    """

    @quiet()
    def __init__(self, A: Any, B: Any = None) -> None:
        self.A = inputs.operator(A, "A")
        m, columns = self.A.shape[-2:]
        if m != columns:
            raise ValueError(f"A has shape {tuple(self.A.shape)}; it needs as many rows as columns.")
        _check_symmetric(self.A)
        self.B = None if B is None else inputs.matrix(B, "B", shape=(m, None), batch=True)

    def times(self, factor: float) -> "Quadratic":
        """Return factor l."""
        return Quadratic(self.A * factor, None if self.B is None else self.B * factor)

    def check_shape(self, shape: tuple[int, int]) -> None:
        if self.A.shape[-1] != shape[0]:
            raise ValueError(f"X has {shape[0]} rows but A has shape {tuple(self.A.shape)}; they need the same m.")
        if self.B is not None and self.B.shape[-1] != shape[1]:
            raise ValueError(f"X has {shape[1]} columns but B has shape {tuple(self.B.shape)}; they need the same n.")

    @property
    def data(self) -> Array | None:
        return self.A if is_array(self.A) else self.B

    @property
    def hessian(self) -> Array | None:
        """A, if it is an array."""
        return self.A if is_array(self.A) else None

    def value(self, X: Array) -> Array:
        return self._value(X, products.apply(self.A, X))

    def grad(self, X: Array) -> Array:
        return self._grad(products.apply(self.A, X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        AX = products.apply(self.A, X)
        return self._value(X, AX), self._grad(AX)

    def second_derivative(self, V: Array) -> Array:
        """Return l''[V] = AV."""
        return products.apply(self.A, V)

    @cached_property
    def lipschitz(self) -> float:
        """The spectral norm of A."""
        return dense_norm(self.A) if is_array(self.A) else spectral_norm(lambda V: self.A @ V, self.A.shape[0])

    @cached_property
    def modulus(self) -> float:
        """The negative part of the smallest eigenvalue of A."""
        if is_array(self.A) and self.A.ndim > 2:
            return self.lipschitz
        A = to_numpy(self.A) if is_array(self.A) else self.A
        return max(0.0, -smallest_eigenvalue(lambda V: A @ V, A.shape[0]))

    def resolvent(self, c: float) -> Callable[[Array], Array]:
        """Return R -> (A + cI)^(-1) (R - B): one product if A is dense, a factorisation if sparse,
        else conjugate gradients.
        """
        return self._shifted(lambda A: lambda c: shifted_inverse(A, c))(c)

    def resolvents(self) -> Callable[[float], Callable[[Array], Array]]:
        """Return c -> resolvent, from one eigenvalue decomposition if A is dense."""
        return self._shifted(shifted_inverses)

    def _shifted(self, inverses: Inverses) -> Callable[[float], Callable[[Array], Array]]:
        family = inverses(self.A)

        def at(c: float) -> Callable[[Array], Array]:
            check_shift(c, self.modulus)
            solve = family(c)
            return solve if self.B is None else lambda R: solve(R - self.B)

        return at

    def _value(self, X: Array, AX: Array) -> Array:
        quadratic = inner(X, AX) / 2
        return quadratic if self.B is None else quadratic + inner(self.B, X)

    def _grad(self, AX: Array) -> Array:
        return AX if self.B is None else AX + self.B


def _check_symmetric(A: Any) -> None:
    if sp.issparse(A):
        gap, size = np.max(np.abs((A - A.T).data), initial=0.0), np.max(np.abs(A.data), initial=0.0)
    elif is_array(A):
        xp = namespace(A)
        m = A.shape[-1]
        strips = [slice(start, min(start + _STRIP, m)) for start in range(0, m, _STRIP)]
        gap = max(float(xp.max(xp.abs(A[..., rows, :] - A[..., rows].mT))) for rows in strips)
        size = max(float(xp.max(xp.abs(A[..., rows, :]))) for rows in strips)
    else:
        return check_symmetric(A, "A")
    dtype = A.dtype if sp.issparse(A) else to_numpy(A).dtype
    if gap > 100 * np.finfo(dtype).eps * size:
        raise ValueError(f"A is not symmetric: |A - A'| reaches {gap:.3g}; pass (A + A.T) / 2, which has the same tr(X'AX).")
