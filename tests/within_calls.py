"""A problem as it is within a call: with its compiled loop, and with a clock that runs out."""

from orthoprox._adaptive.compiled import loop
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.stopping.clock import Stopped


class Clock:
    """Time is over after some chances to end the call."""

    def __init__(self, left):
        self.left = left

    def heed(self):
        self.left -= 1
        if self.left < 0:
            raise Stopped

    def call(self, function, *arguments):
        return function(*arguments)


def looped(problem, work=None, caller=None):
    """The problem with its compiled loop."""
    return counted(problem, work or Work(), caller, loop=loop(problem))
