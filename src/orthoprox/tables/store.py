"""Stores of zarr: a folder of chunks (``pip install "orthoprox[zarr]"``)."""

from pathlib import Path
from typing import Any

from orthoprox.tables.reader import Matrix, MatrixReader
from orthoprox.tables.table import named

_MARKS = "zarr.json", ".zarray", ".zgroup"  # of versions 3 and 2


def is_store(path: Any) -> bool:
    """Tell whether a folder is a store of zarr."""
    return any((Path(path) / mark).exists() for mark in _MARKS)


class Zarr(MatrixReader):
    """An array of zarr, or the array X of a group; chunks are read when their rows are."""

    def open(self) -> Matrix:
        try:
            import zarr
        except ImportError as error:
            needs = 'is a store of zarr, which needs it: pip install "orthoprox[zarr]".'
            raise ImportError(f"{self.source.label} {needs}") from error
        try:
            found = zarr.open(self.source.path, mode="r")
        except (ValueError, OSError, KeyError) as error:
            raise ValueError(f"{self.source.label} is damaged: {error}. Copy or write it again.") from error
        if isinstance(found, zarr.Group):
            inside = dict(found.arrays())
            if "X" not in inside:
                raise ValueError(f"{self.source.label} is a group with the arrays {named(inside)}; it needs one named X.")
            found = inside["X"]
        return Matrix(found)
