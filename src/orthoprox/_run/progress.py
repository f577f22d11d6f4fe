"""Progress of a call: on standard error, one live line with rich and plain lines without it; and a
line a minute in the log.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from math import inf, log
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import Any

from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import Snapshot

LOG = logging.getLogger("orthoprox")
LOG.addHandler(logging.NullHandler())  # silent, unless the program that uses the library listens
_MINUTE = 60.0  # seconds between two lines of the log


@contextmanager
def logged(meter: Meter, deadline: Deadline) -> Iterator[None]:
    """Write a line a minute about the call to the log, as long as the block lasts."""
    ended = Event()

    def write() -> None:
        while not ended.wait(_MINUTE):
            LOG.info("%s", told(meter, deadline))

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def told(meter: Meter, deadline: Deadline) -> str:
    """Return where a call is: the part at work, its time and its work, and the time left if there
    is an end.
    """
    part, seconds, gradients = meter.at_work
    left = "" if deadline.budget == inf else f", at most {max(deadline.left(), 0.0):.0f} s left"
    return f"{part}: {seconds:.0f} s, {gradients:,} gradients{left}"


class Progress:
    """A callback that shows the run on standard error, for use in a ``with`` block.

    With rich (``pip install "orthoprox[progress]"``) there is one live line; without it, a line at
    each scheduled measurement. Runs that begin within the block show themselves on the same line.

    Parameters
    ----------
    then : callable, optional
        What to call with each snapshot besides.
    phase : str
        What the line begins with, if anything; the time is that of the block then.
    transient : bool
        Whether the live line vanishes in the end.
    tol : float, optional
        The stationarity that ends the run: the line tells when it will be reached at the rate of
        the last measurements.
    where : callable, optional
        Tells in a few words where the call is, beside the run.
    """

    def __init__(
        self,
        then: Callable[[Snapshot], object] | None = None,
        *,
        phase: str = "",
        transient: bool = False,
        tol: float | None = None,
        where: Callable[[], str] | None = None,
    ) -> None:
        self._phase, self._tol, self._where = phase, tol, where
        self._last, self._expected = (0.0, 0.0), ""  # the last measurement, and the time until the end
        self._then, self._transient = then, transient
        self._iteration, self._seconds, self._measured = 0, 0.0, ""
        self._began = perf_counter()
        self._live: Any = None
        self._around: Progress | None = None

    def __enter__(self) -> "Progress":
        self._around = _SHOWN[-1] if _SHOWN else None
        _SHOWN.append(self)
        if self._around is None and find_spec("rich") is not None:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._live = Live(console=console, refresh_per_second=8, transient=self._transient, get_renderable=self._text)
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _SHOWN.remove(self)
        if self._live is not None:
            self._live.stop()
            if not self._live.console.is_terminal:
                self._live.console.print()

    def __call__(self, now: Snapshot) -> None:
        line = self._around or self
        line._show(now)
        if self._then is not None:
            self._then(now)

    def begin(self, phase: str) -> None:
        """Go on with another phase."""
        self._phase, self._iteration, self._measured = phase, 0, ""

    def rows(self, done: int, of: int | None) -> None:
        """Show how many rows of the data have been read: of all, if their number is known."""
        line = self._around or self
        share = "" if not of else f" of {of:,}, {100 * done // of} %"
        before, line._measured = line._measured, f"{done:,} rows{share}"
        if line._live is None and line in _SHOWN and line._measured[-4:] != before[-4:]:
            print(line._line(), file=sys.stderr)

    def _show(self, now: Snapshot) -> None:
        self._iteration, self._seconds = now.iteration, now.seconds
        if now.scheduled:
            self._measured = _describe(now, short=bool(self._phase))
            self._expect(now)
        if self._around is not None:
            self._around._show(now)
        elif self._live is None and now.scheduled:
            print(self._line(), file=sys.stderr)

    def _expect(self, now: Snapshot) -> None:
        """Tell the time until the end, if the stationarity falls as it did since the last look."""
        before, (seconds, error) = self._last, (now.seconds, now.measurement.kkt_error)
        self._last, self._expected = (seconds, error), ""
        if self._tol is not None and self._tol < error < before[1] and seconds > before[0]:
            left = log(error / self._tol) / log(before[1] / error) * (seconds - before[0])
            self._expected = f"  about {left:.0f} s to {self._tol:.0e}"

    def _line(self) -> str:
        if not self._phase:
            where = "" if self._where is None else f"{self._where()}  "
            return f"{where}{self._iteration:>5} steps {self._seconds:5.1f} s  {self._measured}{self._expected}"
        steps = f"{self._iteration:>5} steps  " if self._iteration else ""
        return f"{self._phase} {perf_counter() - self._began:5.1f} s  {steps}{self._measured}"

    def _text(self) -> Any:
        from rich.text import Text

        return Text(self._line(), no_wrap=True, overflow="ellipsis")


_SHOWN: list[Progress] = []  # the blocks that are at work, one within another


def _describe(now: Snapshot, *, short: bool) -> str:
    it = now.measurement
    feasible = "" if short else f"feasible to {it.feasibility:.0e}  "
    return f"objective {it.objective:.6g}  {feasible}stationary to {it.stationarity:.0e}"
