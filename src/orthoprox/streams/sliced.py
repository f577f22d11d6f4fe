"""Rows that are read by slices: a memory map, an array of zarr, a dataset of HDF5, AnnData's
matrices in backed mode, and whatever else gives rows for ``A[start:stop]``.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from orthoprox.streams import blocks
from orthoprox.streams.blocks import Blocks, check_dtype


class Sliced(Blocks):
    """The rows of ``values`` from ``first`` to ``last``, in blocks of 64 MiB in double precision; a
    block ends where a chunk of the store does.

    Parameters
    ----------
    values : anything with a shape and a dtype that gives arrays or sparse matrices for slices
    label : str
        What messages call it.
    first, last : int, optional
        The rows from the first to the one before the last; all by default.
    """

    def __init__(self, values: Any, label: str = "A", *, first: int = 0, last: int | None = None) -> None:
        shape = tuple(values.shape)
        if len(shape) != 2 or 0 in shape:
            raise ValueError(f"{label} has shape {shape}; it needs two dimensions, both at least 1.")
        check_dtype(values.dtype, label)
        self.values, self.label = values, label
        self.first, self.last = first, shape[0] if last is None else last
        self.origin = first

    @property
    def shape(self) -> tuple[int, int]:
        return self.last - self.first, int(self.values.shape[1])

    @property
    def dtype(self) -> Any:
        return np.dtype(self.values.dtype)

    def read(self) -> Iterator[Any]:
        step = self._step()
        start = self.first
        with _advice(self.values) as ask:
            while start < self.last:
                stop = min(start - start % step + step, self.last)
                ask(stop, stop + step)
                rows = self.values[start:stop]
                yield np.array(rows) if isinstance(rows, np.memmap) else rows
                start = stop

    def _step(self) -> int:
        """Return the rows of a block, a multiple of those of a chunk."""
        step = max(1, blocks.BLOCK_BYTES // (8 * self.shape[1]))
        chunks = getattr(self.values, "chunks", None)
        chunk = int(chunks[0]) if isinstance(chunks, tuple) and chunks else 1
        return max(chunk, step - step % chunk)


@contextmanager
def _advice(values: Any) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that asks the system to read rows of a memory map, from the first to the one
    before the last, which will be needed: in larger pieces than those that single accesses cause.
    """
    mapped = isinstance(values, np.memmap) and hasattr(os, "posix_fadvise") and values.strides[0] > 0
    try:
        file = os.open(values.filename, os.O_RDONLY) if mapped else -1
    except (OSError, TypeError):  # its file has gone, or has no name
        file = -1

    def ask(start: int, stop: int) -> None:
        if file >= 0:
            row = values.strides[0]
            os.posix_fadvise(file, values.offset + start * row, (stop - start) * row, os.POSIX_FADV_WILLNEED)

    try:
        yield ask
    finally:
        if file >= 0:
            os.close(file)
