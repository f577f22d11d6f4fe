"""Processes of MPI that do the same, each with its own rows (``pip install "orthoprox[mpi]"``).

All ranks take the same steps in the same order. Before they exchange anything they meet: one small
sum over all ranks tells each of them whether all are there for the same reason, at the same X. If
they are not, every rank raises a :class:`RankError` that says what each was about to do; none waits
for another that will not come.
"""

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import numpy as np

from orthoprox._arrays.words import shown
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]
_BITS = 0xFFFFFF  # of a checksum: the squares of all ranks add up without overflow
_SIZES = "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"  # what starters of processes set


class RankError(RuntimeError):
    """The ranks disagree, or one of them has failed; it is raised on every rank."""


class Ranks:
    """The processes of a communicator of mpi4py."""

    def __init__(self, comm: Any) -> None:
        if not all(hasattr(comm, name) for name in ("Allreduce", "allgather", "bcast", "rank", "size")):
            raise TypeError(f"comm is {shown(comm)}; it needs a communicator such as mpi4py.MPI.COMM_WORLD.")
        self.comm, self.rank, self.size = comm, int(comm.rank), int(comm.size)

    def meet(self, what: str, about: Any = b"", number: float = 0.0) -> float:
        """Return the number of rank 0, once all ranks are here for the same reason."""
        kind, digest = zlib.crc32(what.encode()) & _BITS, zlib.crc32(about) & _BITS
        first = np.float64(number).view(np.int64) if self.rank == 0 else 0
        mine, sums = np.array([kind, kind**2, digest, digest**2, first], np.int64), np.empty(5, np.int64)
        self.comm.Allreduce(mine, sums)
        total = [int(value) for value in sums]
        same_kind = self.size * total[1] == total[0] ** 2  # in Cauchy's inequality all are equal
        if not (same_kind and self.size * total[3] == total[2] ** 2):
            self._disagree(what, same_kind)
        return float(sums[4:].view(np.float64)[0])

    def first(self, value: float) -> float:
        """Return the number of rank 0."""
        return self.meet("agrees on a number", number=value)

    def first_of(self, value: Any) -> Any:
        """Return the object of rank 0, which can be pickled."""
        self.meet("agrees on a start")
        return self.comm.bcast(value, root=0)

    def sum(self, what: str, X: Matrix, compute: Callable[[], Matrix]) -> Matrix:
        """Return the sum over the ranks of what each computes at the same X, an array of the same
        shape; if some fail, all raise.
        """
        self.meet(what, np.ascontiguousarray(X).view(np.uint8).data if X.size else b"")
        failure: Exception | None = None
        try:
            found = np.ascontiguousarray(compute(), dtype=np.float64)
        except Exception as error:  # of this rank; the others wait for it
            failure, found = error, np.zeros(0)
        sizes = np.empty(2, np.int64)
        self.comm.Allreduce(np.array([failure is not None, found.size], np.int64), sizes)
        if int(sizes[0]):
            self._fail(failure)
        if int(sizes[1]) != self.size * found.size:
            self._disagree(f"{what} with {found.size} numbers", False)
        total = np.empty_like(found)
        self.comm.Allreduce(found, total)
        return total

    def agreed(self, error: Exception | None) -> None:
        """Raise the error of this rank, or one that tells of that of another, if any rank has
        one.
        """
        self.meet("has read its rows")
        if any(self.comm.allgather(error is not None)):
            self._fail(error)

    def merged(self, moments: Moments) -> Moments:
        """Return the moments of the rows of all ranks; meanwhile each has three m x m matrices."""
        self.meet(f"merges the moments of {moments.m} columns")
        known = self.comm.allgather((moments.count, moments.mean))
        count = sum(number for number, _ in known)
        origin = known[0][1]
        mean = origin + sum(number * (own - origin) for number, own in known) / count
        scatter = moments.gram(mean) if moments.cross else moments.squares + moments.count * (moments.mean - mean) ** 2
        total = np.empty_like(scatter)
        self.comm.Allreduce(scatter, total)
        return Moments(moments.m, cross=moments.cross, count=count, mean=mean, scatter=total)

    @contextmanager
    def together(self, what: str) -> Iterator[None]:
        """Let all ranks begin and end what is done within, or none: if it raises on one rank, the
        others raise where they meet next.
        """
        self.meet(f"begins {what}")
        try:
            yield
        except RankError:
            raise
        except Exception as error:
            with suppress(RankError):  # the others know
                self.meet(f"fails in {what} with {type(error).__name__}: {error}")
            raise
        self.meet(f"ends {what}")

    def _disagree(self, what: str, same_kind: bool) -> NoReturn:
        told = self.comm.allgather(what)
        if same_kind:
            raise RankError(
                f"The ranks disagree: each {what}, but at different points. They need the same start, seed, parameters and "
                "versions of NumPy, on processors of one kind."
            )
        doings = ", ".join(f"rank {rank} {text}" for rank, text in enumerate(told[:8]))
        raise RankError(f"The ranks disagree: {doings}. They need the same calls with the same parameters.")

    def _fail(self, error: Exception | None) -> NoReturn:
        """Raise on every rank, since some have failed: what each has raised, if all have."""
        told = self.comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
        if error is not None and None not in told:
            raise error
        failures = "; ".join(f"rank {rank}: {text}" for rank, text in enumerate(told) if text is not None)
        raise RankError(f"Not all ranks could go on. {failures}") from error


def world() -> Ranks | None:
    """Return the processes that mpirun started with this one; None if it was started alone."""
    if not any(os.environ.get(name, "1") not in ("", "1") for name in _SIZES):
        return None
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError('This runs on several ranks, which needs mpi4py: pip install "orthoprox[mpi]".') from error
    ranks = Ranks(MPI.COMM_WORLD)
    return ranks if ranks.size > 1 else None
