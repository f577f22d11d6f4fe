"""The one loop that runs every method."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, precision
from orthoprox._certify.evaluator import Evaluator, Measurement, feasibility
from orthoprox._linalg.stiefel import rounding_length
from orthoprox._run.ending import STALLED_STEPS, Ending, zero_columns
from orthoprox._run.meter import Meter
from orthoprox._run.result import Result
from orthoprox._run.units import measured
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.solvers.base import Residuals, Solver
from orthoprox.stopping.deadline import Deadline
from orthoprox.stopping.rules import MaxIterations, Snapshot, Stationary, Stop, as_rule
from orthoprox.stopping.status import Status

Callback = Callable[[Snapshot], object]

_SPACING = 256  # iterations between measurements late in a run; these stay below a twentieth of the work
_DIVERGED = 1e6  # a step this long, or |X'X - I| this large, has diverged
_LEAST_WORK, _MOST_WORK = 50, 1000  # bounds of the work for the last certificate, in pairs of products
_LATE = 64  # the second measurement of a run without history; the first is at the start


def solve(
    problem: Problem,
    solver: Solver[Any],
    X0: Any,
    *,
    stop: Stop | None = None,
    every: int | None = None,
    history: bool = True,
    callback: Callback | None = None,
) -> Result:
    """Run a method on a problem from a point of the manifold.

    Parameters
    ----------
    problem : Problem
    solver : Solver
        A method with its parameters, such as ``LSALM(rho=1.0)``.
    X0 : array of shape (m, n)
        The start, X0'X0 = I.
    stop : Stop, optional
        When to stop; ``Stationary() | MaxIterations() | Leaves()`` by default: a certificate of
        1e-6, 30,000 iterations, or |X'X - I| > 1 after the first 50 iterations. The last counts as
        diverged, unless the method restarts by itself.
    every : int, optional
        Iterations between measurements. By default they happen at 0, 1, 2, 4, ..., 256, 512, 768,
        1024, ...
    history : bool
        Whether measurements are kept; if not, only the measurements that find the best point are
        made.
    callback : callable, optional
        Called with a :class:`Snapshot` at the start and after each iteration; raising
        ``StopIteration`` ends the run.

    Returns
    -------
    Result
        A run that converged, used up its iterations or was stopped by the callback returns its last
        point. One that stalled, failed, diverged, ran out of time or was interrupted by Ctrl-C
        returns the measured point with the smallest KKT error: the maximum of the relative
        stationarity, the feasibility of X and of its prox point P, and |P - X| / sqrt(n).
    """
    meter = Meter("certificate")
    check_method(as_problem(problem), solver)
    if every is not None:
        inputs.integer(every, "every")
    if callback is not None:
        inputs.function(callback, "callback", "one argument")
    X0 = start_point(problem, X0)
    rule = solver.default_stop(Stationary(), MaxIterations()) if stop is None else as_rule(stop)
    kept = inputs.flag(history, "history")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        units, counting, X0 = measured(problem, meter.work, X0)
        evaluator = Evaluator.at(counting, X0)
        call = Call(counting, units.solver(solver), units.rule(rule), evaluator, meter, every=every, history=kept)
        return units.result(run(call, X0, units.callback(callback)), solver)


def start_point(problem: Problem, X0: Any) -> Array:
    """Return X0 if it is a matrix of the right shape on the manifold."""
    X0 = inputs.matrix(X0, "The start", shape=problem.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        gap, allowed = feasibility(X0), problem.shape[1] * precision(X0) ** 0.5
    if not gap <= allowed:
        raise ValueError(
            f"The start is off the manifold: |X0'X0 - I|_F = {gap:.3g}, above {allowed:.1g}. "
            "Pass orthoprox.stiefel.polar(X0), or project=True to minimize."
        )
    return X0


def check_method(problem: Problem, solver: Any) -> None:
    """Raise ``TypeError`` unless this is a method and the problem has what it needs."""
    if not isinstance(solver, Solver):
        raise TypeError(f"solver is {solver!r}, a {type(solver).__name__}; it needs a method such as orthoprox.LSALM().")
    for ability in solver.needs:
        term = ability.lacking_in(problem)
        if term is not None:
            raise TypeError(f"{solver.facts.name} needs {ability.needed}; {term} {ability.lacking}. Choose another method.")


@dataclass(frozen=True)
class Call:
    """What all runs of one call share."""

    problem: Problem  # whose work is counted
    solver: Solver[Any]
    rule: Stop
    evaluator: Evaluator
    meter: Meter
    deadline: Deadline | None = None
    every: int | None = None
    history: bool = True


def run(call: Call, X0: Array, callback: Callback | None = None, *, turns: int = 1) -> Result:
    """Return the result of a run from X0, the first of ``turns`` runs that share the time until the
    deadline.
    """
    rule = call.rule if call.deadline is None else call.deadline.within(call.rule, turns)
    return _Run(call, rule, callback).run(X0)


class _Run:
    """One run: its history and the best state so far."""

    def __init__(self, call: Call, rule: Stop, callback: Callback | None) -> None:
        self.problem, self.solver, self.evaluator, self.meter = call.problem, call.solver, call.evaluator, call.meter
        self.every, self.kept, self.rule, self.callback = call.every, call.history, rule, callback
        self.begun = self.meter.seconds(), self.meter.seconds("run"), self.meter.cpu_seconds("run")
        self.iteration = 0
        self.history: list[dict[str, float]] = []
        self.best_state: Any = None  # the measured state with the smallest KKT error
        self.best_kkt_error = np.inf
        self.checked, self.scale = 0, 0.0  # the iteration of the last certificate, and |grad l| there
        self.least = np.inf  # the smallest residual at which a certificate was computed
        self.still = 0  # motionless steps in a row

    def run(self, X0: Array) -> Result:
        self.meter.work.runs += 1
        self.rounding_length = rounding_length(X0)
        with self.meter.part("run"):
            state = first = self.solver.begin(self.problem, X0, self.evaluator)
            try:
                ending = self._inspect(state, self.solver.residuals(self.problem, state, state))
                while ending is None:
                    new = self.solver.step(self.problem, state)
                    self.iteration += 1
                    ending = self._inspect(new, self.solver.residuals(self.problem, state, new))
                    state = new
            except KeyboardInterrupt:
                ending = Ending(Status.INTERRUPTED, "Ctrl-C was pressed; this is the best point so far.", best=True)
        with self.meter.part("certificate"):
            if ending.best and self.best_state is not None:
                state = self.best_state
            reported, remark = self.solver.conclude(self.problem, first, state)
            if reported is not state and ending.status is Status.CONVERGED:  # the rule spoke of another point
                ending = Ending(Status.STALLED, ending.details)
            return self._report(reported, ending.status, f"{ending.details} {remark}".strip())

    def _inspect(self, state: Any, residuals: Residuals) -> Ending | None:
        """Return how the run ends at this state, or None. Record a measurement if one is due, and
        call the callback.
        """
        failure = self.solver.failure(state)
        if failure:
            return Ending(Status.FAILED, failure, best=True)
        now = self._snapshot(state, residuals)
        moved = now.residual("step")
        if not moved <= _DIVERGED and self.iteration > 0:
            return self._ending(Status.DIVERGED, state)
        status = self.rule.check(now)
        if now.certified:
            self.checked, self.least = self.iteration, min(self.least, now.apparent_kkt_error)
            self.scale = max(now.certificate.gradient, self.evaluator.floor)
        self.still = self.still + 1 if moved <= self.rounding_length else 0
        if status is None and self.still >= STALLED_STEPS:
            status = Status.STALLED
        if status is None and self.callback is None and not now.scheduled:
            return None
        with self.meter.part("certificate"):
            if status is None and now.scheduled and not now.feasibility <= _DIVERGED:
                status = Status.DIVERGED
            ending = None if status is None else self._ending(status, state)
            if self.callback is not None:
                try:
                    self.callback(now)
                except StopIteration as reason:
                    ending = ending or Ending(Status.INTERRUPTED, str(reason) or "The callback raised StopIteration.")
            if now.scheduled or ending is not None:
                self._record(now, state, keep=self.kept or ending is not None)
        return ending

    def _snapshot(self, state: Any, residuals: Residuals) -> Snapshot:
        k = self.iteration
        early = k & (k - 1) == 0 and (self.kept or k >= _LATE)
        due = k % self.every == 0 if self.every else k % _SPACING == 0 or early
        return Snapshot(
            problem=self.problem,
            iteration=k,
            X=self.solver.output(state),
            own_multiplier=partial(self.solver.multiplier, state),
            seconds=self.meter.seconds() - self.begun[0],
            run_seconds=self.meter.seconds("run") - self.begun[1],
            scheduled=due,
            residuals=residuals,
            evaluator=self.evaluator,
            checked=self.checked,
            scale=self.scale,
            least=self.least,
        )

    def _record(self, now: Snapshot, state: Any, *, keep: bool) -> None:
        if keep:
            self._keep(state, now.measurement, now.seconds, now.run_seconds)
        if now.kkt_error < self.best_kkt_error:
            self.best_state, self.best_kkt_error = state, now.kkt_error

    def _keep(self, state: Any, measurement: Measurement, seconds: float, run_seconds: float) -> None:
        clocks = {"iteration": self.iteration, "seconds": seconds, "run_seconds": run_seconds}
        self.history.append({**clocks, **asdict(measurement), **self.solver.parameters(state)})

    def _ending(self, status: Status, state: Any) -> Ending:
        advice = ""
        if status in (Status.DIVERGED, Status.STALLED):
            advice = zero_columns(self.solver.output(state))
        if status is Status.DIVERGED:
            advice = advice or self.solver.advice(self.problem, state)
        if status is Status.STALLED:
            advice = advice or "The tolerance may be beyond what the parameters or the precision allow."
        return Ending(status, advice, best=status in (Status.DIVERGED, Status.STALLED, Status.TIME))

    def _report(self, state: Any, status: Status, details: str) -> Result:
        X, Y = self.solver.output(state), self.solver.multiplier(state)
        work = min(max(self.iteration // 4, _LEAST_WORK), _MOST_WORK)
        try:
            certificate = self.evaluator.certify(X, Y, work=work)
        except KeyboardInterrupt:  # the run is kept, with a less sharp certificate
            certificate = self.evaluator.certify(X, Y)
        measurement = self.evaluator.measure(X, certificate)
        run_seconds, run_cpu_seconds = self.meter.seconds("run") - self.begun[1], self.meter.cpu_seconds("run") - self.begun[2]
        if not self.history:  # no history was asked for, and the run was cut short
            self._keep(state, measurement, self.meter.seconds() - self.begun[0], run_seconds)
        reached = ""
        if status is not Status.CONVERGED:
            reached = f"Reached: stationarity {measurement.stationarity:.1e}, feasibility {measurement.feasibility:.1e}."
            if measurement.kkt_error > max(measurement.stationarity, measurement.feasibility):
                reached += (
                    f" They hold at the prox point P, and max(|P - X| / sqrt(n), |P'P - I|) = {measurement.kkt_error:.1e}."
                )
        self.meter.left.update(run=measurement.projected_objective, certificate=measurement.projected_objective)
        return Result(
            X=X,
            problem=self.problem,
            solver=self.solver,
            status=status,
            message=" ".join(part for part in (status.value, reached, details) if part),
            measurement=measurement,
            certificate=certificate,
            multiplier=Y,
            parameters=self.solver.parameters(state),
            iterations=self.iteration,
            run_seconds=run_seconds,
            run_cpu_seconds=run_cpu_seconds,
            history={name: np.array([row[name] for row in self.history]) for name in self.history[0]},
            **self.meter.totals(),
        )
