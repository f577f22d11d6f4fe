"""When a call has to end: its deadline, and Ctrl-C.

Decisions depend on a clock only if the user gave a time budget. A loop asks with ``heed`` whether
it may go on; a ``Stopped`` then ends it, and whoever holds the best point so far returns it.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import perf_counter
from types import FrameType
from typing import Any, TypeVar

from orthoprox._arrays import inputs
from orthoprox.stopping.status import Status

T = TypeVar("T")

_GRACE, _MOMENT = 0.1, 0.1  # a call may be late by this share of its budget, and so many seconds


class Stopped(BaseException):
    """The time of a call, or of a part of it, is over, or Ctrl-C was pressed."""


class Deadline:
    """The end of a call: the end of its time budget, or Ctrl-C.

    Parameters
    ----------
    max_seconds : float, optional
        The time budget on the wall clock; it begins when this object is made. None means no end.
    """

    def __init__(self, max_seconds: Any = None) -> None:
        self.budget = inf if max_seconds is None else inputs.number(max_seconds, "max_seconds")
        self.interrupted = False  # whether Ctrl-C was pressed
        self._pressed = 0  # how often, as far as this object listens to it
        self._end = inf if max_seconds is None else perf_counter() + self.budget
        self._limit = self._end  # of the part that is at work
        self._reserve = 0.0  # seconds that the last measurement of a run is expected to take
        self._heeded, self._forced = True, False
        self._calling = False  # whether a user's function is at work

    def left(self) -> float:
        """Return the seconds that are left; negative when it is over."""
        return inf if self._end == inf else self._end - perf_counter()

    @property
    def status(self) -> Status:
        """Why a run ends that is stopped now."""
        return Status.INTERRUPTED if self.interrupted else Status.TIME

    def heed(self) -> None:
        """Raise :class:`Stopped` if the call, or the part that is at work, has to end."""
        if not self._heeded:
            late = inf if self._forced else self._end + _GRACE * self.budget + _MOMENT
        elif self.interrupted:
            raise Stopped
        else:
            late = self._limit - self._reserve
        if late < inf and perf_counter() >= late:
            raise Stopped

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a user's function, which Ctrl-C ends at once."""
        try:
            self._calling = self._heeded
            return function(*arguments)
        except KeyboardInterrupt as error:
            self.note(error)
            raise Stopped from None
        finally:
            self._calling = False

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
            now = perf_counter()
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
        begin = perf_counter()
        yield
        self._reserve = max(self._reserve, perf_counter() - begin)

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
        call.interrupted = True
    if any(call._pressed > 1 or call._calling for call in _LISTENING):
        raise KeyboardInterrupt
