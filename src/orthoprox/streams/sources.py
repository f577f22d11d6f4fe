"""What is read in blocks of rows, by its kind."""

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from orthoprox.streams.blocks import Blocks
from orthoprox.streams.iterated import Iterated
from orthoprox.streams.sliced import Sliced

_STORES = "zarr", "h5py", "anndata"  # packages whose matrices give rows for slices


def as_blocks(source: Any, label: str = "A") -> Blocks | None:
    """Return the rows of a source in blocks, or None if it is no such source but an array, a table
    in memory or an operator.

    Sources are ``np.memmap``, ``zarr.Array``, ``h5py.Dataset`` and matrices of AnnData in backed
    mode, ``pyarrow.parquet.ParquetFile``, ``dask.array`` and Dask's data frames, an iterator of row
    blocks or a function that returns one, and what ``orthoprox.tables.row_blocks`` returns.
    """
    if isinstance(source, Blocks):
        return source
    if isinstance(source, np.memmap):
        return Sliced(source, label)
    package = type(source).__module__.partition(".")[0]
    if package in _STORES and hasattr(source, "shape"):
        return Sliced(source, label)
    if package == "pyarrow" and hasattr(source, "num_row_groups"):
        from orthoprox.streams.parquet import RowGroups

        return RowGroups(source, label)
    if package in ("dask", "dask_expr") and hasattr(source, "dask"):
        from orthoprox.streams.graph import DaskBlocks

        return DaskBlocks(source, label)
    if isinstance(source, (Iterator, FunctionType, MethodType)) and not hasattr(source, "shape"):
        return Iterated(source, label)
    return None
