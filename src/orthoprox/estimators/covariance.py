"""The covariance of a table: a matrix where it fits, otherwise products with the data."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from orthoprox.estimators.penalty import row_coupling
from orthoprox.smooth.base import Smooth
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance

Matrix = np.ndarray[Any, Any]
WIDE = 3000  # variables beyond which the m x m matrix is not formed
_BLOCK = 512  # columns of it that are formed at a time
_DIAGONAL = 1e-13  # couplings below this share of the largest variance are rounding


class Covariance(ABC):
    """What the fit needs to know of C; C may be formed or not."""

    @property
    @abstractmethod
    def variances(self) -> Matrix:
        """diag C."""

    @abstractmethod
    def rows(self, chosen: Matrix) -> Matrix:
        """Return C[chosen][:, chosen]."""

    @abstractmethod
    def apply(self, X: Matrix) -> Matrix:
        """Return CX."""

    @abstractmethod
    def couplings(self, n: int, penalty: str) -> tuple[float, float]:
        """Return rho and the largest eigenvalue of C without its diagonal, as the largest weight
        of a penalty needs them.
        """

    @abstractmethod
    def smooth(self) -> Smooth:
        """Return the term -tr(X'CX) in units of the largest variance."""

    @property
    def total(self) -> float:
        """tr C."""
        return float(np.sum(self.variances))

    @property
    def unit(self) -> float:
        """The largest variance, or 1 if there is none."""
        return float(np.max(self.variances)) or 1.0

    def is_diagonal(self, coupling: float) -> bool:
        """Tell whether no variable varies with another, up to rounding."""
        return coupling <= _DIAGONAL * self.unit


@dataclass(frozen=True)
class Formed(Covariance):
    """C as a matrix."""

    C: Matrix

    @property
    def variances(self) -> Matrix:
        return self.C.diagonal()

    def rows(self, chosen: Matrix) -> Matrix:
        part: Matrix = self.C[np.ix_(chosen, chosen)]
        return part

    def apply(self, X: Matrix) -> Matrix:
        product: Matrix = np.matmul(self.C, X)
        return product

    def couplings(self, n: int, penalty: str) -> tuple[float, float]:
        off = self.C - np.diag(self.C.diagonal())
        return row_coupling(self.C, n, penalty), float(np.linalg.eigvalsh(off)[-1])

    def smooth(self) -> Smooth:
        return Quadratic(-2 * self.C / self.unit)


@dataclass(frozen=True)
class Products(Covariance):
    """C = A'A / divisor for wide data, which are centred and scaled in their products."""

    variance: Variance
    divisor: float

    @cached_property
    def variances(self) -> Matrix:
        found = [np.sum(columns**2, axis=0) for columns in self._columns()]
        return np.concatenate(found) / self.divisor

    def rows(self, chosen: Matrix) -> Matrix:
        columns = self._formed(np.flatnonzero(chosen) if chosen.dtype == bool else chosen)
        part: Matrix = np.matmul(columns.T, columns) / self.divisor
        return part

    def apply(self, X: Matrix) -> Matrix:
        return np.asarray(self.variance.grad(X), dtype=float) / (-2 * self.divisor)

    def couplings(self, n: int, penalty: str) -> tuple[float, float]:
        from scipy.sparse.linalg import LinearOperator, eigsh

        m, coupling, variances = len(self.variances), 0.0, self.variances[:, None]
        for start in range(0, m, _BLOCK):
            part = np.arange(start, min(start + _BLOCK, m))
            entries = np.abs(self.apply(_units(m, part)))
            entries[part, part - start] = 0.0
            largest = np.sort(entries, axis=0)[-n:] if penalty == "l21" else np.max(entries, axis=0, keepdims=True)
            coupling = max(coupling, float(np.max(np.sqrt(np.sum(largest**2, axis=0)))))

        def off(x: Matrix) -> Matrix:
            column = np.reshape(x, (m, 1))
            return np.ravel(self.apply(column) - variances * column)

        operator = LinearOperator((m, m), matvec=off, dtype=np.float64)
        spread = eigsh(operator, k=1, which="LA", v0=np.ones(m), return_eigenvectors=False, tol=1e-6)
        return coupling, float(spread[0])

    def smooth(self) -> Smooth:
        return self.variance.times(1 / (self.divisor * self.unit))

    def _columns(self) -> Any:
        m = self.variance.A.shape[-1]
        for start in range(0, m, _BLOCK):
            yield self._formed(np.arange(start, min(start + _BLOCK, m)))

    def _formed(self, chosen: Matrix) -> Matrix:
        return np.asarray(self.variance.A @ _units(self.variance.A.shape[-1], chosen), dtype=float)


def _units(m: int, chosen: Matrix) -> Matrix:
    """Return the chosen columns of the identity."""
    E = np.zeros((m, len(chosen)))
    E[chosen, np.arange(len(chosen))] = 1.0
    return E
