"""Two clocks: one for the method alone, one for everything."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Clock:
    """Counts wall time since its creation, and the method's share of it."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._away = 0.0

    @property
    def wall_seconds(self) -> float:
        """All time since the start."""
        return perf_counter() - self._start

    @property
    def seconds(self) -> float:
        """Time since the start, less the time spent off the clock."""
        return self.wall_seconds - self._away

    @contextmanager
    def off(self) -> Iterator[None]:
        """Stop the method's clock for a while."""
        left = perf_counter()
        try:
            yield
        finally:
            self._away += perf_counter() - left
