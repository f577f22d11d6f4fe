"""Progress of a run on standard error: one live line with rich, plain lines without it."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter
from types import TracebackType
from typing import Any

from orthoprox.stopping.rules import Snapshot


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
    """

    def __init__(self, then: Callable[[Snapshot], object] | None = None, *, phase: str = "", transient: bool = False) -> None:
        self._phase = phase
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

    def _show(self, now: Snapshot) -> None:
        self._iteration, self._seconds = now.iteration, now.seconds
        if now.scheduled:
            self._measured = _describe(now, short=bool(self._phase))
        if self._around is not None:
            self._around._show(now)
        elif self._live is None and now.scheduled:
            print(self._line(), file=sys.stderr)

    def _line(self) -> str:
        if not self._phase:
            return f"{self._iteration:>5} steps {self._seconds:5.1f} s  {self._measured}"
        steps = f"{self._iteration:>5} steps  " if self._measured else ""
        return f"{self._phase} {perf_counter() - self._began:5.1f} s  {steps}{self._measured}"

    def _text(self) -> Any:
        from rich.text import Text

        return Text(self._line(), no_wrap=True, overflow="ellipsis")


_SHOWN: list[Progress] = []  # the blocks that are at work, one within another


def _describe(now: Snapshot, *, short: bool) -> str:
    it = now.measurement
    feasible = "" if short else f"feasible to {it.feasibility:.0e}  "
    return f"objective {it.objective:.6g}  {feasible}stationary to {it.stationarity:.0e}"
