"""NumPy's files: one array (.npy), or an archive of arrays (.npz) such as SciPy's sparse matrices.

Nothing is unpickled: a file cannot run code.
"""

import zipfile
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox.tables.reader import Matrix, MatrixReader
from orthoprox.tables.table import named

_SPARSE = {"format", "shape", "data"}  # what scipy.sparse.save_npz writes, beside indices
_VALUES = "X", "x", "data", "values", "arr_0"
_NAMES = "names", "feature_names", "columns", "var_names"
_ROW_NAMES = "row_names", "index", "rows", "obs_names"
_DAMAGE = ValueError, EOFError, OSError, KeyError, zipfile.BadZipFile


class Npy(MatrixReader):
    """A file of one array, which stays on disk until its rows are read."""

    def open(self) -> Matrix:
        try:
            if self.source.file is not None:
                values = np.load(self.source.file, mmap_mode="r", allow_pickle=False)
            else:
                with self.source.open() as file:
                    values = np.load(file, allow_pickle=False)
        except _DAMAGE as error:
            raise ValueError(f"{self.source.label} cannot be read: {error} Save it again as an array of numbers.") from error
        return Matrix(values)


class Npz(MatrixReader):
    """An archive: a sparse matrix of SciPy, or a matrix and, if it has them, names."""

    def open(self) -> Matrix:
        try:
            with self.source.open() as file, np.load(file, allow_pickle=False) as archive:
                return self._matrix({name: archive[name] for name in self._members(archive)})
        except _DAMAGE as error:
            if str(error).startswith(self.source.label):
                raise
            raise ValueError(f"{self.source.label} cannot be read: {error}; save it again with numpy.savez.") from error

    def _members(self, archive: Any) -> list[str]:
        if "header.json" in archive.zip.namelist():
            raise ValueError(f"{self.source.label} is a model, not a table; use it as orthoprox transform MODEL TABLE.")
        if not any(name.endswith(".npy") for name in archive.zip.namelist()):
            raise ValueError(
                f"{self.source.label} is a zip archive without arrays; save a sheet of Excel as csv, unzip others."
            )
        return list(archive.files)

    def _matrix(self, arrays: dict[str, Any]) -> Matrix:
        if set(arrays) >= _SPARSE:
            with self.source.open() as file:
                return Matrix(sp.csr_array(sp.load_npz(file)))
        numbers = [name for name, array in arrays.items() if array.ndim == 2 and array.dtype.kind in "fiub"]
        chosen = numbers if len(numbers) == 1 else [name for name in _VALUES if name in numbers][:1]
        if not chosen:
            raise ValueError(f"{self.source.label} has the arrays {named(arrays)}; it needs one of two dimensions, named X.")
        values = arrays[chosen[0]]
        return Matrix(values, _texts(arrays, _NAMES, values.shape[1]), _texts(arrays, _ROW_NAMES, values.shape[0]))


def _texts(arrays: dict[str, Any], names: tuple[str, ...], length: int) -> tuple[str, ...] | None:
    for name in names:
        found = arrays.get(name)
        if found is not None and found.shape == (length,) and found.dtype.kind in "US":
            return tuple(found.astype(str).tolist())
    return None
