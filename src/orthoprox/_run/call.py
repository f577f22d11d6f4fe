"""One call: what its runs share, the units in which they work, who measures, and which processes
take part.

A call on a problem of extreme size works with f / unit; what goes in and what comes out is in the
user's units.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, is_array, namespace, precision
from orthoprox._arrays.words import shown
from orthoprox._certify.evaluator import Evaluator, feasibility
from orthoprox._linalg.stiefel import polar
from orthoprox._run.result import Result
from orthoprox.files.journal import CURRENT
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.problems.scaled import scaled
from orthoprox.smooth.sharded import Sharded
from orthoprox.solvers.base import Solver
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import Snapshot, Stop
from orthoprox.stopping.status import Status
from orthoprox.stopping.units import InUnits, multiplied
from orthoprox.streams.ranks import Ranks

_CURVATURE_SHARE = 0.1  # of a time budget
_OBJECTIVES = "objective", "projected_objective"
_LARGEST = 1e300  # of a parameter in another unit


@dataclass(frozen=True)
class Call:
    """What all runs of one call share."""

    problem: Problem  # whose work is counted
    solver: Solver[Any]
    rule: Stop
    evaluator: Evaluator
    meter: Meter
    deadline: Deadline
    every: int | None = None
    history: bool = True
    sharp: bool = True  # whether the certificate of a run that has converged is refined; a polish makes its own


@dataclass(frozen=True)
class Units:
    """A call on f / unit for a problem with the objective f; with a unit of 1 everything stays
    what it is.
    """

    problem: Problem  # the user's
    unit: float = 1.0

    @cached_property
    def inside(self) -> Problem:
        """The problem of f / unit."""
        return self.problem if self.unit == 1 else scaled(self.problem, self.unit)

    def solver(self, solver: Solver[Any]) -> Solver[Any]:
        """Return the method with its parameters for f / unit."""
        if self.unit == 1 or not is_dataclass(solver):
            return solver
        given = {field.name: getattr(solver, field.name) for field in fields(solver) if field.name in solver.units}
        inside = {name: _times(value, self.unit ** -solver.units[name]) for name, value in given.items() if value is not None}
        return replace(solver, **inside)

    def rule(self, rule: Stop) -> Stop:
        """Return the rule for snapshots of f / unit."""
        return rule if self.unit == 1 else InUnits(rule, self.problem, self.unit)

    def callback(self, callback: Callable[[Snapshot], object] | None) -> Callable[[Snapshot], object] | None:
        """Return the callback for snapshots of f / unit."""
        if self.unit == 1 or callback is None:
            return callback
        return lambda now: callback(multiplied(now, self.problem, self.unit))

    def result(self, result: Result, solver: Solver[Any]) -> Result:
        """Return the result of f / unit as one of the user's problem and method."""
        if self.unit == 1:
            return replace(result, problem=self.problem)
        factors = {name: self.unit**power for name, power in solver.units.items()}
        columns = factors | dict.fromkeys(_OBJECTIVES, self.unit)
        remark = ""
        if result.status is Status.DIVERGED:
            remark = f" The run worked with f / {self.unit:.3g}; parameters are named for this."
        return replace(
            result,
            problem=self.problem,
            solver=solver,
            message=result.message + remark,
            measurement=result.measurement.times(self.unit),
            certificate=result.certificate.times(self.unit),
            multiplier=None if result.multiplier is None else result.multiplier * self.unit,
            parameters={name: value * factors.get(name, 1) for name, value in result.parameters.items()},
            history={name: column * columns.get(name, 1) for name, column in result.history.items()},
            phases=tuple(replace(part, objective=part.objective * self.unit) for part in result.phases),
        )


def measured(problem: Problem, counting: Problem, X: Array) -> tuple[Units, Array]:
    """Return the units of a call, measured at X on the problem whose work is counted, and X in the
    precision in which a run will go on. A term that is of no use there raises what it raises by
    itself.
    """
    X, unit = counting.measured(X)
    return Units(problem, unit), X


def evaluator_at(problem: Problem, X0: Array, meter: Meter, deadline: Deadline) -> Evaluator:
    """Return the evaluator of a call that starts at X0. If there is no time to measure a curvature,
    the slope at X0 tells the step of its prox points.
    """
    journal = CURRENT.get()
    if journal is None:
        return _evaluator_at(problem, X0, meter, deadline)
    return journal.unit("evaluator", lambda page: _evaluator_at(problem, X0, meter, deadline), problem=problem)


def _evaluator_at(problem: Problem, X0: Array, meter: Meter, deadline: Deadline) -> Evaluator:
    with meter.part("certificate"), deadline.part(), suppress(*BROKEN):
        meter.left["start"] = float(problem.value(X0))
        rough = Evaluator.rough(problem, X0) if deadline.budget < np.inf else None
        with deadline.part(_CURVATURE_SHARE if CURRENT.get() is None else 1.0):  # a call that is resumed gets on
            return Evaluator.at(problem, X0)
        if rough is not None:
            return rough
    return Evaluator(problem, 1.0, 0.0)


def start_point(problem: Problem, X0: Any) -> Array:
    """Return X0 if it is a matrix of the right shape on the manifold."""
    X0 = inputs.matrix(X0, "The start", shape=problem.shape)
    with quiet():
        gap, allowed = feasibility(X0), problem.shape[1] * precision(X0) ** 0.5
    if not gap <= allowed:
        raise ValueError(
            f"The start is off the manifold: |X0'X0 - I|_F = {gap:.3g}, above {allowed:.1g}. "
            "Pass orthoprox.stiefel.polar(X0), or project=True to minimize."
        )
    return X0


def projected_point(problem: Problem, start: Any) -> Array:
    """Return the point of the manifold nearest to a start."""
    X0 = inputs.matrix(start, "The start", shape=problem.shape)
    size = float(namespace(X0).max(namespace(X0).abs(X0)))
    if size == 0:
        raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
    return start_point(problem, polar(X0 / size))


def check_method(problem: Problem, solver: Any) -> None:
    """Raise ``TypeError`` unless this is a method and the problem has what it needs."""
    if not isinstance(solver, Solver):
        raise TypeError(f"solver is {shown(solver)}; it needs a method such as orthoprox.LSALM().")
    for ability in solver.needs:
        term = ability.lacking_in(problem)
        if term is not None:
            raise TypeError(f"{solver.facts.name} needs {ability.needed}; {term} {ability.lacking}. Choose another method.")


def _times(value: Any, factor: float) -> Any:
    """Return a parameter times a factor; a number that is not 0 does not become 0 or infinite."""
    if is_array(value):
        return value * factor
    size = abs(value * factor)
    return value if value == 0 else (1 if value > 0 else -1) * min(max(size, 1 / _LARGEST), _LARGEST)


def ranks_of(problem: Any) -> Ranks | None:
    """Return the ranks that share the rows of a problem, None if it is all here."""
    ell = uncounted(problem)[0] if isinstance(problem, Problem) else None
    return ell.ranks if isinstance(ell, Sharded) else None


def of_first(deadline: Deadline, **values: Any) -> dict[str, Any]:
    """Return the values, or those of rank 0 if the call is one of several ranks."""
    return values if deadline.ranks is None else dict(deadline.ranks.first_of(values))
