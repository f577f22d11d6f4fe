"""Rows of which each rank of MPI has its own: rank 0 asks, all ranks compute, rank 0 gets the sum.

Only rank 0 decides anything. The others serve: they wait for a function of a block, apply it to
their blocks, and send back what their pass gives.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any

from orthoprox.streams.blocks import Blocks, stacked
from orthoprox.streams.moments import Moments
from orthoprox.streams.ranks import RankError, Ranks

_END = None  # what rank 0 sends when it needs the others no more
_PAUSE = 1e-3  # seconds between looks for a message


class Served(Blocks):
    """The rows of all ranks, as rank 0 sees them."""

    def __init__(self, own: Blocks, ranks: Ranks, moments: Moments) -> None:
        self.own, self.ranks, self.known = own, ranks, moments
        self.label, self.names = own.label, own.names

    @property
    def shape(self) -> tuple[int, int]:
        return self.known.count if self.known is not None else 0, self.own.columns

    @property
    def columns(self) -> int:
        return self.own.columns

    @property
    def dtype(self) -> Any:
        return self.own.dtype

    def read(self) -> Iterator[Any]:
        raise NotImplementedError("The rows of other ranks are not read here.")

    def _moments(self, cross: bool) -> Moments:
        raise ValueError(f"{self.label} has no products of its {self.columns} columns, which the ranks did not form.")

    def forget(self) -> None:
        pass  # the moments cannot be found again

    def total(self, function: Callable[[Any, int], Any]) -> Any:
        first, *others = self._asked("total", function)
        for other in others:
            first += other
        return first

    def joined(self, function: Callable[[Any, int], Any]) -> Any:
        return stacked(self._asked("joined", function))

    def _asked(self, name: str, function: Callable[[Any, int], Any]) -> list[Any]:
        _told(self.ranks, (name, function))
        with self.own.watched(self.seen):
            parts = self.ranks.comm.gather(_result(self.own, name, function), root=0)
        failures = [f"rank {rank}: {part}" for rank, (failed, part) in enumerate(parts) if failed]
        if failures:
            raise RankError(f"Not all ranks could go on. {'; '.join(failures)}")
        return [part for _, part in parts]


@contextmanager
def serving(ranks: Ranks) -> Iterator[None]:
    """Let the other ranks serve as long as this lasts, on rank 0."""
    told = "Rank 0 was ended."
    try:
        yield
        told = ""
    except Exception as error:
        told = f"Rank 0 has failed: {type(error).__name__}: {error}"
        raise
    finally:
        _told(ranks, (_END, told))


def serve(own: Blocks, ranks: Ranks) -> None:
    """Compute what rank 0 asks for, until it needs nothing more; raise if it has failed."""
    while True:
        while not ranks.comm.iprobe(source=0):
            sleep(_PAUSE)  # a waiting receive would keep a core busy
        name, function = ranks.comm.recv(source=0)
        if name is _END:
            if function:
                raise RankError(function)
            return
        ranks.comm.gather(_result(own, name, function), root=0)


def _told(ranks: Ranks, message: Any) -> None:
    for rank in range(1, ranks.size):
        ranks.comm.send(message, dest=rank)


def _result(own: Blocks, name: str, function: Callable[[Any, int], Any]) -> tuple[bool, Any]:
    """Return whether a pass has failed, and what it gives or what is wrong."""
    try:
        return False, getattr(own, name)(function)
    except Exception as error:
        return True, f"{type(error).__name__}: {error}"
