"""Every source of rows in blocks, made of a small matrix: what the tests run over and what the
README's table shows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from stored import on_disk

ROWS = 7  # of a block, wherever the source has blocks of its own


@dataclass(frozen=True)
class Kind:
    """A source, and where it may be used."""

    make: Callable | None = None  # (A, folder) -> what Variance and SparsePCA.fit take
    file: Callable | None = None  # (A, folder) -> what orthoprox spca takes
    extra: str = ""  # what is to be installed
    ranks: bool = False  # whether ranks of MPI share its rows
    again: bool = True  # whether it can be read more than once


def _parts(A):
    return [A[start : start + ROWS] for start in range(0, len(A), ROWS)]


def _npy(A, folder):
    np.save(folder / "rows.npy", A)
    return folder / "rows.npy"


def _zarr(A, folder):
    import zarr

    store = zarr.open(str(folder / "rows.zarr"), mode="w", shape=A.shape, chunks=(ROWS, 3), dtype=A.dtype)
    store[:] = A
    return folder / "rows.zarr"


def _zarr_array(A, folder):
    import zarr

    return zarr.open(str(_zarr(A, folder)), mode="r")


def _frame(A):
    import pandas as pd

    return pd.DataFrame(A, columns=[f"x{i}" for i in range(A.shape[1])])


def _parquet(A, folder):
    _frame(A).to_parquet(folder / "rows.parquet", row_group_size=ROWS)
    return folder / "rows.parquet"


def _parquet_file(A, folder):
    import pyarrow.parquet as pq

    return pq.ParquetFile(_parquet(A, folder))


def _folder(A, folder):
    inside = folder / "parts"
    inside.mkdir(exist_ok=True)
    for number, part in enumerate(np.array_split(A, 4)):
        np.save(inside / f"part-{number}.npy", part)
    return inside


def _hdf5(A, folder):
    import h5py

    with h5py.File(folder / "rows.h5", "w") as file:
        file.create_dataset("X", data=A, chunks=(ROWS, 2))
    return h5py.File(folder / "rows.h5", "r")["X"]


def _h5ad(A, folder, name="rows.h5ad"):
    """A sparse matrix as anndata stores it."""
    import h5py

    stored = sp.csr_array(A)
    with h5py.File(folder / name, "w") as file:
        X = file.create_group("X")
        X.attrs.update({"encoding-type": "csr_matrix", "shape": A.shape})
        for part in ("data", "indices", "indptr"):
            X[part] = getattr(stored, part)
    return folder / name


def _dask_array(A, folder):
    import dask.array as da

    return da.from_array(A, chunks=(ROWS, 2))


def _dask_sparse(A, folder):
    import dask.array as da

    return da.from_array(A, chunks=(ROWS, -1)).map_blocks(sp.csr_array, dtype=A.dtype)


def _dask_frame(A, folder):
    import dask.dataframe as dd

    return dd.from_pandas(_frame(A), npartitions=4)


def _from_reader(file):
    def make(A, folder):
        from orthoprox import tables

        return tables.row_blocks(file(A, folder))

    return make


def _csv(A, folder):
    names = ",".join(f"x{i}" for i in range(A.shape[1]))
    np.savetxt(folder / "rows.csv", A, fmt="%.17g", delimiter=",", header=names, comments="")
    return folder / "rows.csv"


KINDS = {
    "`np.memmap`": Kind(on_disk),
    "file npy": Kind(_from_reader(_npy), _npy, ranks=True),
    "`zarr.Array`": Kind(_zarr_array, extra="zarr"),
    "store of zarr": Kind(_from_reader(_zarr), _zarr, "zarr", ranks=True),
    "`h5py.Dataset`": Kind(_hdf5, extra="anndata"),
    "file h5ad, backed": Kind(_from_reader(_h5ad), _h5ad, "anndata", ranks=True),
    "`ParquetFile`": Kind(_parquet_file, extra="parquet"),
    "file parquet": Kind(_from_reader(_parquet), _parquet, "parquet", ranks=True),
    "folder of such files": Kind(_from_reader(_folder), _folder, ranks=True),
    "file csv": Kind(_from_reader(_csv), _csv),
    "function that returns an iterator": Kind(lambda A, folder: lambda: iter(_parts(A))),
    "iterator of arrays": Kind(lambda A, folder: iter(_parts(A)), again=False),
    "iterator of sparse matrices": Kind(lambda A, folder: map(sp.csr_array, _parts(A)), again=False),
    "`dask.array`": Kind(_dask_array, extra="dask"),
    "`dask.array` of sparse blocks": Kind(_dask_sparse, extra="dask"),
    "Dask data frame": Kind(_dask_frame, extra="dask"),
}
PACKAGES = {"zarr": ("zarr",), "anndata": ("h5py",), "parquet": ("pyarrow", "pandas"), "dask": ("dask.array", "pandas")}
