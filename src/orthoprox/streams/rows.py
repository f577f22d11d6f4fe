"""A matrix on disk, used without ever being in memory as a whole."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]
_BLOCK_BYTES = 2**26


@dataclass(frozen=True, eq=False)
class RowStream:
    """The matrix factor (A - 1 center') / scale, which multiplies matrices; A is a memory map, read
    in row blocks of 64 MiB.
    """

    rows: np.memmap[Any, Any]
    factor: float = 1.0
    center: Matrix | None = None
    scale: Matrix | None = None
    moments: Moments | None = None  # of A, if it has been read for them

    def __post_init__(self) -> None:
        if self.rows.ndim != 2 or self.rows.size == 0:
            raise ValueError(f"A has shape {self.rows.shape}; a memory map needs two dimensions, both at least 1.")

    @property
    def shape(self) -> tuple[int, int]:
        """That of A."""
        return self.rows.shape  # type: ignore[no-any-return]

    def times(self, factor: float) -> "RowStream":
        """Return the matrix times a factor."""
        return replace(self, factor=self.factor * factor)

    def moments_of_columns(self, *, cross: bool) -> Moments:
        """Return the moments of A, reading it once."""
        moments = Moments(self.shape[1], cross=cross)
        for block in self._read():
            moments = moments.add(block)
        return moments

    def blocks(self) -> Iterator[Matrix]:
        """Yield the blocks in order, each checked as any matrix is."""
        for block in self._read():
            if self.center is not None:
                block = block - self.center
            if self.scale is not None:
                block = block / self.scale
            yield block if self.factor == 1 else self.factor * block

    def _read(self) -> Iterator[Matrix]:
        count = max(1, _BLOCK_BYTES // (8 * self.shape[1]))
        for start in range(0, self.shape[0], count):
            yield inputs.matrix(np.array(self.rows[start : start + count]), "A").astype(np.float64, copy=False)

    def columns(self, chosen: Matrix) -> Matrix | None:
        """Return some columns in memory, if they are no more than four blocks."""
        if self.shape[0] * len(chosen) * 8 > 4 * _BLOCK_BYTES:
            return None
        return np.concatenate([block[:, chosen] for block in self.blocks()])

    def squares(self) -> Matrix:
        """Return the squared lengths of the columns."""
        total = np.zeros(self.shape[1])
        for block in self.blocks():
            total += np.sum(block**2, axis=0)
        return total

    def gram(self) -> Matrix:
        """Return the product of the transpose with the matrix, reading A once or not again."""
        if self.moments is not None and self.moments.cross:
            total = self.moments.gram(0.0 if self.center is None else self.center)
            unit = self.factor if self.scale is None else self.factor / self.scale
            return np.multiply.outer(unit, unit) * total
        total = np.zeros((self.shape[1], self.shape[1]))
        for block in self.blocks():
            total += block.T @ block
        return total

    def __matmul__(self, X: Matrix) -> Matrix:
        return np.concatenate([block @ X for block in self.blocks()])

    @property
    def T(self) -> "_Transposed":  # noqa: N802
        """The transpose, which multiplies matrices."""
        return _Transposed(self)


@dataclass(frozen=True)
class _Transposed:
    stream: RowStream

    def __matmul__(self, V: Matrix) -> Matrix:
        total, start = np.zeros((self.stream.shape[1], *V.shape[1:])), 0
        for block in self.stream.blocks():
            total += block.T @ V[start : start + len(block)]
            start += len(block)
        return total
