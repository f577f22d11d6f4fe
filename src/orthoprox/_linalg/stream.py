"""A matrix on disk, used without ever being in memory as a whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from orthoprox._arrays import inputs

Matrix = np.ndarray[Any, Any]
_BLOCK_BYTES = 2**26


class RowStream:
    """A memory map times a number, which multiplies matrices, read in row blocks of 64 MiB."""

    def __init__(self, rows: np.memmap[Any, Any], factor: float = 1.0) -> None:
        if rows.ndim != 2 or rows.size == 0:
            raise ValueError(f"A has shape {rows.shape}; a memory map needs two dimensions, both at least 1.")
        self.rows, self.shape, self.factor = rows, rows.shape, factor

    def times(self, factor: float) -> "RowStream":
        """Return factor A."""
        return RowStream(self.rows, self.factor * factor)

    def blocks(self) -> Iterator[Matrix]:
        """Yield the blocks in order, each checked as any matrix is."""
        count = max(1, _BLOCK_BYTES // (8 * self.shape[1]))
        for start in range(0, self.shape[0], count):
            block = inputs.matrix(np.array(self.rows[start : start + count]), "A").astype(np.float64, copy=False)
            yield block if self.factor == 1 else self.factor * block

    def gram(self) -> Matrix:
        """Return A'A, reading A once."""
        total = np.zeros((self.shape[1], self.shape[1]))
        for block in self.blocks():
            total += block.T @ block
        return total

    def __matmul__(self, X: Matrix) -> Matrix:
        return np.concatenate([block @ X for block in self.blocks()])

    @property
    def T(self) -> "_Transposed":  # noqa: N802
        """A', which multiplies matrices."""
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
