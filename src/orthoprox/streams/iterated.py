"""Rows that an iterator gives, block by block."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from orthoprox._arrays.words import shown
from orthoprox.streams.blocks import Blocks, array_of, checked


class Iterated(Blocks):
    """The blocks of an iterator, which come once, or of a function that returns a new iterator each
    time it is called.

    The first block tells the number of columns; the number of rows is known after a pass.
    """

    def __init__(self, source: Any, label: str = "A") -> None:
        self.label = label
        self._source: Callable[[], Any] | None = source if callable(source) else None
        self._coming: Iterator[Any] | None = self._begun() if callable(source) else iter(source)
        first = next(self._coming, None)
        if first is None:
            raise ValueError(f"{label} is an iterator without a block; it needs at least one block of rows.")
        first = first if hasattr(first, "shape") else array_of(first, f"{label}, block 0")
        if len(first.shape) != 2:
            raise ValueError(f"{label}, block 0 has shape {tuple(first.shape)}; it needs two dimensions.")
        self._columns = int(first.shape[1])
        first = checked(first, f"{label}, block 0", self._columns, 0)
        self._dtype, self._coming = first.dtype, chain([first], self._coming)

    @property
    def columns(self) -> int:
        return self._columns

    @property
    def shape(self) -> tuple[int, int]:
        if self.known is None:
            self.moments(cross=False)
        return self.known.count, self._columns  # type: ignore[union-attr]

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def once(self) -> bool:
        return self._source is None

    def read(self) -> Iterator[Any]:
        if self._coming is not None:
            rows, self._coming = self._coming, None
            return rows
        if self._source is None:
            raise ValueError(
                f"{self.label} is an iterator whose rows have been read, and they are needed again; "
                "give a function that returns a new iterator each time."
            )
        return self._begun()

    def _begun(self) -> Iterator[Any]:
        rows = self._source() if self._source is not None else None
        if not hasattr(rows, "__iter__"):
            raise TypeError(f"{self.label} is a function that returned {shown(rows)}; it needs an iterator of row blocks.")
        return iter(rows)  # type: ignore[arg-type]

    def rows_in_all(self) -> int | None:
        return None if self.known is None else self.known.count
