"""What a phase of the default method is."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, TypeVar

from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem

S = TypeVar("S")


class Verdict(Enum):
    """What a phase says about its last step; the value is the reason."""

    GOING = "it goes on"
    STAGNATED = "its last step rule has stagnated"
    LOST = "it has diverged too often"
    WORSE = "it converges to a point that is worse than X0"
    NEAR = "X is near a solution, and small, or large and sparse, so that a polish may pay"
    IDENTIFIED = "the supports of the columns are identified"
    POLISHED = "the polish has found a better point"
    REFUSED = "the polish has found none"


class Phase(ABC, Generic[S]):
    """A part of the default method: a step, and a verdict about it.

    The state of a phase is plain data: arrays, numbers and dataclasses of them. Its field
    ``memory`` is what the next phase gets beside the point. Its field ``failed`` says why the phase
    cannot go on, and is empty while it can.
    """

    @abstractmethod
    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> S:
        """Return the first state at a point that another phase found."""

    @abstractmethod
    def step(self, problem: Problem, state: S) -> S:
        """Return the next state."""

    @abstractmethod
    def verdict(self, problem: Problem, old: S, new: S) -> Verdict:
        """Judge the step from ``old`` to ``new``."""

    @abstractmethod
    def point(self, problem: Problem, state: S) -> PrimalDual:
        """Return the point to hand to the next phase."""

    def resume(self, state: S) -> S:
        """Return the state to go on with after another phase has found nothing better, or after
        stagnation.
        """
        return state

    @abstractmethod
    def output(self, state: S) -> tuple[Array, Array]:
        """Return X and the multiplier to report."""

    @abstractmethod
    def residuals(self, state: S) -> tuple[float, float]:
        """Return the constraint violation, and an estimate of the distance to stationarity."""

    @abstractmethod
    def parameters(self, state: S) -> dict[str, Any]:
        """Return the parameters in force, by name."""
