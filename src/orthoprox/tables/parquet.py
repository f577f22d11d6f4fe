"""Parquet: tables by columns, with the types of these (``pip install "orthoprox[parquet]"``)."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arrow import floats, is_number
from orthoprox.tables.choice import unique
from orthoprox.tables.reader import ROWS, Block, Reader
from orthoprox.tables.table import counted, named, quoted

_PANDAS = "Column '__index_level_0__'"  # an index without a name


class Parquet(Reader):
    """A Parquet file; only the columns that are variables are read."""

    @cached_property
    def file(self) -> Any:
        """The file of pyarrow."""
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            needs = 'is a Parquet file, which needs pyarrow: pip install "orthoprox[parquet]".'
            raise ImportError(f"{self.source.label} {needs}") from error
        try:
            return pq.ParquetFile(self.source.file or self.source.open())
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{self.source.label} is damaged: {error}. Copy or write it again.") from error

    @cached_property
    def _all(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return unique(self.file.schema_arrow.names)

    @cached_property
    def _index(self) -> int | None:
        """The column of names: the one that is asked for, or the one that pandas wrote as such."""
        asked = self.choice.index_among(self._all[0])
        if asked is not None or self.choice.no_index:
            return asked
        told = (self.file.schema_arrow.pandas_metadata or {}).get("index_columns", [])
        names = [name for name in told if isinstance(name, str)]
        return self._all[0].index(names[0]) if len(names) == 1 and names[0] in self._all[0] else None

    @cached_property
    def _kinds(self) -> tuple[list[int], list[int]]:
        """The columns that are variables, and those that are left out as no numbers."""
        fields = self.file.schema_arrow.types
        wanted = [at for at in self.choice.variables(self._all[0]) if at != self._index]
        numbers = [at for at in wanted if is_number(fields[at])]
        others = [at for at in wanted if at not in numbers]
        if others and self.choice.columns:
            raise ValueError(f"--columns has {quoted(self._all[0][others[0]])}, which has the type {fields[others[0]]}.")
        if not numbers:
            raise ValueError(f"{self.source.label} has no column of numbers among {named(self._all[0])}.")
        return numbers, others

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._all[0][at] for at in self._kinds[0])

    @property
    def notes(self) -> tuple[str, ...]:
        names, notes = self._all
        others = self._kinds[1]
        if self._index is not None:
            notes += (f"Column {quoted(names[self._index])} names the rows.".replace(_PANDAS, "The index"),)
        if others:
            told = named(names[at] for at in others)
            notes += (f"{counted(len(others), 'column')} without numbers left out: {told}.",)
        return notes

    @property
    def size(self) -> int:
        return 8 * int(self.file.metadata.num_rows) * len(self.names)

    @property
    def stored(self) -> list[str]:
        """The variables by their names in the file."""
        return [self.file.schema_arrow.names[at] for at in self._kinds[0]]

    def blocks(self, rows: int = ROWS) -> Iterator[Block]:
        numbers = self._kinds[0]
        places = sorted({*numbers, *([] if self._index is None else [self._index])})
        stored = [self.file.schema_arrow.names[at] for at in places]
        for batch in self.file.iter_batches(inputs.integer(rows, "rows"), columns=stored):
            columns = {at: batch.column(place) for place, at in enumerate(places)}
            values = np.stack([floats(columns[at]) for at in numbers], axis=1)
            labels = None if self._index is None else tuple(map(str, columns[self._index].to_pylist()))
            yield Block(values, labels)
