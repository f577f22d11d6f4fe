"""The clock of a call: what it has cost, time and work booked to its parts, and when it has to end,
at its deadline or after Ctrl-C.

Decisions depend on a clock only if the user gave a time budget. A loop asks with ``heed`` whether
it may go on; a ``Stopped`` then ends it, and whoever holds the best point so far returns it.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from math import inf
from time import perf_counter, process_time
from types import FrameType
from typing import Any, TypeVar, cast

from orthoprox._arrays import inputs
from orthoprox.files.journal import CURRENT
from orthoprox.problems.work import Work
from orthoprox.stopping.parts import PARTS, Account, Part
from orthoprox.stopping.status import Status

T = TypeVar("T")

_GRACE, _MOMENT = 0.1, 0.1  # a call may be late by this share of its budget, and so many seconds


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
        self._accounts: dict[str, Account] = {}
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

    @property
    def at_work(self) -> tuple[str, float, int]:
        """The part that is at work, and the seconds and the gradients of the call so far."""
        return self._part, self.seconds(), self.work.gradients

    def remembered(self) -> dict[str, Any]:
        """Return all that is booked so far, as plain data."""
        self._book()
        accounts = {name: replace(account) for name, account in self._accounts.items()}
        return {"accounts": accounts, "left": dict(self.left), "work": replace(self.work)}

    def recall(self, before: dict[str, Any]) -> None:
        """Book on from there."""
        self._accounts = {name: replace(account) for name, account in before["accounts"].items()}
        self.left.update(before["left"])
        vars(self.work).update(vars(before["work"]))
        self._mark = perf_counter(), processor_time(), self.work.gradients
        self._begin = self._mark[0] - sum(account.seconds for account in self._accounts.values())

    def _book(self) -> None:
        """Book what was done since the last look to the part that is at work."""
        before, now = self._mark, (perf_counter(), processor_time(), self.work.gradients)
        account = self._accounts.setdefault(self._part, Account())
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


class Stopped(BaseException):
    """The time of a call, or of a part of it, is over, or Ctrl-C was pressed."""


class Deadline:
    """The end of a call: the end of its time budget, or Ctrl-C.

    Parameters
    ----------
    max_seconds : float, optional
        The time budget on the wall clock; it begins when this object is made. None means no end.
    ranks : optional
        Several processes that make the same call, all of which ask at the same places: the clock
        and the Ctrl-C of the first are those of all.
    """

    def __init__(self, max_seconds: Any = None, ranks: Any = None) -> None:
        self.ranks = ranks
        self.budget = inf if max_seconds is None else inputs.number(max_seconds, "max_seconds")
        self.interrupted = False  # whether Ctrl-C was pressed
        self._pressed = 0  # how often, as far as this object listens to it
        self._end = inf if max_seconds is None else self._now() + self.budget
        self._limit = self._end  # of the part that is at work
        self._reserve = 0.0  # seconds that the last measurement of a run is expected to take
        self._heeded, self._forced = True, False
        self._told = False  # whether a loop was told that its time is over
        self._calling = False  # whether a user's function is at work

    def left(self) -> float:
        """Return the seconds that are left; negative when it is over."""
        return inf if self._end == inf else self._end - self._now()

    @property
    def over(self) -> bool:
        """Whether the call has to end, or a part of it had to: it returns what it has, not what it
        would have found. Ranks know when they were told; nobody waits for another here.
        """
        late = self.ranks is None and perf_counter() >= self._end - self._reserve
        return self.interrupted or self._told or late

    @property
    def status(self) -> Status:
        """Why a run ends that is stopped now."""
        return Status.INTERRUPTED if self.interrupted else Status.TIME

    def heed(self) -> None:
        """Raise :class:`Stopped` if the call, or the part that is at work, has to end."""
        if self.ranks is not None and self.ranks.first(float(self._pressed)) > 0:
            self.interrupted = True
        if not self._heeded:
            late = inf if self._forced else self._end + _GRACE * self.budget + _MOMENT
        elif self.interrupted:
            raise Stopped
        else:
            late = self._limit - self._reserve
        if late < inf and self._now() >= late:
            self._told = True
            raise Stopped

    def shared(self, seconds: float) -> float:
        """Return a time that was measured, or that of the first of several processes."""
        return seconds if self.ranks is None else float(self.ranks.first(seconds))

    def _now(self) -> float:
        return self.shared(perf_counter())

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a user's function, which Ctrl-C ends at once. What it computes is no part of the
        journal of this call.
        """
        hidden = CURRENT.set(None)
        try:
            self._calling = self._heeded
            return function(*arguments)
        except KeyboardInterrupt as error:
            self.note(error)
            raise Stopped from None
        finally:
            self._calling = False
            CURRENT.reset(hidden)

    def note(self, error: BaseException) -> None:
        """Take note of what ended a loop; a second ``KeyboardInterrupt`` is raised again."""
        if isinstance(error, KeyboardInterrupt):
            if self._pressed > 1 or (self._pressed == 0 and self.interrupted):
                raise error
            self.interrupted = True

    @contextmanager
    def part(self, share: float = 1.0) -> Iterator[None]:
        """Let what is done within take at most this share of the time that is left. Where that is
        over or Ctrl-C is pressed, leave it quietly: the next part asks again.
        """
        around = self._limit
        if around < inf:
            now = self._now()
            self._limit = min(around, now + share * (around - now))
        try:
            yield
        except (Stopped, KeyboardInterrupt) as reason:
            self.note(reason)
        finally:
            self._limit = around

    @contextmanager
    def unheeded(self, *, forced: bool = False) -> Iterator[None]:
        """Let what is done within go on a little longer, for the last measurement of a run, or to
        its end if it is ``forced``.
        """
        around, self._heeded, self._forced = (self._heeded, self._forced), False, forced
        try:
            yield
        finally:
            self._heeded, self._forced = around

    @contextmanager
    def reserving(self, measuring: bool) -> Iterator[None]:
        """If a state is measured within, reserve the time that this takes for the last measurement
        of the run.
        """
        if self._end == inf or not measuring:
            yield
            return
        begin = self._now()
        yield
        self._reserve = max(self._reserve, self._now() - begin)

    def affords(self) -> bool:
        """Whether what is reserved can still be spent without much delay."""
        return self._reserve <= self.left() + _GRACE * self.budget + _MOMENT

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let the first Ctrl-C end the call at its next ``heed``, or within a user's function at
        once; a second one raises ``KeyboardInterrupt``.

        This is for the main thread of a program that has no handler of its own for Ctrl-C.
        Elsewhere ``KeyboardInterrupt`` is raised wherever it is.
        """
        with self._listening(), self.together("a call"):
            yield

    def together(self, what: str) -> AbstractContextManager[None]:
        """Return the block that all of several processes begin and end; what one of them raises
        there ends it on all.
        """
        return nullcontext() if self.ranks is None else cast(AbstractContextManager[None], self.ranks.together(what))

    @contextmanager
    def _listening(self) -> Iterator[None]:
        main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT) if main else None
        if handler not in (signal.default_int_handler, on_ctrl_c):
            yield
            return
        _LISTENING.append(self)
        try:
            signal.signal(signal.SIGINT, on_ctrl_c)
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            _LISTENING.remove(self)


_LISTENING: list[Deadline] = []  # the calls of the main thread that are under way, one within another


def on_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Tell the calls that are under way; raise within a user's function, or the second time."""
    for call in _LISTENING:
        call._pressed += 1
        call.interrupted = call.interrupted or call.ranks is None
    if any(call._pressed > 1 or call._calling for call in _LISTENING):
        raise KeyboardInterrupt
