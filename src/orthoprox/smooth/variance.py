"""The variance that principal components explain, l(X) = -|AX|_F^2."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, inner, is_array, namespace
from orthoprox._linalg import products
from orthoprox._linalg.adjoint import check_adjoint
from orthoprox._linalg.inverse import Inverses, check_shift, shifted_inverse, shifted_inverses
from orthoprox._linalg.restricted import some_columns
from orthoprox._linalg.spectrum import dense_norm, spectral_norm
from orthoprox.smooth.base import Smooth
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sources import as_blocks
from orthoprox.streams.sparse import Centred, Columns, Within
from orthoprox.streams.standardised import check_size, standardised

_WIDE = 2000  # columns of a wide A
_FEW_SAMPLES = 1000  # up to which AA' is cheap
_SPARSE = 3.0  # the price of an operation with sparse data, in terms of a dense one
_AMORTISED = 1000  # column products over which the cost of forming A'A is spread


class Variance(Smooth):
    """The negative explained variance l(X) = -|AX|_F^2 = -tr(X'A'AX), with gradient -2 A'AX.

    The product A'AX is done as (A'A)X or as A'(AX), whichever needs fewer operations. For each
    column of X these are ``2 m^2`` and ``4 z``, with z the number of stored entries of A, each of
    which counts three times if A is sparse: such a product is as much slower. Forming A'A costs
    ``z m`` once, which is spread over a thousand columns. An operator is applied, never
    formed; one random test <Ax, y> = <x, A'y> tells whether its ``rmatvec`` is the adjoint of its
    ``matvec``. Data that come in blocks of rows are read once for A'A, if m is at most 20,000;
    beyond, each product reads them, and what this costs is logged beforehand.

    With a center c and a scale s, A stands for (A - 1c') / s. A dense array is centred once. Sparse
    data stay sparse and operators are applied: the center is subtracted from their products, by
    rank one. Means of 1e6 standard deviations cost no more than the data themselves have lost.

    Parameters
    ----------
    A : array, scipy.sparse matrix, LinearOperator or rows in blocks, shape (p, m)
        One row for each observation; arrays may carry leading batch axes. In blocks come the rows
        of an ``np.memmap``, of arrays of zarr, HDF5 and AnnData in backed mode, of a ParquetFile,
        of Dask's arrays and data frames, what ``orthoprox.tables.row_blocks`` returns, and the
        blocks that an iterator, or a function that returns one, gives.
    center : bool or array of shape (m,)
        What to subtract from the columns: True for their means.
    scale : bool or array of shape (m,)
        What to divide them by: True for their standard deviations with p - 1, about the mean
        whether or not it is subtracted. A column that is constant to rounding is divided by 1. The
        standard deviations of an operator take m products with it.

    Attributes
    ----------
    A : the data, centred and scaled
    center, scale : array of shape (m,) or None
        As they are used, in double precision; None if not wanted.
    """

    _last: products.LastProducts | None = None  # within a call, of wide data

    @quiet()
    def __init__(self, A: Any, *, center: Any = False, scale: Any = False) -> None:
        blocks = None if inputs.is_operator(A) else as_blocks(A)
        matrix: Any = inputs.operator(A, "A") if blocks is None else RowStream(blocks)
        if inputs.is_operator(A):
            check_adjoint(A, "A")
        used, self.center, self.scale = standardised(matrix, center, scale)
        check_size(used)
        if isinstance(used, RowStream):
            H = _hessian(used, keep=A is used.rows)
        else:
            H = -2 * _gram(used) if _gram_pays(matrix) else None
        if isinstance(used, Centred):
            used, H = used.astype(matrix.dtype), None if H is None else H.astype(matrix.dtype)
        self.A: Any = used
        self._hessian = H  # -2A'A, if it is formed
        if H is not None and not bool(namespace(H).all(namespace(H).isfinite(H))):
            raise ValueError("A has entries so large that A'A overflows; it needs to be finite, scale A.")

    def times(self, factor: float) -> "Variance":
        """Return factor l; A is multiplied by the root of the factor."""
        root, multiple = factor**0.5, copy(self)
        multiple.A = self.A.times(root) if isinstance(self.A, RowStream) else self.A * root
        multiple._hessian = None if self._hessian is None else self._hessian * factor
        multiple._forget()
        return multiple

    def astype(self, dtype: Any) -> "Variance":
        """Return l of the same dense data in another precision."""
        other = copy(self)
        other.A = self.A.astype(dtype)
        other._hessian = None if self._hessian is None else self._hessian.astype(dtype)
        other._forget()
        return other

    def at_rows(self, rows: Array, columns: float = _AMORTISED) -> "Variance":
        """Return l of matrices that are 0 outside of these rows, as a term of its own. ``columns``
        tells over how many column products the cost of forming A'A is spread; of data in blocks
        that do not fit into memory it is formed, in one pass.
        """
        part, A = copy(self), _columns(self.A, rows)
        part._hessian = None if self._hessian is None else self._hessian[rows][:, rows]
        if part._hessian is None and isinstance(A, RowStream):
            A = A.held()
        if part._hessian is None and _gram_pays(A.A if isinstance(A, Centred) else A, columns):
            part._hessian = -2 * _gram(A)
        part.A = A
        part._forget()
        return part

    def heeding(self, heed: Callable[[], object]) -> "Variance":
        """Return the same term for one call; products that read data in blocks call ``heed`` after
        each, the last ones with wide data in double precision are remembered.
        """
        if self._hessian is not None or self._last is not None:
            return self
        same = copy(self)
        if isinstance(self.A, RowStream):
            same.A = replace(self.A, heed=heed)
        elif self._is_wide and self.A.dtype == np.float64:
            same._last = products.LastProducts(self.A)
        return same

    def _forget(self) -> None:
        """Forget what was computed of other data."""
        for name in ("lipschitz", "squares", "associations", "_outer", "_by_columns", "_last"):
            self.__dict__.pop(name, None)

    @property
    def operations(self) -> float:
        """The floating point operations of a gradient, for each column of X."""
        p, m = self.A.shape[-2:]
        stored = self.A.A if isinstance(self.A, Centred) else self.A
        number = int(stored.nnz) if sp.issparse(stored) else p * m
        return 2.0 * m**2 if self._hessian is not None else 4.0 * number

    @cached_property
    def squares(self) -> Array:
        """The squared lengths of the columns of A, the diagonal of A'A; 1 for an operator, which
        does not show them.
        """
        if self._hessian is not None:
            return -np.diagonal(self._hessian) / 2
        if inputs.is_operator(self.A):
            return np.ones(self.A.shape[-1])
        return np.sum(self.A**2, axis=0) if is_array(self.A) else self.A.squares()

    @cached_property
    def associations(self) -> Array | None:
        """The squared lengths of the rows of A'A: how much all features vary with each. They take
        2 p^2 m operations; None unless A'A is formed or A is dense with few samples.
        """
        if self._hessian is not None:
            return np.sum(self._hessian**2, axis=0) / 4
        if not is_array(self.A) or self.A.shape[0] > _FEW_SAMPLES:
            return None
        return np.sum(self.A * (self._outer @ self.A), axis=0)

    @cached_property
    def _outer(self) -> Array:
        """AA'."""
        return self.A @ self.A.mT

    def check_shape(self, shape: tuple[int, int]) -> None:
        if self.A.shape[-1] != shape[0]:
            raise ValueError(f"X has {shape[0]} rows but A has shape {tuple(self.A.shape)}; they need the same m.")

    @property
    def data(self) -> Array | None:
        return self.A if is_array(self.A) else None

    @property
    def hessian(self) -> Array | None:
        """The matrix -2A'A, if it is formed."""
        return self._hessian

    def value(self, X: Array) -> Array:
        if self._hessian is not None:
            return inner(X, products.apply(self._hessian, X)) / 2
        if isinstance(self.A, RowStream):
            return self.value_and_grad(X)[0]
        AX = self._times(X) if self._last is None or X.ndim > 2 else self._last.times(X)
        return -inner(AX, AX)

    def grad(self, X: Array) -> Array:
        return self._grad(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        D = self._grad(X)
        return inner(X, D) / 2, D

    def second_derivative(self, V: Array, within: Within | None = None) -> Array:
        """Return l''[V] = -2A'AV, or only ``within`` the entries that V has."""
        return self._curved(V) if within is None else -2 * within.normal(V)

    @property
    def columns(self) -> Columns | None:
        """A sparse A by columns, for second derivatives within a few entries."""
        return None if self._hessian is not None else self._by_columns

    @cached_property
    def _by_columns(self) -> Columns | None:
        return Columns.of(self.A)

    def _grad(self, X: Array) -> Array:
        return self._curved(X) if self._last is None or X.ndim > 2 else self._last.grad(X)

    def _curved(self, X: Array) -> Array:
        if self._hessian is not None:
            return products.apply(self._hessian, X)
        if isinstance(self.A, RowStream):
            return -2 * self.A.normal(X)
        return products.transposed(self.A, -2 * self._times(X))

    def _times(self, X: Array) -> Array:
        return products.wide(self.A, X) if self._is_wide and X.ndim == 2 else self.A @ X

    @property
    def _is_wide(self) -> bool:
        return isinstance(self.A, np.ndarray) and self.A.ndim == 2 and self.A.shape[1] >= _WIDE

    @cached_property
    def lipschitz(self) -> float:
        """Twice the largest eigenvalue of A'A."""
        if self._hessian is not None:
            return dense_norm(self._hessian)
        if is_array(self.A):
            p, m = self.A.shape[-2:]
            return 2 * dense_norm(self._outer if p < m else self.A.mT @ self.A)  # both have the same largest eigenvalue
        return 2 * spectral_norm(lambda V: -self._curved(V) / 2, self.A.shape[1])

    @property
    def modulus(self) -> float:
        """Twice the largest eigenvalue of A'A: l is concave."""
        return self.lipschitz

    def resolvent(self, c: float) -> Callable[[Array], Array]:
        """Return R -> (cI - 2A'A)^(-1) R, by the smaller of A'A and AA', or conjugate gradients."""
        return self._shifted(lambda A: lambda c: shifted_inverse(A, c))(c)

    def resolvents(self) -> Callable[[float], Callable[[Array], Array]]:
        """Return c -> resolvent, from one eigenvalue decomposition if A is dense."""
        return self._shifted(shifted_inverses)

    def _shifted(self, inverses: Inverses) -> Callable[[float], Callable[[Array], Array]]:
        m, wide = self.A.shape[-1], self._hessian is None and is_array(self.A)
        if wide:
            family = inverses(-2 * self._outer)
        elif self._hessian is not None:
            family = inverses(self._hessian)
        else:
            from scipy.sparse.linalg import LinearOperator

            family = inverses(LinearOperator((m, m), matvec=self._curved, matmat=self._curved))

        def at(c: float) -> Callable[[Array], Array]:
            check_shift(c, self.modulus)
            solve = family(c)
            return (lambda R: (R + 2 * (self.A.mT @ solve(self.A @ R))) / c) if wide else solve

        return at


def _hessian(A: RowStream, *, keep: bool) -> Array | None:
    """Return -2A'A of data in blocks, or None and tell what doing without it costs."""
    if not A.forms_gram:
        A.tell_cost()
    return A.gram(-2.0, keep=keep) if A.forms_gram else None


def _gram_pays(A: Any, columns: float = _AMORTISED) -> bool:
    if isinstance(A, RowStream) or inputs.is_operator(A):
        return isinstance(A, RowStream) and A.forms_gram
    p, m = A.shape[-2:]
    stored = A.nnz if sp.issparse(A) else p * m
    return bool(2 * m**2 + stored * m / columns <= (_SPARSE if sp.issparse(A) else 1.0) * 4 * stored)


def _columns(A: Any, chosen: Array) -> Any:
    """Return columns of the data as they are stored."""
    if isinstance(A, (RowStream, Centred)):
        return A.columns(chosen)
    return some_columns(A, chosen) if inputs.is_operator(A) else A[:, chosen]


def _gram(A: Any) -> Array:
    if isinstance(A, (RowStream, Centred)):
        return A.gram()
    C = products.transposed(A, A)
    return C.toarray() if sp.issparse(C) else C
