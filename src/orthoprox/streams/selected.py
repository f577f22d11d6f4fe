"""Some columns of rows that come in blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox.streams.blocks import Blocks
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]


class Selected(Blocks):
    """The chosen columns of other blocks, in their order; what is known of these is kept."""

    def __init__(self, blocks: Blocks, chosen: Matrix, names: tuple[str, ...] | None = None) -> None:
        self.whole, self.chosen = blocks, np.asarray(chosen, dtype=int)
        if len(self.chosen) == 0:
            raise ValueError(f"{blocks.label} has no column that is chosen; choose at least one.")
        self.label, self.names = blocks.label, names
        if blocks.known is not None:
            self.known = _of_columns(blocks.known, self.chosen)

    @property
    def shape(self) -> tuple[int, int]:
        return self.whole.shape[0], len(self.chosen)

    @property
    def columns(self) -> int:
        return len(self.chosen)

    @property
    def dtype(self) -> Any:
        return self.whole.dtype

    @property
    def once(self) -> bool:
        return self.whole.once

    def rows_in_all(self) -> int | None:
        return self.whole.rows_in_all()

    def total(self, function: Callable[[Any, int], Any]) -> Any:
        with self.whole.watched(self.seen):
            return self.whole.total(_OnColumns(function, self.chosen))

    def joined(self, function: Callable[[Any, int], Matrix]) -> Matrix:
        with self.whole.watched(self.seen):
            return self.whole.joined(_OnColumns(function, self.chosen))

    def _moments(self, cross: bool) -> Moments:
        with self.whole.watched(self.seen):
            return _of_columns(self.whole.moments(cross=cross), self.chosen)

    def read(self) -> Iterator[Any]:
        for block in self.whole.read():
            yield (sp.csr_array(block) if sp.issparse(block) else np.asarray(block))[:, self.chosen]


@dataclass(frozen=True)
class _OnColumns:
    """A function of some columns of a block."""

    function: Callable[[Any, int], Any]
    chosen: Matrix

    def __call__(self, block: Any, start: int) -> Any:
        return self.function(block[:, self.chosen], start)


def _of_columns(moments: Moments, chosen: Matrix) -> Moments:
    scatter = moments.scatter[np.ix_(chosen, chosen)] if moments.cross else moments.scatter[chosen]
    return Moments(len(chosen), cross=moments.cross, count=moments.count, mean=moments.mean[chosen], scatter=scatter)
