"""The covariance of a table: a matrix where it fits, otherwise products with the data."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox.estimators.penalty import largest_row, row_coupling
from orthoprox.estimators.starts import principal, signed
from orthoprox.smooth.base import Smooth
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance
from orthoprox.stopping.clock import Deadline
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sparse import Centred

Matrix = np.ndarray[Any, Any]
WIDE = 3000  # variables beyond which the m x m matrix is not formed
LARGE = 1200  # variables beyond which no eigenvectors of it are computed, nor choices made among all
_BLOCK = 512  # columns of it that are formed at a time
_SHARE = 0.25  # of the time that is left, for each of the couplings
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
    def couplings(self, n: int, penalty: str, deadline: Deadline | None = None) -> tuple[float, float]:
        """Return rho and the largest eigenvalue of C without its diagonal, as the largest weight
        of a penalty needs them.
        """

    @abstractmethod
    def smooth(self) -> Smooth:
        """Return the term -tr(X'CX) in units of the largest variance."""

    @abstractmethod
    def weights(self, chosen: Matrix) -> Matrix:
        """Return the sums of the cubes of |C|, of the chosen rows and columns."""

    def leading(self, n: int, chosen: Matrix | None = None) -> tuple[Matrix, Matrix]:
        """Return the n largest eigenvalues of C, or of some of its rows and columns, largest first,
        and the eigenvectors, their largest entry positive.
        """
        rows = np.arange(len(self.variances)) if chosen is None else chosen
        if len(rows) <= LARGE or n > len(rows) // 2:
            values, vectors = principal(self.rows(rows))
            return values[:n], vectors[:, :n]
        m = len(self.variances)

        def product(x: Matrix) -> Matrix:
            column = np.zeros((m, 1))
            column[rows, 0] = np.ravel(x)
            return np.ravel(self.apply(column))[rows]

        found = _eigenvectors(product, len(rows), n)
        return found[0][::-1], signed(found[1][:, ::-1])

    def canonical(self, chosen: Matrix) -> Matrix:
        """Return the places of the chosen variables in an order that does not depend on the order
        they come in, but for exact ties: by their weights. Very many stay as they come.
        """
        if len(chosen) > LARGE:
            return np.arange(len(chosen))
        return np.argsort(-significant(self.weights(chosen), 9), kind="stable")

    def order(self, n: int) -> Matrix:
        """Return the n variables with the largest variances; of equal ones, as far as they have to
        be chosen among, those with the largest weights.
        """
        sizes = significant(self.variances / self.unit, 12)
        first = np.argsort(-sizes, kind="stable")[:n]
        tied = np.flatnonzero(sizes >= sizes[first[-1]])
        if len(np.unique(sizes[tied])) == len(tied):
            return first
        weights = self.weights(np.arange(len(sizes)))[tied] if len(sizes) <= WIDE else np.zeros(len(tied))
        return tied[np.lexsort((tied, -significant(weights, 9), -sizes[tied]))][:n]

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

    def weights(self, chosen: Matrix) -> Matrix:
        return _cubes(self.C[np.ix_(chosen, chosen)] / self.unit)

    def couplings(self, n: int, penalty: str, deadline: Deadline | None = None) -> tuple[float, float]:
        if len(self.C) > WIDE:  # of data that are read in blocks
            variances = self.C.diagonal()
            spread = _eigenvectors(lambda x: self.apply(np.ravel(x)) - variances * np.ravel(x), len(self.C), 1, tol=1e-6)[0]
            return max(self._strip(start, n, penalty) for start in range(0, len(self.C), _BLOCK)), float(spread[0])
        off = self.C - np.diag(self.C.diagonal())
        return row_coupling(self.C, n, penalty), float(np.linalg.eigvalsh(off)[-1])

    def _strip(self, start: int, n: int, penalty: str) -> float:
        """Return rho of some rows of C."""
        strip = self.C[start : start + _BLOCK].copy()
        strip[np.arange(len(strip)), start + np.arange(len(strip))] = 0.0
        return largest_row(np.abs(strip), n, penalty)

    def smooth(self) -> Smooth:
        A = -2 * self.C
        return Quadratic(np.divide(A, self.unit, out=A))


@dataclass(frozen=True)
class Products(Covariance):
    """C = A'A / divisor for wide data, which are centred and scaled in their products."""

    variance: Variance
    divisor: float

    @cached_property
    def variances(self) -> Matrix:
        if isinstance(self.variance.A, (np.ndarray, RowStream)):
            return np.asarray(self.variance.squares, dtype=float) / self.divisor
        found = [np.sum(columns**2, axis=0) for columns in self._columns()]
        return np.concatenate(found) / self.divisor

    def rows(self, chosen: Matrix) -> Matrix:
        if isinstance(self.variance.A, RowStream):
            return np.asarray(self.variance.A.columns(chosen).gram(1 / self.divisor))
        columns = self._formed(chosen)
        part: Matrix = np.matmul(columns.T, columns) / self.divisor
        return part

    def apply(self, X: Matrix) -> Matrix:
        return np.asarray(self.variance.grad(X), dtype=float) / (-2 * self.divisor)

    def weights(self, chosen: Matrix) -> Matrix:
        total = np.zeros(len(chosen))
        for start in range(0, len(chosen), _BLOCK):
            part = chosen[start : start + _BLOCK]
            total[start : start + _BLOCK] = _cubes(self._crossed(part)[chosen].T / (self.divisor * self.unit))
        return total

    def couplings(self, n: int, penalty: str, deadline: Deadline | None = None) -> tuple[float, float]:
        """Return the same, or what a quarter of the time allows for each of them: rho of some
        columns, the largest Rayleigh quotient so far. Of data that are read in blocks rho is that
        of the 512 columns with the largest variances.
        """
        deadline = deadline or Deadline()
        m, coupling, variances = len(self.variances), 0.0, self.variances[:, None]
        order = np.argsort(-self.variances, kind="stable")
        pairs = penalty != "l21" and isinstance(self.variance.A, np.ndarray)
        with deadline.part(_SHARE):
            for start in range(0, m, _BLOCK):
                if start:
                    deadline.heed()
                if pairs and self.variances[order[start]] <= coupling:  # |C_ij|^2 <= C_ii C_jj
                    break
                if pairs:
                    coupling = max(coupling, self._largest_pair(order[start:], coupling))
                    continue
                part = np.sort(order[start : start + _BLOCK])
                entries = np.abs(self._crossed(part)) / self.divisor
                entries[part, np.arange(len(part))] = 0.0
                coupling = max(coupling, largest_row(entries.T, n, penalty))
                if isinstance(self.variance.A, RowStream):
                    break  # each block of columns is a pass over the data
        quotients = [0.0]

        def off(x: Matrix) -> Matrix:
            column = np.reshape(x, (m, 1))
            product = np.ravel(self.apply(column) - variances * column)
            quotients.append(float(np.dot(np.ravel(x), product) / np.dot(np.ravel(x), np.ravel(x))))
            deadline.heed()
            return product

        with deadline.part(_SHARE):
            return coupling, float(_eigenvectors(off, m, 1, tol=1e-6)[0][0])
        return coupling, max(quotients)

    def _largest_pair(self, left: Matrix, coupling: float) -> float:
        """Return the largest |C_ij| of two variables that are left, i in their first block, for
        dense data; variances fall. Pairs that cannot exceed the coupling are left out. Single
        precision finds the pair; another one is larger by 1e-6 of it at most.
        """
        left = left[self.variances[left] * self.variances[left[0]] >= coupling**2]
        columns = self._single[:, left]
        entries = columns[:, :_BLOCK].T @ columns
        np.fill_diagonal(entries, 0.0)
        ends = (int(np.argmax(entries)), int(np.argmin(entries)))
        i, j = np.unravel_index(max(ends, key=lambda end: abs(entries.flat[end])), entries.shape)
        pair = self._formed(left[[i, j]])
        return float(abs(pair[:, 0] @ pair[:, 1])) / self.divisor

    @cached_property
    def _single(self) -> Matrix:
        """The columns of dense data, each over the root of the largest variance, in single
        precision.
        """
        return np.asarray(self.variance.A / (self.unit * self.divisor) ** 0.5, dtype=np.float32)

    def smooth(self) -> Smooth:
        return self.variance.times(1 / (self.divisor * self.unit))

    def _columns(self) -> Any:
        m = self.variance.A.shape[-1]
        for start in range(0, m, _BLOCK):
            yield self._formed(np.arange(start, min(start + _BLOCK, m)))

    def _crossed(self, chosen: Matrix) -> Matrix:
        """Return columns of A'A."""
        if isinstance(self.variance.A, RowStream):
            return self.variance.A.normal(_units(self.variance.A.shape[-1], chosen))
        return np.asarray(_transpose(self.variance.A) @ self._formed(chosen))

    def _formed(self, chosen: Matrix) -> Matrix:
        """Return columns of the standardised data."""
        if isinstance(self.variance.A, np.ndarray):
            return np.asarray(self.variance.A[:, chosen], dtype=float)
        if self._by_columns is None:
            return np.asarray(self.variance.A @ _units(self.variance.A.shape[-1], chosen), dtype=float)
        columns = np.asarray(self._by_columns[:, chosen].toarray(), dtype=float)
        return columns - self.variance.A.shift[chosen] if isinstance(self.variance.A, Centred) else columns

    @cached_property
    def _by_columns(self) -> Any:
        """Sparse data, stored by columns, without what is subtracted; None of other data."""
        stored = self.variance.A.A if isinstance(self.variance.A, Centred) else self.variance.A
        return stored.tocsc() if sp.issparse(stored) else None


def _transpose(A: Any) -> Any:
    return A.mT if isinstance(A, np.ndarray) else A.T


def significant(values: Matrix, digits: int) -> Matrix:
    """Return nonnegative values with so many significant digits."""
    power = 10.0 ** (digits - np.ceil(np.log10(np.where(values > 0, values, 1.0))))
    rounded: Matrix = np.round(values * power) / power
    return rounded


def _eigenvectors(product: Any, m: int, n: int, tol: float = 0.0) -> tuple[Matrix, Matrix]:
    """Return the n largest eigenvalues of an operator and its eigenvectors, from fixed numbers."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    operator = LinearOperator((m, m), matvec=product, dtype=np.float64)
    found: tuple[Matrix, Matrix] = eigsh(operator, k=n, which="LA", v0=np.ones(m), tol=tol)
    return found


def _cubes(rows: Matrix) -> Matrix:
    """Return the sums of the cubes of the sizes in each row."""
    sums: Matrix = np.sum(np.abs(rows) ** 3, axis=1)
    return sums


def _units(m: int, chosen: Matrix) -> Matrix:
    """Return the chosen columns of the identity."""
    E = np.zeros((m, len(chosen)))
    E[chosen, np.arange(len(chosen))] = 1.0
    return E
