"""The rows of a table in blocks, which are read when they are needed: of all, or of the part of one
process of several.
"""

from typing import Any

import numpy as np

from orthoprox.streams.blocks import Blocks
from orthoprox.streams.chained import Chained
from orthoprox.streams.iterated import Iterated
from orthoprox.streams.parquet import RowGroups
from orthoprox.streams.selected import Selected
from orthoprox.streams.sliced import Sliced
from orthoprox.tables.choice import Choice
from orthoprox.tables.formats import reader
from orthoprox.tables.parquet import Parquet
from orthoprox.tables.parts import Parts
from orthoprox.tables.reader import MatrixReader, Reader
from orthoprox.tables.table import counted

Part = tuple[int, int]  # number k of so many parts
_WHOLE: Part = (0, 1)


def row_blocks(table: Any, choice: Choice | None = None, *, part: Part = _WHOLE) -> Blocks:
    """Return the rows of a table in blocks, for ``Variance`` and ``SparsePCA.fit``.

    Parameters
    ----------
    table : str, os.PathLike or Reader
        The file or folder, as ``reader`` takes it.
    choice : Choice, optional
        Columns by name, and what else is not to be guessed.
    part : tuple of two ints
        (k, n) for the rows of part k of n, counted from 0, as processes share a table. Rows of
        text, and of formats that are read as a whole, have no parts.
    """
    given = table if isinstance(table, Reader) else reader(table, choice)
    if isinstance(given, Parts):
        return _of_parts(given, part)
    if isinstance(given, Parquet):
        return _of_groups(given, part)
    if isinstance(given, MatrixReader) and given.on_disk:
        return _of_slices(given, part)
    if part != _WHOLE:
        raise ValueError(
            f"{given.source.label} is {given.kind}, of which no process can find its own rows without reading all before "
            "them; save it as npy, zarr, parquet or h5ad."
        )
    return _as(Iterated(lambda: (block.values for block in given.blocks()), given.source.label), given)


def _as(rows: Blocks, table: Reader) -> Blocks:
    rows.names = table.names
    return rows


def _of_slices(table: MatrixReader, part: Part) -> Blocks:
    (number, parts), values = part, table.matrix.values
    first, last = (values.shape[0] * end // parts for end in (number, number + 1))
    if values.shape[0] < parts:
        raise ValueError(f"{table.source.label} has {counted(values.shape[0], 'row')}, too few for {parts} processes.")
    rows = Sliced(values, table.source.label, first=first, last=last)
    return _as(rows if isinstance(table.chosen, slice) else Selected(rows, table.chosen), table)


def _of_groups(table: Parquet, part: Part) -> Blocks:
    (number, parts), groups = part, table.file.num_row_groups
    if groups < parts:
        raise ValueError(
            f"{table.source.label} has {counted(groups, 'row group')}, too few for {parts} processes; start fewer, or write "
            "it with smaller row groups."
        )
    mine = np.array_split(np.arange(groups), parts)[number].tolist()
    return _as(RowGroups(table.file, table.source.label, columns=table.stored, groups=mine), table)


def _of_parts(table: Parts, part: Part) -> Blocks:
    (number, parts), readers = part, table.readers
    if len(readers) < parts:
        raise ValueError(f"{table.source.label} has {counted(len(readers), 'file')}, too few for {parts} processes.")
    mine = [row_blocks(readers[at]) for at in np.array_split(np.arange(len(readers)), parts)[number]]
    return Chained(mine, table.source.label, table.names)
