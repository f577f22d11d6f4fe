"""The registry of readers. What a file is, its first bytes tell; text is a table of cells."""

import os
from typing import Any

from orthoprox.tables.annotated import H5ad
from orthoprox.tables.arrays import Npy, Npz
from orthoprox.tables.choice import Choice
from orthoprox.tables.delimited import Delimited
from orthoprox.tables.market import Mtx
from orthoprox.tables.parquet import Parquet
from orthoprox.tables.parts import Parts, files_in
from orthoprox.tables.reader import Reader
from orthoprox.tables.source import Folder, Source
from orthoprox.tables.store import Zarr, is_store

READERS: dict[bytes, type[Reader]] = {  # by the first bytes of a file
    b"\x93NUMPY": Npy,
    b"PK\x03\x04": Npz,
    b"%%MatrixMarket": Mtx,
    b"PAR1": Parquet,
    b"\x89HDF": H5ad,
}


def reader(path: Any, choice: Choice | None = None) -> Reader:
    """Return the reader of a table: csv, tsv, npy, npz, mtx, parquet or h5ad, and these with gzip;
    a store of zarr; a folder of parquet, npy or h5ad files.

    Parameters
    ----------
    path : str or os.PathLike
        The file or folder, or "-" for standard input.
    choice : Choice, optional
        Columns by name, and what else is not to be guessed.
    """
    if os.path.isdir(path) and is_store(path):
        return Zarr(Folder(path), choice)
    if os.path.isdir(path) and files_in(path):
        return Parts(Folder(path), choice, reader)
    source = Source(path)
    kind = next((kind for start, kind in READERS.items() if source.start.startswith(start)), Delimited)
    return kind(source, choice)
