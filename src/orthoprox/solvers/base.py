"""What every method is: parameters, a state, and one step."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from orthoprox._arrays import Array
from orthoprox.problem import Problem
from orthoprox.snapshot import Residuals

S = TypeVar("S")


class Solver(ABC, Generic[S]):
    """A method, as a frozen dataclass of the parameters that the user wrote.

    The loop, the clock, the measurements and the stopping rules are written once, in ``solve``; a method only iterates.
    """

    @property
    @abstractmethod
    def needs(self) -> tuple[type, ...]:
        """The abilities that the nonsmooth term must have beyond its prox."""

    @abstractmethod
    def init(self, problem: Problem, X0: Array) -> S:
        """Return the first state; parameters left open are settled here, once."""

    @abstractmethod
    def step(self, problem: Problem, state: S) -> S:
        """Return the next state; the old one is not changed."""

    @abstractmethod
    def residuals(self, problem: Problem, old: S, new: S) -> Residuals:
        """Return cheap named quantities of the step from ``old`` to ``new``, each computed when called.

        All methods have ``step`` |X^k - X^(k-1)|, ``constraint`` (the violation of what the method keeps only in the
        limit) and ``prox`` (an estimate of the distance to stationarity).
        """

    @abstractmethod
    def output(self, state: S) -> Array:
        """Return the point to report, unchanged."""

    @abstractmethod
    def multiplier(self, state: S) -> Array | None:
        """Return the method's own multiplier of X'X = I, if it has one."""

    @abstractmethod
    def parameters(self, state: S) -> dict[str, Any]:
        """Return the parameters in force, by name."""

    @abstractmethod
    def advice(self, problem: Problem, state: S) -> str:
        """Return the sentence that says which parameter to change after a diverged run."""
