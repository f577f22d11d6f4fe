"""A matrix that is read in blocks of rows, used without ever being in memory as a whole."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox.streams import blocks
from orthoprox.streams.blocks import GRAM, Blocks
from orthoprox.streams.moments import Moments
from orthoprox.streams.sparse import SparseColumns

Matrix = np.ndarray[Any, Any]
_HELD = 4  # blocks: columns that take no more memory are held there
_log = logging.getLogger("orthoprox")


@dataclass(frozen=True, eq=False)
class RowStream:
    """The matrix factor (A - 1 center') / scale, which multiplies matrices; the rows of A come in
    blocks.
    """

    rows: Blocks
    factor: float = 1.0
    center: Matrix | None = None
    scale: Matrix | None = None
    chosen: Matrix | None = None  # the columns of A that it has; all by default
    heed: Callable[[], object] | None = None  # is called after each block of a product, which it may end

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of the columns that are chosen."""
        return self.rows.shape[0], self.rows.columns if self.chosen is None else len(self.chosen)

    @property
    def forms_gram(self) -> bool:
        """Whether A'A is formed, in one pass: it has at most 20,000 columns and is not larger than
        twice the data.
        """
        if self.chosen is not None:
            return len(self.chosen) <= GRAM
        if self.rows.known is not None and self.rows.known.cross:
            return True
        p = self.rows.rows_in_all()
        return self.rows.columns <= GRAM and (p is None or self.rows.columns <= 2 * p)

    def times(self, factor: float) -> "RowStream":
        """Return the matrix times a factor."""
        return replace(self, factor=self.factor * factor)

    def moments_of_columns(self) -> Moments:
        """Return the moments of A, reading it once; those of the pairs only if A'A is formed."""
        return self.rows.moments(cross=self.forms_gram)

    def columns(self, chosen: Matrix) -> "RowStream":
        """Return some columns."""
        return replace(
            self,
            center=None if self.center is None else self.center[chosen],
            scale=None if self.scale is None else self.scale[chosen],
            chosen=chosen if self.chosen is None else self.chosen[chosen],
        )

    def held(self) -> "Matrix | RowStream":
        """Return the matrix in memory, if it takes no more of it than four blocks."""
        p, m = self.shape
        return self if p * m * 8 > _HELD * blocks.BLOCK_BYTES else self @ np.eye(m)

    def squares(self) -> Matrix:
        """Return the squared lengths of the columns."""
        moments, center = self.rows.moments(cross=False), 0.0 if self.center is None else self.center
        mean, squares = (all_ if self.chosen is None else all_[self.chosen] for all_ in (moments.mean, moments.squares))
        found: Matrix = (squares + moments.count * (mean - center) ** 2) * self._unit**2
        return found

    def gram(self, times: float = 1.0, *, keep: bool = True) -> Matrix:
        """Return the product of the transpose with the matrix, times a number: from the moments,
        which may be given up for it, or in one pass.
        """
        if self.chosen is not None:
            total: Matrix = self._total(_Products(self._centring))
            units = np.broadcast_to(self._unit, len(total))
            total *= np.multiply.outer(times * units, units)
            return total
        moments = self.rows.moments(cross=True)
        if not keep:
            self.rows.forget()
        total, d = (
            moments.scatter.copy() if keep else moments.scatter,
            moments.mean - (0.0 if self.center is None else self.center),
        )
        units = np.broadcast_to(self._unit, moments.m)
        for i in range(moments.m):  # in place: m may be large
            total[i] = (total[i] + moments.count * d[i] * d) * (times * units[i] * units)
        return total

    def normal(self, X: Matrix) -> Matrix:
        """Return the product of A'A with X, in one pass."""
        return self._scaled(self._total(_Normal(self._centring, self._scaled(X))))

    def __matmul__(self, X: Matrix) -> Matrix:
        with self._heeded():
            return self.rows.joined(_Forward(self._centring, self._scaled(X)))

    @property
    def T(self) -> "_Transposed":  # noqa: N802
        """The transpose, which multiplies matrices."""
        return _Transposed(self)

    def tell_cost(self) -> None:
        """Read A once for its means, and tell what products with it cost, unless it is small."""
        if self.rows.once:
            raise ValueError(
                f"{self.rows.label} is an iterator of rows with {self.rows.columns} columns, which each product has to read "
                f"again; give a function that returns a new iterator each time, or at most {GRAM} columns."
            )
        began, known = perf_counter(), self.rows.known is not None
        self.moments_of_columns()
        p, m = self.shape
        if p * m * 8 <= _HELD * blocks.BLOCK_BYTES:
            return
        took = "" if known else f" The first pass took {perf_counter() - began:.3g} s."
        _log.warning(
            "%s has %d columns: the Gram matrix, %.3g GB, is not formed. Each gradient reads all %d rows, up to %.3g GB, "
            "and takes 4 p m n = %.2g n operations; a run takes some hundred gradients.%s",
            self.rows.label, m, 8e-9 * m * m, p, 1e-9 * p * m * np.dtype(self.rows.dtype).itemsize, 4.0 * p * m, took,
        )  # fmt: skip

    @property
    def _unit(self) -> Any:
        """What the columns of A - 1 center' are multiplied by."""
        return self.factor if self.scale is None else self.factor / self.scale

    def _scaled(self, X: Matrix) -> Matrix:
        unit = np.asarray(self._unit)
        scaled: Matrix = X * (unit[:, None] if unit.ndim and X.ndim > 1 else unit)
        return scaled

    @property
    def _centring(self) -> "_Centring":
        return _Centring(self.center, self.chosen)

    def _total(self, function: Callable[[Any, int], Any]) -> Matrix:
        with self._heeded():
            return np.asarray(self.rows.total(function))

    def _heeded(self) -> AbstractContextManager[None]:
        heed = self.heed
        return self.rows.watched(None if heed is None else lambda done, of: heed())


@dataclass(frozen=True)
class _Transposed:
    stream: RowStream

    def __matmul__(self, V: Matrix) -> Matrix:
        return self.stream._scaled(self.stream._total(_Adjoint(self.stream._centring, V)))


# What is done with a block, in this process or another: functions of the block and its first row.


@dataclass(frozen=True)
class _Centring:
    """Some columns of a block, less the center: something that multiplies matrices."""

    center: Matrix | None
    chosen: Matrix | None

    def __call__(self, block: Any) -> Any:
        if self.chosen is not None:
            block = block[:, self.chosen]
        if not sp.issparse(block):
            block = block.astype(np.float64, copy=False)
            return block if self.center is None else block - self.center
        return block.astype(np.float64) if self.center is None else SparseColumns.of(block).centred(self.center, None)


@dataclass(frozen=True)
class _Forward:
    centred: _Centring
    Y: Matrix

    def __call__(self, block: Any, start: int) -> Matrix:
        return np.asarray(self.centred(block) @ self.Y)


@dataclass(frozen=True)
class _Adjoint:
    centred: _Centring
    V: Matrix

    def __call__(self, block: Any, start: int) -> Matrix:
        return np.asarray(self.centred(block).T @ self.V[start : start + block.shape[0]])


@dataclass(frozen=True)
class _Normal:
    centred: _Centring
    Y: Matrix

    def __call__(self, block: Any, start: int) -> Matrix:
        D = self.centred(block)
        return np.asarray(D.T @ (D @ self.Y))


@dataclass(frozen=True)
class _Products:
    centred: _Centring

    def __call__(self, block: Any, start: int) -> Matrix:
        D = self.centred(block)
        if isinstance(D, np.ndarray):
            return np.asarray(D.T @ D)
        return np.asarray((D.T @ D).toarray() if sp.issparse(D) else D.gram())
