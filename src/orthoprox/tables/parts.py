"""A folder of files whose rows belong together, as Dask and Spark write tables."""

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from orthoprox.tables.choice import Choice
from orthoprox.tables.reader import ROWS, Block, Reader
from orthoprox.tables.source import Folder
from orthoprox.tables.table import counted

_SUFFIXES = ".parquet", ".npy", ".h5ad"


def files_in(path: Any) -> list[Path]:
    """Return the files of a folder that are parts of a table, all of the same kind, in order."""
    inside = sorted(entry for entry in Path(path).iterdir() if entry.suffix in _SUFFIXES)
    return inside if len({entry.suffix for entry in inside}) == 1 else []


class Parts(Reader):
    """The rows of all files of a folder; they need the same columns."""

    def __init__(self, source: Folder, choice: Choice | None, open_part: Callable[[Any, Choice | None], Reader]) -> None:
        super().__init__(source, choice)
        self._open = open_part

    @cached_property
    def readers(self) -> list[Reader]:
        """The readers of the files, checked."""
        found = [self._open(str(path), self.choice) for path in files_in(self.source.path)]
        first = found[0]
        for other in found[1:]:
            if len(other.names) != len(first.names):
                raise ValueError(
                    f"{other.source.label} has {counted(len(other.names), 'column')}, {first.source.label} has "
                    f"{len(first.names)}; all files of the folder need the same."
                )
            if other.names != first.names:
                name = next(name for name, mine in zip(other.names, first.names, strict=True) if name != mine)
                raise ValueError(f"{other.source.label} has the column {name!r}, which {first.source.label} has not there.")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return self.readers[0].names

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"{counted(len(self.readers), 'file')} of the folder are one table.", *self.readers[0].notes)

    @property
    def size(self) -> int:
        return sum(reader.size for reader in self.readers)

    def blocks(self, rows: int = ROWS) -> Iterator[Block]:
        for reader in self.readers:
            yield from reader.blocks(rows)
