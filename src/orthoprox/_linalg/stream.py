"""A matrix on disk, used without ever being in memory as a whole."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from orthoprox._arrays import inputs

_BLOCK_BYTES = 2**26


class RowStream(LinearOperator):  # type: ignore[misc]
    """A memory map times a number as an operator, read in row blocks of 64 MiB."""

    def __init__(self, rows: np.memmap[Any, Any], factor: float = 1.0) -> None:
        if rows.ndim != 2 or rows.size == 0:
            raise ValueError(f"A has shape {rows.shape}; a memory map needs two dimensions, both at least 1.")
        super().__init__(dtype=np.float64, shape=rows.shape)
        self.rows, self.factor = rows, factor

    def times(self, factor: float) -> "RowStream":
        """Return factor A."""
        return RowStream(self.rows, self.factor * factor)

    def blocks(self) -> Iterator[np.ndarray[Any, Any]]:
        """Yield the blocks in order, each checked as any matrix is."""
        count = max(1, _BLOCK_BYTES // (8 * self.shape[1]))
        for start in range(0, self.shape[0], count):
            block = inputs.matrix(np.array(self.rows[start : start + count]), "A").astype(np.float64, copy=False)
            yield block if self.factor == 1 else self.factor * block

    def gram(self) -> np.ndarray[Any, Any]:
        """Return A'A, reading A once."""
        total = np.zeros((self.shape[1], self.shape[1]))
        for block in self.blocks():
            total += block.T @ block
        return total

    def _matmat(self, X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.concatenate([block @ X for block in self.blocks()])

    def _rmatmat(self, V: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        total, start = np.zeros((self.shape[1], V.shape[1])), 0
        for block in self.blocks():
            total += block.T @ V[start : start + len(block)]
            start += len(block)
        return total

    def _rmatvec(self, v: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self._rmatmat(v.reshape(-1, 1)).ravel()
