"""Four clocks: wall time and processor time of everything, and of the method alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time


class Clock:
    """Counts the time since its creation, and the method's share of it."""

    def __init__(self) -> None:
        self._start, self._cpu_start = perf_counter(), _processor_time()
        self._away = self._cpu_away = 0.0

    @property
    def seconds(self) -> float:
        """All time since the start."""
        return perf_counter() - self._start

    @property
    def cpu_seconds(self) -> float:
        """All processor time since the start, summed over all threads."""
        return _processor_time() - self._cpu_start

    @property
    def run_seconds(self) -> float:
        """Time since the start, less the time spent off the clock."""
        return self.seconds - self._away

    @property
    def run_cpu_seconds(self) -> float:
        """Processor time since the start, less what was spent off the clock."""
        return self.cpu_seconds - self._cpu_away

    @contextmanager
    def off(self) -> Iterator[None]:
        """Stop the method's clocks for a while."""
        left, cpu_left = perf_counter(), _processor_time()
        try:
            yield
        finally:
            self._away += perf_counter() - left
            self._cpu_away += _processor_time() - cpu_left


def _processor_time() -> float:
    """Return the time of all threads of this process, and of the processes it started that have
    ended.
    """
    ended = os.times()
    return process_time() + ended.children_user + ended.children_system
