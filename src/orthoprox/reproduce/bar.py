"""A progress bar with the time that remains: live with rich, lines without it."""

import sys
from importlib.util import find_spec
from time import monotonic
from types import TracebackType
from typing import Any


class Bar:
    """Shows on standard error how much of the work is done, for use in a ``with`` block."""

    def __init__(self, total: float) -> None:
        self._total, self._done = total, 0.0
        self._start = self._said = monotonic()
        self._live: Any = None

    def __enter__(self) -> "Bar":
        if find_spec("rich") is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            share, text = TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}")
            columns = (share, BarColumn(), TimeElapsedColumn(), TextColumn("remaining"), TimeRemainingColumn(), text)
            self._live = Progress(*columns, console=Console(stderr=True), speed_estimate_period=3600.0)
            self._live.start()
            self._row = self._live.add_task("starting", total=self._total)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def advance(self, work: float, text: str) -> None:
        """Tell that some work is done, and what it was."""
        self._done += work
        if self._live is not None:
            self._live.update(self._row, advance=work, description=text)
            return
        now = monotonic()
        if now - self._said >= 10 or self._done >= (1 - 1e-9) * self._total:
            self._said = now
            left = (now - self._start) * (self._total / self._done - 1) if self._done else 0.0
            sys.stderr.write(f"{100 * self._done / self._total:3.0f} %  {left:6.0f} s remaining  {text}\n")
