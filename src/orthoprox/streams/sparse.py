"""The columns of a sparse matrix: means and scatter, and products with the centred matrix.

A column whose mean is above ten times its standard deviation has less than one zero in a hundred
entries. Its mean is subtracted from its entries, which stay as sparse as they were; the means that
are left are of ordinary size and are subtracted from products, by rank one. No digits are lost.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

Matrix = np.ndarray[Any, Any]
_MUCH_LESS = 3  # times as much work
_FAR = 10.0  # standard deviations: a mean beyond is subtracted from the entries


@dataclass(frozen=True)
class SparseColumns:
    """A = 1 origin' + rest, with an origin that is 0 in all columns but those with means far from
    0.
    """

    origin: Matrix  # of length m
    rest: Any  # A - 1 origin', a CSR array
    offset: Matrix  # the means of the columns of ``rest``
    squares: Matrix  # the sums of squared deviations from the means

    @classmethod
    def of(cls, A: Any) -> "SparseColumns":
        """Return the columns of a CSR array, in double precision."""
        rest = A.astype(np.float64)
        rest.sum_duplicates()
        origin, offset, squares = np.zeros(A.shape[1]), *_columns(rest)
        far = offset**2 > _FAR**2 * squares / A.shape[0]
        if np.any(far):
            origin = np.where(far, offset, 0.0)
            rest = _moved(rest, origin, np.flatnonzero(far))
            offset, squares = _columns(rest)
        return cls(origin, rest, offset, squares)

    @property
    def mean(self) -> Matrix:
        """The means of the columns of A."""
        return self.origin + self.offset

    def scatter(self) -> Matrix:
        """Return sum_i (a_i - mean)(a_i - mean)'."""
        return Centred(self.rest, self.offset).gram()

    def centred(self, center: Matrix | None, scale: Matrix | None) -> "Centred":
        """Return (A - 1 center') / scale; the mean is the center by default."""
        shift = self.offset if center is None else center - self.origin
        if scale is None:
            return Centred(self.rest, shift)
        return Centred(divided(self.rest, scale), shift / scale)


@dataclass(frozen=True)
class Centred:
    """The matrix A - 1 shift', which multiplies matrices; A is sparse or an operator."""

    A: Any
    shift: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        """That of A."""
        return self.A.shape  # type: ignore[no-any-return]

    def __mul__(self, factor: float) -> "Centred":
        return Centred(self.A * factor, self.shift * factor)

    def astype(self, dtype: Any) -> "Centred":
        """Return the same matrix in another precision."""
        return Centred(self.A.astype(dtype), self.shift.astype(dtype))

    def columns(self, chosen: Matrix) -> "Centred":
        """Return some columns."""
        return Centred(self.A[:, chosen], self.shift[chosen])

    def squares(self) -> Matrix:
        """Return the squared lengths of the columns: p (b - s)^2 + sum_i (a_i - b)^2 with the means
        b of A.
        """
        offset, deviations = _columns(self.A)
        found: Matrix = deviations + self.shape[0] * (offset - self.shift) ** 2
        return found

    def __matmul__(self, X: Matrix) -> Matrix:
        product: Matrix = self.A @ X - self.shift @ X
        return product

    @property
    def T(self) -> "_Transposed":  # noqa: N802
        """A' - shift 1', which multiplies matrices."""
        return _Transposed(self)

    def gram(self) -> Matrix:
        """Return (A - 1 s')'(A - 1 s') = A'A - n b b' + n (b - s)(b - s)', b the means of A."""
        n, offset = self.shape[0], _columns(self.A)[0]
        total: Matrix = (self.A.T @ self.A).toarray()
        for sign, d in ((-1, offset), (1, offset - self.shift)):
            total += np.multiply.outer((sign * n * d).astype(total.dtype), d.astype(total.dtype))
        return total


@dataclass(frozen=True)
class _Transposed:
    centred: Centred

    def __matmul__(self, V: Matrix) -> Matrix:
        product: Matrix = self.centred.A.T @ V - np.multiply.outer(self.centred.shift, np.sum(V, axis=0))
        return product


@dataclass(frozen=True)
class Columns:
    """A sparse matrix A - 1 shift', stored column by column."""

    A: Any  # a CSC array
    shift: Matrix

    @classmethod
    def of(cls, A: Any) -> "Columns | None":
        """Return a matrix by columns, or None if it is not sparse."""
        stored, shift = (A.A, A.shift) if isinstance(A, Centred) else (A, np.zeros(A.shape[1]))
        return cls(stored.tocsc(), shift) if sp.issparse(stored) else None

    def within(self, mask: Matrix) -> "Within | None":
        """Return the products within a mask, or None unless they are much less work than others."""
        met = int(np.diff(self.A.indptr) @ np.count_nonzero(mask, axis=1))
        return Within(self, mask) if _MUCH_LESS * met <= self.A.nnz * mask.shape[1] else None


class Within:
    """The entries of matrices X in a mask, and A'AX in them for an X that is 0 elsewhere.

    The columns of A that belong to the entries of a column of X are a block of a sparse matrix, so
    that the work is that of the stored numbers which meet an entry.
    """

    def __init__(self, columns: Columns, mask: Matrix) -> None:
        self.shape, (p, n) = mask.shape, (columns.A.shape[0], mask.shape[1])
        self._columns, self._rows = np.nonzero(mask.T)
        some = columns.A[:, self._rows]
        places = some.indices + p * np.repeat(self._columns, np.diff(some.indptr))
        self._blocks = sp.csc_array((some.data, places, some.indptr), shape=(p * n, len(self._rows)))
        self._shift = columns.shift[self._rows]

    @property
    def operations(self) -> float:
        """The work of a product; an operation with sparse data takes as long as three others."""
        return 12.0 * float(self._blocks.nnz)

    def normal(self, X: Matrix) -> Matrix:
        """Return A'AX in the mask, and 0 elsewhere."""
        x, n = X[self._rows, self._columns], self.shape[1]
        AX = (self._blocks @ x).reshape(n, -1) - np.bincount(self._columns, self._shift * x, n)[:, None]
        product = np.zeros(self.shape, AX.dtype)
        means = self._shift * np.sum(AX, axis=1)[self._columns]
        product[self._rows, self._columns] = self._blocks.T @ AX.ravel() - means
        return product


def divided(A: Any, scale: Matrix) -> Any:
    """Return a CSR array with its columns divided by the scale."""
    return sp.csr_array((A.data / scale[A.indices], A.indices, A.indptr), shape=A.shape)


def _columns(A: Any) -> tuple[Matrix, Matrix]:
    """Return the means of the columns and the sums of squared deviations from them, in two
    passes.
    """
    n, m = A.shape

    def sums(entries: Any) -> Matrix:
        return np.bincount(A.indices, weights=entries, minlength=m)

    zeros = n - np.bincount(A.indices, minlength=m)
    mean = sums(A.data) / n
    mean += (sums(A.data - mean[A.indices]) - zeros * mean) / n  # what rounding has left of it
    return mean, sums((A.data - mean[A.indices]) ** 2) + zeros * mean**2


def _moved(A: Any, origin: Matrix, far: Any) -> Any:
    """Return A - 1 origin' as a CSR array; the origin is nonzero in the columns ``far``."""
    moved = A.tocsc()[:, far].toarray() - origin[far]
    rows = np.repeat(np.arange(A.shape[0]), len(far))
    near = A.copy()
    near.data[origin[A.indices] != 0] = 0.0
    rest = (near + sp.coo_array((moved.ravel(), (rows, np.tile(far, A.shape[0]))), shape=A.shape)).tocsr()
    rest.eliminate_zeros()
    return rest
