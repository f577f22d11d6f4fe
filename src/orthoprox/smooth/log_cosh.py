"""A robust measure of the variance that components explain: l(X) = -sum log cosh(AX)."""

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, is_array, namespace
from orthoprox._linalg.spectrum import dense_norm, spectral_norm
from orthoprox.smooth.base import Smooth

_LEAST = 1e-100  # of delta, whose square is a factor


class LogCosh(Smooth):
    """The term l(X) = -d^2 sum_ij log cosh((AX)_ij / d), with gradient -d A' tanh(AX / d).

    For scores that are small beside d this is half the variance, -|AX|_F^2 / 2; large scores count
    by their size alone, so that outliers have less weight. No Gram matrix stands for the data: each
    evaluation goes through all rows, which :class:`Sharded` distributes.

    Parameters
    ----------
    A : array or scipy.sparse matrix, shape (p, m)
        One row for each observation.
    delta : float
        The size d of scores from which they count as large.
    """

    @quiet()
    def __init__(self, A: Any, delta: float = 1.0) -> None:
        self.A: Any = inputs.operator(A, "A")
        if inputs.is_operator(self.A) or len(self.A.shape) != 2:
            raise TypeError(f"A has the type {type(A).__name__}; it needs an array of two dimensions or a sparse matrix.")
        entries = self.A.data if sp.issparse(self.A) else self.A
        if not bool(namespace(entries).isfinite(namespace(entries).sum(entries**2))):
            raise ValueError("A has entries so large that A'A overflows; it needs to be finite, scale A.")
        self.delta, self._weight = inputs.number(delta, "delta"), 1.0
        if not _LEAST <= self.delta <= 1 / _LEAST:
            raise ValueError(f"delta = {self.delta:g}; it needs a number between {_LEAST:g} and {1 / _LEAST:g}, scale A.")

    def check_shape(self, shape: tuple[int, int]) -> None:
        if self.A.shape[-1] != shape[0]:
            raise ValueError(f"X has {shape[0]} rows but A has shape {tuple(self.A.shape)}; they need the same m.")

    def times(self, factor: float) -> "LogCosh":
        """Return factor l."""
        multiple = copy(self)
        multiple._weight = self._weight * factor
        multiple.__dict__.pop("lipschitz", None)
        return multiple

    @property
    def data(self) -> Array | None:
        return self.A if is_array(self.A) else None

    @cached_property
    def lipschitz(self) -> float:
        """The largest eigenvalue of A'A, times the factor: the derivative of tanh is at most 1."""
        if is_array(self.A):
            p, m = self.A.shape
            return self._weight * dense_norm(self.A @ self._transposed if p < m else self._transposed @ self.A)
        return self._weight * spectral_norm(lambda V: self._transposed @ (self.A @ V), self.A.shape[1])

    @property
    def modulus(self) -> float:
        """The same: l is concave."""
        return self.lipschitz

    def value(self, X: Array) -> Array:
        return self._value(self.A @ X)

    def grad(self, X: Array) -> Array:
        return self._grad(self.A @ X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        scores = self.A @ X
        return self._value(scores), self._grad(scores)

    def _value(self, scores: Array) -> Array:
        """Add up log cosh t = log(1 + 2 sinh(t/2)^2) where t is small, otherwise
        |t| + log(1 + exp(-2|t|)) - log 2: neither loses digits nor overflows.
        """
        xp = namespace(scores)
        t = xp.abs(scores) / self.delta
        low = xp.log1p(2 * xp.sinh(xp.where(t < 1, t, 0.0) / 2) ** 2)
        high = t + xp.log1p(xp.exp(-2 * t)) - float(np.log(2))
        return -self._weight * self.delta**2 * xp.sum(xp.where(t < 1, low, high), axis=(-2, -1))

    def _grad(self, scores: Array) -> Array:
        return -self._weight * self.delta * (self._transposed @ namespace(scores).tanh(scores / self.delta))

    @property
    def _transposed(self) -> Any:
        return self.A.mT if is_array(self.A) else self.A.T
