"""AnnData's files (.h5ad): a matrix X with names of observations and of variables
(``pip install "orthoprox[anndata]"``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox.tables.reader import Matrix, MatrixReader


class H5ad(MatrixReader):
    """The matrix X, dense or sparse; rows stored one after the other stay on disk."""

    def open(self) -> Matrix:
        try:
            import h5py
        except ImportError as error:
            needs = 'is an HDF5 file, which needs h5py: pip install "orthoprox[anndata]".'
            raise ImportError(f"{self.source.label} {needs}") from error
        try:
            file = h5py.File(self.source.file or self.source.open(), "r")
        except OSError as error:
            raise ValueError(f"{self.source.label} is damaged: {error}. Copy or write it again.") from error
        if "X" not in file:
            raise ValueError(f"{self.source.label} has no matrix X; an .h5ad file of anndata has one.")
        X = file["X"]
        values = X if isinstance(X, h5py.Dataset) else _sparse(X)
        return Matrix(values, _labels(file, "var"), _labels(file, "obs"))


@dataclass(frozen=True)
class _StoredRows:
    """A CSR matrix on disk: slices of rows are read when they are asked for."""

    group: Any
    shape: tuple[int, int]

    @property
    def dtype(self) -> Any:
        return self.group["data"].dtype

    @property
    def nnz(self) -> int:
        return int(self.group["data"].shape[0])

    def __getitem__(self, rows: slice) -> Any:
        start, stop, _ = rows.indices(self.shape[0])
        ends = self.group["indptr"][start : stop + 1]
        entries = slice(int(ends[0]), int(ends[-1]))
        data, indices = self.group["data"][entries], self.group["indices"][entries]
        return sp.csr_array((data, indices, ends - ends[0]), shape=(stop - start, self.shape[1]))


def _sparse(group: Any) -> Any:
    """Return a sparse matrix; the first versions of anndata called its attributes otherwise."""
    kind = group.attrs.get("encoding-type", group.attrs.get("h5sparse_format", "csr"))
    stored = group.attrs.get("shape", group.attrs.get("h5sparse_shape"))
    shape = int(stored[0]), int(stored[1])
    if "csc" in _text(kind):
        return sp.csc_array((group["data"][()], group["indices"][()], group["indptr"][()]), shape=shape).tocsr()
    return _StoredRows(group, shape)


def _labels(file: Any, axis: str) -> tuple[str, ...] | None:
    """Return the names along an axis: a column of the group, or a field of the table that the first
    versions of anndata wrote.
    """
    if axis not in file:
        return None
    group = file[axis]
    names: Any = None
    if hasattr(group, "keys"):
        names = group.get(_text(group.attrs.get("_index", "_index")))
    elif group.dtype.names:
        names = group[()][group.dtype.names[0]]
    if hasattr(names, "keys"):  # with a mask of missing ones
        names = names.get("values")
    if names is None:
        return None
    return tuple(_text(name) for name in np.asarray(names[()]).tolist())


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
