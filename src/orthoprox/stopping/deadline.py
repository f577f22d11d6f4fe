"""The deadline of a call: the one clock on which anything may depend, and only if a user gave a
time budget.
"""

from time import perf_counter
from typing import Any

from orthoprox._arrays import inputs
from orthoprox.stopping.rules import MaxSeconds, Stop

_TICK = 1e-9  # seconds of a run that has to end at once


class Deadline:
    """The end of a time budget on the wall clock, which begins when this object is made."""

    def __init__(self, max_seconds: Any) -> None:
        self._seconds = inputs.number(max_seconds, "max_seconds")
        self._begin = perf_counter()

    def left(self) -> float:
        """Return the seconds that are left; negative when it is over."""
        return self._seconds - (perf_counter() - self._begin)

    def half_over(self) -> bool:
        """Whether half of the budget is used up."""
        return self.left() <= self._seconds / 2

    def over(self) -> bool:
        """Whether all of it is used up."""
        return self.left() <= 0

    def within(self, rule: Stop, turns: int = 1) -> Stop:
        """Return the rule within the time that is left, or within its share for the first of
        ``turns`` runs in turn.
        """
        return rule | MaxSeconds(max(self.left() / turns, _TICK))
