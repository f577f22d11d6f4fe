"""Rows of Parquet files by their row groups (``pip install "orthoprox[parquet]"``)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from orthoprox._arrays.arrow import floats, is_number
from orthoprox.streams import blocks
from orthoprox.streams.blocks import Blocks


class RowGroups(Blocks):
    """Columns of numbers of a ``pyarrow.parquet.ParquetFile``.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
    label : str
        What messages call it.
    columns : sequence of str, optional
        The columns by name; by default all, which need to be numbers.
    groups : sequence of int, optional
        The row groups to read; all by default.
    """

    def __init__(
        self, file: Any, label: str = "A", *, columns: Sequence[str] | None = None, groups: Sequence[int] | None = None
    ) -> None:
        self.file, self.label = file, label
        self.stored = list(file.schema_arrow.names if columns is None else columns)
        self.names = tuple(self.stored)
        types = {name: file.schema_arrow.field(name).type for name in self.stored}
        text = [name for name, kind in types.items() if not is_number(kind)]
        if text:
            raise ValueError(f"{label} has the column {text[0]!r} of type {types[text[0]]}; it needs columns of numbers.")
        self.groups = list(range(file.num_row_groups) if groups is None else groups)
        self._rows = sum(file.metadata.row_group(group).num_rows for group in self.groups)
        single = all(str(kind) in ("float", "halffloat") for kind in types.values())
        self._dtype = np.dtype(np.float32 if single else np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows, len(self.stored)

    @property
    def dtype(self) -> Any:
        return self._dtype

    def read(self) -> Iterator[Any]:
        step = max(1, blocks.BLOCK_BYTES // (8 * max(1, self.columns)))
        for batch in self.file.iter_batches(step, row_groups=self.groups, columns=self.stored):
            if batch.num_rows:
                yield np.stack([floats(batch.column(name), self._dtype) for name in self.stored], axis=1)
