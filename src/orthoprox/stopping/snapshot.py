"""One iterate, as stopping rules and callbacks see it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from orthoprox._arrays.inputs import suggestion
from orthoprox._arrays.library import Array
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Evaluator, Measurement, feasibility
from orthoprox.problems.problem import Problem


@dataclass(frozen=True)
class Snapshot:
    """The iterate after ``iteration`` steps. Whatever costs something is computed when first read,
    and then kept.
    """

    problem: Problem
    iteration: int
    X: Array
    own_multiplier: Callable[[], Array | None]  # of X'X = I, as the method has it
    seconds: float  # all time since the run began, measurements and callbacks included
    run_seconds: float  # time of the method alone: steps and what its stopping rule reads
    scheduled: bool  # a measurement is due at this iteration
    residuals: Mapping[str, Callable[[], Array]]  # the solver's own; infinite before the first step
    evaluator: Evaluator
    checked: int  # the iteration of the last certificate before this one
    scale: float  # and the size of the gradient there
    least: float  # the smallest residual at which a certificate was computed

    def residual(self, name: str) -> float:
        """Return a residual of the last step by its name; infinite before the first."""
        if name not in self.residuals:
            known = sorted(self.residuals)
            raise ValueError(f"This method has no residual {name!r}; it has {', '.join(known)}.{suggestion(name, known)}")
        if self.iteration == 0:
            return float("inf")
        if name not in self._values:
            self._values[name] = float(self.residuals[name]())
        return self._values[name]

    @cached_property
    def _values(self) -> dict[str, float]:
        return {}

    @cached_property
    def apparent_kkt_error(self) -> float:
        """The KKT error that the method's own residuals suggest: "constraint", or "prox" relative
        to the gradient.
        """
        return max(self.residual("constraint"), self.residual("prox") / (self.scale or 1.0))

    @cached_property
    def objective(self) -> float:
        """f(X)."""
        return float(self.problem.value(self.X))

    @cached_property
    def feasibility(self) -> float:
        """|X'X - I|_F."""
        return feasibility(self.X)

    @cached_property
    def certificate(self) -> Certificate:
        """The quick certificate of X; upper bounds only."""
        return self.evaluator.certify(self.X, self.own_multiplier())

    @cached_property
    def stationarity(self) -> float:
        """The relative distance to stationarity that the certificate proves."""
        return self.evaluator.stationarity(self.certificate)

    @cached_property
    def kkt_error(self) -> float:
        """What is missing to a feasible stationary point, the number that ``tol`` bounds."""
        return self.evaluator.kkt_error(self.X, self.certificate)

    @cached_property
    def measurement(self) -> Measurement:
        """Everything that is reported about X."""
        return self.evaluator.measure(self.X, self.certificate)

    @property
    def certified(self) -> bool:
        """Whether the certificate has been computed already."""
        return "certificate" in self.__dict__
