"""Rules and callbacks in the user's units, for a run that works with f over a unit."""

from dataclasses import dataclass, replace
from functools import cached_property

from orthoprox._arrays.library import Array
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox.problems.problem import Problem
from orthoprox.stopping.rules import Snapshot, Stop
from orthoprox.stopping.status import Status

_SLOPES = "prox", "kkt"  # the residuals that have the unit of f


@dataclass(frozen=True)
class ScaledSnapshot(Snapshot):
    """A snapshot whose numbers are multiplied by a unit when they are read; what costs something
    is computed by the snapshot itself, once.
    """

    inner: Snapshot
    unit: float

    def residual(self, name: str) -> float:
        value = self.inner.residual(name)
        return value * self.unit if name in _SLOPES else value

    @cached_property
    def apparent_kkt_error(self) -> float:
        return self.inner.apparent_kkt_error

    @cached_property
    def objective(self) -> float:
        return self.inner.objective * self.unit

    @cached_property
    def feasibility(self) -> float:
        return self.inner.feasibility

    @cached_property
    def certificate(self) -> Certificate:
        return self.inner.certificate.times(self.unit)

    @cached_property
    def stationarity(self) -> float:
        return self.inner.stationarity

    @cached_property
    def kkt_error(self) -> float:
        return self.inner.kkt_error

    @cached_property
    def measurement(self) -> Measurement:
        return self.inner.measurement.times(self.unit)


def multiplied(now: Snapshot, problem: Problem, unit: float) -> Snapshot:
    """Return a snapshot of a run on f / unit as one of ``problem``, whose objective is f."""

    def multiplier() -> Array | None:
        Y = now.own_multiplier()
        return None if Y is None else Y * unit

    def slope(name: str) -> Array:
        return now.residuals[name]() * unit if name in _SLOPES else now.residuals[name]()

    seen = {name: value for name, value in vars(now).items() if name in Snapshot.__dataclass_fields__}
    seen |= {
        "problem": problem,
        "own_multiplier": multiplier,
        "residuals": {name: lambda name=name: slope(name) for name in now.residuals},
        "evaluator": replace(now.evaluator, problem=problem, step=now.evaluator.step / unit, floor=now.evaluator.floor * unit),
        "scale": now.scale * unit,
    }
    return ScaledSnapshot(**seen, inner=now, unit=unit)


@dataclass(frozen=True)
class InUnits(Stop):
    """A rule that sees the user's units."""

    rule: Stop
    problem: Problem  # the user's
    unit: float

    def check(self, now: Snapshot) -> Status | None:
        return self.rule.check(multiplied(now, self.problem, self.unit))
