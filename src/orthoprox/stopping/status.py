"""How a run ended."""

from enum import Enum


class Status(Enum):
    """How a run ended; the value is the sentence shown to the user."""

    CONVERGED = "Converged: the stopping rule is met."
    ITERATIONS = "Not converged: the iteration budget is used up."
    TIME = "Not converged: the time budget is used up."
    DIVERGED = "Diverged: the iterates left the neighbourhood of X'X = I."
    INTERRUPTED = "Interrupted: the run was stopped from outside."
    STALLED = "Stalled: the iterates no longer move, but the stopping rule is not met."
    FAILED = "Failed: the method cannot go on."
