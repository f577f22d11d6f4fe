"""Rows of Dask's arrays and data frames: passes are tree reductions on the user's scheduler
(``pip install "orthoprox[dask]"``).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from orthoprox.streams.accumulation import Accumulation
from orthoprox.streams.blocks import Blocks, check_dtype, checked, stacked
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]
_FAN = 8  # results that are merged at a time
Meeting = Callable[[Sequence[Any]], Any]  # merges results


class DaskBlocks(Blocks):
    """The rows of a ``dask.array`` of two dimensions, its blocks dense or sparse, or of a Dask data
    frame of numbers.

    Each chunk of rows is checked and reduced where it is; nothing but the sums comes back. The
    scheduler is the user's: a ``distributed`` client if there is one.
    """

    def __init__(self, source: Any, label: str = "A") -> None:
        self.label = label
        if hasattr(source, "columns"):
            self.names = tuple(map(str, source.columns))
            self._dtype = np.result_type(*(np.dtype(kind) for kind in source.dtypes)) if len(self.names) else np.dtype("O")
            self._check(len(self.names), self._dtype)
            self._parts, self._sizes = [part.to_numpy() for part in source.to_delayed()], None
            self._columns = len(self.names)
        else:
            if source.ndim != 2:
                raise ValueError(f"{label} has {source.ndim} dimension(s), shape {source.shape}; it needs two.")
            if any(np.isnan(size) for sizes in source.chunks for size in sizes):
                raise ValueError(f"{label} has chunks of unknown size; call {label}.compute_chunk_sizes() first.")
            self._columns, self._dtype = int(source.shape[1]), np.dtype(source.dtype)
            self._check(min(source.shape), self._dtype)
            whole = source.rechunk({1: -1})  # whole rows
            self._parts = list(whole.to_delayed().ravel())
            self._sizes = list(map(int, whole.chunks[0]))

    def _check(self, size: int, dtype: Any) -> None:
        if size == 0:
            raise ValueError(f"{self.label} is empty; it needs at least one row and one column.")
        check_dtype(dtype, self.label)

    @property
    def columns(self) -> int:
        return self._columns

    @property
    def shape(self) -> tuple[int, int]:
        return sum(self._known_sizes()) if self.known is None else self.known.count, self._columns

    @property
    def dtype(self) -> Any:
        return self._dtype if self._dtype == np.float32 else np.dtype(np.float64)

    def read(self) -> Iterator[Any]:
        for part in self._parts:
            yield _dask().compute(part)[0]

    def _moments(self, cross: bool) -> Moments:
        found: Moments = self._reduced(partial(_moments_of, cross=cross), _merged, self._sizes)
        return found

    def total(self, function: Callable[[Any, int], Any]) -> Any:
        return self._reduced(function, sum, self._known_sizes())

    def joined(self, function: Callable[[Any, int], Matrix]) -> Matrix:
        found: Matrix = self._reduced(function, stacked, self._sizes)
        return found

    def rows_in_all(self) -> int | None:
        return self.known.count if self.known is not None else None if self._sizes is None else sum(self._sizes)

    def _known_sizes(self) -> list[int]:
        """Return the numbers of rows of the parts; those of a data frame are counted once."""
        if self._sizes is None:
            self._sizes = [int(size) for size in _dask().compute(*[_dask().delayed(len)(part) for part in self._parts])]
        return self._sizes

    def _reduced(self, function: Callable[[Any, int], Any], merge: Meeting, sizes: list[int] | None) -> Any:
        """Return what a tree of merges makes of the blocks, each of which becomes something
        smaller. Without the sizes all blocks count their rows from 0.
        """
        starts = [0] * len(self._parts) if sizes is None else np.cumsum([0, *sizes[:-1]]).tolist()
        one, some = (_dask().delayed(step, pure=False) for step in (_reduce_one, _merge_some))
        shared = _dask().delayed(function, pure=False)  # one object of the graph, not one for each block
        level = [
            one(part, shared, (f"{self.label}, block {number}", self._columns, start))
            for number, (part, start) in enumerate(zip(self._parts, starts, strict=True))
        ]
        while len(level) > 1:
            level = [some(merge, level[i : i + _FAN]) for i in range(0, len(level), _FAN)]
        try:
            found = _dask().compute(level[0])[0]
        except (ValueError, TypeError, MemoryError):
            raise
        except Exception as error:
            raise OSError(f"{self.label} could not be computed by Dask: {type(error).__name__}: {error}") from error
        if found is None:
            raise ValueError(f"{self.label} has no rows; it needs at least one.")
        if self.seen is not None and sizes is not None:
            self.seen(sum(sizes), sum(sizes))
        return found


def _dask() -> Any:
    import dask

    return dask


def _reduce_one(block: Any, function: Callable[[Any, int], Any], about: tuple[str, int, int]) -> Any:
    name, m, start = about
    return function(checked(block, name, m, start), start) if block.shape[0] else None


def _merge_some(merge: Meeting, some: Sequence[Any]) -> Any:
    found = [each for each in some if each is not None]
    return merge(found) if found else None


def _moments_of(block: Any, start: int, cross: bool) -> Moments:
    sums = Accumulation(block.shape[1], cross=cross)
    sums.add(block)
    return Moments.of(sums)


def _merged(some: Sequence[Moments]) -> Moments:
    first, *others = some
    for other in others:
        first = first.merge(other)
    return first
