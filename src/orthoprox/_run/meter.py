"""What a call costs: time and work, booked to its parts."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import Any

from orthoprox.problems.work import Work

PARTS = "start", "run", "lower minima", "polish", "certificate"


@dataclass(frozen=True)
class Part:
    """What one part of a call took, and the objective it left."""

    name: str  # one of PARTS
    seconds: float  # wall time
    gradients: int
    objective: float  # f at the feasible point that the part left; NaN if it left none


def united(parts: Sequence[Part], others: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of two calls together, with the objectives that the first has left."""
    known = {part.name: part for part in others} | {part.name: part for part in parts}
    both = (*parts, *others)

    def total(name: str) -> Part:
        mine = [part for part in both if part.name == name]
        return replace(known[name], seconds=sum(part.seconds for part in mine), gradients=sum(part.gradients for part in mine))

    return tuple(total(name) for name in PARTS if name in known)


@dataclass
class _Account:
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    gradients: int = 0


class Meter:
    """Books the time and the work of a call to the part that is at work, one at a time.

    ``with meter.part(name)`` books to another part for a while; the one around it pauses, so that
    the parts add up to the whole. What is done outside of any part is booked to the first one.
    "run" is the method alone, its steps and what its stopping rule reads. Measurements, callbacks
    and the last certificate are "certificate". "lower minima" has everything that is done to find
    them, the runs included. For runs in other processes, "run" is the wall time that they take
    together, their processor time, and all their work.
    """

    def __init__(self, part: str, work: Work | None = None) -> None:
        self.work = Work() if work is None else work  # the work that is counted so far
        self.left: dict[str, float] = {}  # the objective that each part has left
        self._accounts: dict[str, _Account] = {}
        self._part = part
        self._mark = perf_counter(), processor_time(), self.work.gradients
        self._begin = self._mark[0]

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Book what is done within to this part."""
        self._book()
        around, self._part = self._part, name
        try:
            yield
        finally:
            self._book()
            self._part = around

    def seconds(self, part: str | None = None) -> float:
        """Return the wall time so far, of one part or of all."""
        now = perf_counter()
        if part is None:
            return now - self._begin
        booked = self._accounts[part].seconds if part in self._accounts else 0.0
        return booked + (now - self._mark[0] if part == self._part else 0.0)

    def cpu_seconds(self, part: str) -> float:
        """Return the processor time of one part so far, summed over all threads."""
        booked = self._accounts[part].cpu_seconds if part in self._accounts else 0.0
        return booked + (processor_time() - self._mark[1] if part == self._part else 0.0)

    def totals(self) -> dict[str, Any]:
        """Return the fields of a result that speak of the whole call. The parts add up to it."""
        self._book()
        accounts = {name: self._accounts[name] for name in PARTS if name in self._accounts}
        rows = [
            Part(name, account.seconds, account.gradients, self.left.get(name, float("nan")))
            for name, account in accounts.items()
        ]
        return {
            "seconds": sum(row.seconds for row in rows),
            "cpu_seconds": sum(account.cpu_seconds for account in accounts.values()),
            "work": replace(self.work),
            "phases": tuple(rows),
        }

    def _book(self) -> None:
        """Book what was done since the last look to the part that is at work."""
        before, now = self._mark, (perf_counter(), processor_time(), self.work.gradients)
        account = self._accounts.setdefault(self._part, _Account())
        account.seconds += now[0] - before[0]
        account.cpu_seconds += now[1] - before[1]
        account.gradients += now[2] - before[2]
        self._mark = now


def processor_time() -> float:
    """Return the time of all threads of this process, and of the processes it started that have
    ended.
    """
    ended = os.times()
    return process_time() + ended.children_user + ended.children_system
