"""Column means and scatter of rows that come in blocks, in double precision.

Each block is centred by its own mean, and centred blocks are merged: ``accumulation.py`` has the
formulas. Nothing is subtracted that is much larger than what is left, so that means far above the
standard deviations cost digits of the means alone.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox.streams.accumulation import Accumulation

Matrix = np.ndarray[Any, Any]
_NOISE = 10 * float(np.finfo(np.float64).eps)  # a standard deviation below this share of the mean is rounding


class Moments:
    """The number of rows, their mean and their scatter S = sum_i (a_i - mean)(a_i - mean)'.

    Immutable: ``add`` and ``merge`` return new moments. Without ``cross``, S is its diagonal alone,
    for data too wide for an m x m matrix.

    Parameters
    ----------
    m : int
        The number of columns.
    cross : bool
        Whether to keep the whole matrix S.
    count, mean, scatter
        Moments to start from, of ``count`` rows; none by default.
    """

    def __init__(self, m: int, *, cross: bool = True, count: int = 0, mean: Any = None, scatter: Any = None) -> None:
        self.m, self.cross, self.count = inputs.integer(m, "m"), cross, inputs.integer(count, "count", minimum=0)
        self.mean: Matrix = np.zeros(m) if mean is None else np.asarray(inputs.matrix(mean, "mean", shape=(m,)), np.float64)
        shape = (m, m) if cross else (m,)
        given = np.zeros(shape) if scatter is None else inputs.matrix(scatter, "scatter", shape=shape)
        self.scatter: Matrix = np.asarray(given, np.float64)

    def add(self, block: Any) -> "Moments":
        """Return the moments with the rows of a block, dense or sparse, added."""
        rows = inputs.operator(block, "block")
        if len(rows.shape) != 2 or rows.shape[1] != self.m:
            raise ValueError(f"block has shape {tuple(rows.shape)}; it needs {self.m} columns, as the rows before it.")
        sums = self.accumulation()
        sums.add(rows if sp.issparse(rows) else np.asarray(rows))
        return Moments.of(sums)

    def accumulation(self) -> Accumulation:
        """Return these moments as sums to add to."""
        sums = Accumulation(self.m, cross=self.cross)
        sums.count, sums.mean, sums.scatter = self.count, self.mean, self.scatter.copy()
        return sums

    @classmethod
    def of(cls, sums: Accumulation) -> "Moments":
        """Return the moments of what was added up; the sums are not to be added to again."""
        found = cls(1)
        found.m, found.cross, found.count, found.mean = sums.m, sums.cross, sums.count, sums.mean
        found.scatter = sums.symmetric()
        return found

    def merge(self, other: "Moments") -> "Moments":
        """Return the moments of the rows of both."""
        if (other.m, other.cross) != (self.m, self.cross):
            kinds = [f"{each.m} columns {'with' if each.cross else 'without'} cross terms" for each in (other, self)]
            raise ValueError(f"other has {kinds[0]}, these moments have {kinds[1]}; both need the same.")
        if 0 in (self.count, other.count):
            return other if self.count == 0 else self
        count = self.count + other.count
        d = other.mean - self.mean
        mean, weight = self.mean + d * (other.count / count), self.count * (other.count / count)
        between = np.multiply.outer(d, weight * d) if self.cross else weight * d * d
        return Moments(self.m, cross=self.cross, count=count, mean=mean, scatter=self.scatter + other.scatter + between)

    @property
    def squares(self) -> Matrix:
        """The diagonal of S: sums of squared deviations."""
        return np.diagonal(self.scatter) if self.cross else self.scatter

    def covariance(self, ddof: int = 1) -> Matrix:
        """Return S / (n - ddof); the variances, where only the diagonal is kept."""
        if self.count <= ddof:
            raise ValueError(f"{self.count} rows have no covariance with ddof = {ddof}; add more rows.")
        return self.scatter / (self.count - ddof)

    def scale(self) -> Matrix:
        """Return the standard deviations with n - 1, and 1 for columns constant to rounding."""
        return standard(self.squares, self.mean, self.count)

    def gram(self, center: Any) -> Matrix:
        """Return sum_i (a_i - center)(a_i - center)' = S + n (mean - center)(mean - center)'."""
        d: Matrix = self.mean - center
        total: Matrix = np.multiply.outer(self.count * d, d)
        total += self.scatter
        return total


def deviations(A: Array) -> tuple[Array, Array]:
    """Return the means of the columns and what the entries are above them, in double precision.

    The first row is subtracted before anything is added up: a constant column gives exact zeros,
    and a mean far above the standard deviation costs no digits of the deviations.
    """
    xp = namespace(A)
    A = xp.astype(A, xp.float64, copy=False)
    origin = A[..., :1, :]
    D = A - origin
    first = xp.mean(D, axis=-2, keepdims=True)
    D = D - first
    second = xp.mean(D, axis=-2, keepdims=True)  # what rounding has left of the mean
    mean = origin + (first + second)
    return mean[..., 0, :], D - second


def standard_deviations(mean: Array, D: Array) -> Array:
    """Return the standard deviations with n - 1 of columns with these deviations D from the mean,
    and 1 for columns constant to rounding; no square overflows or underflows.
    """
    xp = namespace(D)
    unit = xp.max(xp.abs(D), axis=-2, keepdims=True)
    unit = xp.where(unit > 0, unit, 1.0)
    deviation = unit[..., 0, :] * xp.sqrt(xp.sum((D / unit) ** 2, axis=-2) / max(D.shape[-2] - 1, 1))
    return xp.where(deviation > _NOISE * xp.abs(mean), deviation, 1.0)


def standard(squares: Matrix, mean: Matrix, count: int) -> Matrix:
    """Return the same from sums of squared deviations."""
    deviation = np.sqrt(squares / max(count - 1, 1))
    return np.where(deviation > _NOISE * np.abs(mean), deviation, 1.0)
