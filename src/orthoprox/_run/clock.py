"""Three clocks: wall time and processor time of the method alone, and wall time of everything."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time


class Clock:
    """Counts the time since its creation, and the method's share of it."""

    def __init__(self) -> None:
        self._start, self._cpu_start = perf_counter(), process_time()
        self._away = self._cpu_away = 0.0

    @property
    def wall_seconds(self) -> float:
        """All time since the start."""
        return perf_counter() - self._start

    @property
    def seconds(self) -> float:
        """Time since the start, less the time spent off the clock."""
        return self.wall_seconds - self._away

    @property
    def cpu_seconds(self) -> float:
        """Time of all processors since the start, less what they spent off the clock."""
        return process_time() - self._cpu_start - self._cpu_away

    @contextmanager
    def off(self) -> Iterator[None]:
        """Stop the method's clocks for a while."""
        left, cpu_left = perf_counter(), process_time()
        try:
            yield
        finally:
            self._away += perf_counter() - left
            self._cpu_away += process_time() - cpu_left
