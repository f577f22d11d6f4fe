"""Rows of several sources, one after the other."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from orthoprox.streams.blocks import Blocks


class Chained(Blocks):
    """The rows of the parts, which have the same columns; raise where one has another number."""

    def __init__(self, parts: Sequence[Blocks], label: str = "A", names: tuple[str, ...] | None = None) -> None:
        self.parts, self.label, self.names = list(parts), label, names
        for part in self.parts[1:]:
            if part.columns != self.columns:
                first = f"{self.parts[0].label} has {self.columns}"
                raise ValueError(f"{part.label} has {part.columns} columns, {first}; all parts need the same.")

    @property
    def shape(self) -> tuple[int, int]:
        return sum(part.shape[0] for part in self.parts), self.columns

    @property
    def columns(self) -> int:
        return self.parts[0].columns

    @property
    def dtype(self) -> Any:
        return np.result_type(*(part.dtype for part in self.parts))

    def read(self) -> Iterator[Any]:
        for part in self.parts:
            yield from part.read()
