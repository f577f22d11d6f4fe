"""One iterate as stopping rules and callbacks see it, and the rules: immutable values, combined
with ``|`` and ``&``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from orthoprox._arrays import inputs
from orthoprox._arrays.inputs import suggestion
from orthoprox._arrays.library import Array
from orthoprox._arrays.words import short, shown
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Evaluator, Measurement
from orthoprox.problems.problem import Problem
from orthoprox.stopping.status import Status


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
    due: bool  # a certificate is due at this iteration, whether or not measurements are kept
    scheduled: bool  # a measurement is due
    residuals: Mapping[str, Callable[[], Array]]  # the solver's own; infinite before the first step
    evaluator: Evaluator
    checked: int  # the iteration of the last certificate before this one
    scale: float  # and the size of the gradient there
    least: float  # the smallest residual at which a certificate was computed
    earlier: float  # the seconds of a process before this one, if the run was resumed

    def residual(self, name: str) -> float:
        """Return a residual of the last step by its name; infinite before the first."""
        if not isinstance(name, str) or name not in self.residuals:
            known = sorted(self.residuals)
            hint = suggestion(name, known) if isinstance(name, str) else ""
            raise ValueError(f"This method has no residual {short(name)}; it has {', '.join(known)}.{hint}")
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
        return self.evaluator.feasibility(self.X)

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


class Stop(ABC):
    """A rule that looks at each iterate and says nothing, or how the run ends.

    ``a | b`` ends the run as soon as one of the two does (converged, if one of them says so); ``a &
    b`` as soon as both do.
    """

    @abstractmethod
    def check(self, now: Snapshot) -> Status | None:
        """Return the status to end with at this iterate, or None to go on."""

    @final
    def __or__(self, other: "Stop") -> "Stop":
        return Either(self, as_rule(other))

    @final
    def __and__(self, other: "Stop") -> "Stop":
        return Both(self, as_rule(other))


@dataclass(frozen=True)
class Either(Stop):
    """The rule ``first | second``."""

    first: Stop
    second: Stop

    def check(self, now: Snapshot) -> Status | None:
        first = self.first.check(now)
        if first is Status.CONVERGED:
            return first
        second = self.second.check(now)
        return second if second is Status.CONVERGED else first or second


@dataclass(frozen=True)
class Both(Stop):
    """The rule ``first & second``."""

    first: Stop
    second: Stop

    def check(self, now: Snapshot) -> Status | None:
        first = self.first.check(now)
        if first is None and now.iteration > 0:  # at the start every rule looks, for names that the method does not know
            return None
        second = self.second.check(now)
        return None if first is None else second if second is Status.CONVERGED else second and first


@dataclass(frozen=True)
class Stationary(Stop):
    """Converged: the certificate proves relative stationarity and feasibility up to ``tol``.

    Both hold at the prox point P; the iterate itself is feasible up to ``tol`` and within ``tol
    sqrt(n)`` of P. The certificate is computed at the start, after 64, 128, 256, 512, 768, ...
    iterations (with ``every``, at its multiples), and in between once the solver's residuals fall
    below ``tol``.
    """

    tol: float = 1e-6

    def __post_init__(self) -> None:
        inputs.number(self.tol, "tol")

    def check(self, now: Snapshot) -> Status | None:
        if not (now.due or self._promising(now)):
            return None
        return Status.CONVERGED if now.kkt_error <= self.tol else None

    def _promising(self, now: Snapshot) -> bool:
        """Whether the residuals suggest success; after a disappointment they have to halve before
        the next try, or a sixteenth of the run has to pass.
        """
        if not now.apparent_kkt_error <= self.tol:
            return False
        return now.apparent_kkt_error <= now.least / 2 or now.iteration - now.checked >= max(8, now.iteration // 16)


@dataclass(frozen=True, init=False)
class Below(Stop):
    """Converged: the solver's named residuals are all at or below their bounds, as in
    ``Below(step=1e-4, constraint=1e-4)``.
    """

    bounds: tuple[tuple[str, float], ...]

    def __init__(self, **bounds: float) -> None:
        if not bounds:
            raise ValueError("Below was given no bound; it needs residuals by name, such as Below(step=1e-4, constraint=1e-4).")
        checked = tuple((name, inputs.number(bound, name, strict=False)) for name, bound in bounds.items())
        object.__setattr__(self, "bounds", checked)

    def check(self, now: Snapshot) -> Status | None:
        if now.iteration == 0:
            for name, _ in self.bounds:
                now.residual(name)  # a name that the method does not know is refused before the first step
            return None
        return Status.CONVERGED if all(now.residual(name) <= bound for name, bound in self.bounds) else None


@dataclass(frozen=True)
class ObjectiveBelow(Stop):
    """Converged: the objective f(X) of the iterate is at or below ``target``."""

    target: float

    def __post_init__(self) -> None:
        inputs.number(self.target, "target", minimum=float("-inf"))

    def check(self, now: Snapshot) -> Status | None:
        return Status.CONVERGED if now.objective <= self.target else None


@dataclass(frozen=True)
class MaxIterations(Stop):
    """Ends the run after a number of iterations, the paper's 30,000 by default."""

    iterations: int = 30_000

    def __post_init__(self) -> None:
        inputs.integer(self.iterations, "max_iterations", minimum=0)

    def check(self, now: Snapshot) -> Status | None:
        return Status.ITERATIONS if now.iteration >= self.iterations else None


@dataclass(frozen=True)
class MaxSeconds(Stop):
    """Ends the run after a time on the wall clock, in this process if the run was resumed."""

    seconds: float

    def __post_init__(self) -> None:
        inputs.number(self.seconds, "max_seconds")

    def check(self, now: Snapshot) -> Status | None:
        return Status.TIME if now.seconds - now.earlier >= self.seconds else None


@dataclass(frozen=True)
class Leaves(Stop):
    """Diverged: the method's constraint residual, for LSALM |X'X - I|_F, exceeds ``radius``.

    The first ``grace`` iterations from a random start may leave and come back; they are not judged.
    """

    radius: float = 1.0
    grace: int = 50

    def __post_init__(self) -> None:
        inputs.number(self.radius, "radius")
        inputs.integer(self.grace, "grace", minimum=0)

    def check(self, now: Snapshot) -> Status | None:
        return Status.DIVERGED if now.iteration > self.grace and now.residual("constraint") > self.radius else None


def as_rule(value: Any) -> Stop:
    """Return ``value`` if it is a stopping rule."""
    if not isinstance(value, Stop):
        raise TypeError(f"stop is {shown(value)}; it needs a rule such as Stationary(1e-6) | MaxIterations(1000).")
    return value
