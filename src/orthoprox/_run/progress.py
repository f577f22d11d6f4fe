"""Progress of a run on standard error: one live line with rich, plain lines without it."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import TracebackType
from typing import Any

from orthoprox.stopping.rules import Snapshot


class Progress:
    """A callback that shows the run on standard error, for use in a ``with`` block.

    With rich (``pip install "orthoprox[progress]"``) there is one live line; without it, a line at
    each scheduled measurement.
    """

    def __init__(self, then: Callable[[Snapshot], object] | None = None) -> None:
        self._then = then
        self._measured = ""
        self._live: Any = None

    def __enter__(self) -> "Progress":
        if find_spec("rich") is not None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
            if not self._live.console.is_terminal:
                self._live.console.print()

    def __call__(self, now: Snapshot) -> None:
        if now.scheduled:
            self._measured = _describe(now)
        line = f"{now.iteration:>5} steps {now.seconds:5.1f} s  {self._measured}"
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
        elif now.scheduled:
            print(line, file=sys.stderr)
        if self._then is not None:
            self._then(now)


def _describe(now: Snapshot) -> str:
    it = now.measurement
    return f"objective {it.objective:.6g}  feasible to {it.feasibility:.0e}  stationary to {it.stationarity:.0e}"
