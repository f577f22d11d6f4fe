"""The one loop that runs every method."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, precision
from orthoprox._certify.evaluator import Evaluator, Measurement, feasibility, is_worse
from orthoprox._run.clock import Clock
from orthoprox._run.ending import STALLED_STEPS, Ending, no_better, rounding_length, zero_columns
from orthoprox._run.result import Result
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.solvers.base import Residuals, Solver
from orthoprox.stopping.rules import MaxIterations, Stationary, Stop, as_rule, default_rule
from orthoprox.stopping.snapshot import Snapshot
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
        A run that converged, stalled, used up its iterations or was stopped by the callback returns
        its last point. One that diverged, ran out of time or was interrupted by Ctrl-C returns the
        measured point with the smallest KKT error: the maximum of the relative stationarity, the
        feasibility of X and of its prox point P, and |P - X| / sqrt(n). A method that restarts by
        itself returns this point after a stall, too, and never one worse than the start.
    """
    _check(problem, solver, every, callback)
    X0 = start_point(problem, X0)
    rule = default_rule(Stationary(), MaxIterations(), restarts=solver.restarts) if stop is None else as_rule(stop)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        X0 = problem.probe(X0)
        return _Run(problem, solver, rule, every=every, kept=inputs.flag(history, "history"), callback=callback).run(X0)


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


def _check(problem: Any, solver: Any, every: Any, callback: Any) -> None:
    as_problem(problem)
    if not isinstance(solver, Solver):
        raise TypeError(f"solver is {solver!r}, a {type(solver).__name__}; it needs a method such as orthoprox.LSALM().")
    for ability in solver.needs:
        term = ability.lacking_in(problem)
        if term is not None:
            raise TypeError(f"{solver.facts.name} needs {ability.needed}; {term} {ability.lacking}. Choose another method.")
    if every is not None:
        inputs.integer(every, "every")
    if callback is not None:
        inputs.function(callback, "callback", "one argument")


class _Run:
    """One run: its clock, its history and the best state so far."""

    def __init__(
        self,
        problem: Problem,
        solver: Solver[Any],
        rule: Stop,
        *,
        every: int | None,
        kept: bool,
        callback: Callback | None,
    ) -> None:
        self.problem, self.solver, self.rule = problem, solver, rule
        self.every, self.kept, self.callback = every, kept, callback
        self.clock = Clock()
        self.iteration = 0
        self.history: list[dict[str, float]] = []
        self.best_state: Any = None  # the measured state with the smallest KKT error
        self.best_kkt_error = np.inf
        self.checked, self.scale = 0, 0.0  # the iteration of the last certificate, and |grad l| there
        self.least = np.inf  # the smallest residual at which a certificate was computed
        self.still = 0  # motionless steps in a row

    def run(self, X0: Array) -> Result:
        state = first = self.solver.init(self.problem, X0)
        with self.clock.off():
            self.evaluator = Evaluator(self.problem, X0)
        self.rounding_length = rounding_length(X0)
        try:
            ending = self._inspect(state, self.solver.residuals(self.problem, state, state))
            while ending is None:
                new = self.solver.step(self.problem, state)
                self.iteration += 1
                ending = self._inspect(new, self.solver.residuals(self.problem, state, new))
                state = new
        except KeyboardInterrupt:
            ending = Ending(Status.INTERRUPTED, "Ctrl-C was pressed; this is the best point so far.", best=True)
        run_seconds, run_cpu_seconds = self.clock.run_seconds, self.clock.run_cpu_seconds
        if ending.best and self.best_state is not None:
            state = self.best_state
        slack = max(1e-6, self.best_kkt_error if ending.status is Status.CONVERGED else 0.0)
        value = float(self.problem.value(X0))
        if self.solver.restarts and is_worse(self.problem, self.solver.output(state), value, slack=slack):
            state, ending = first, no_better(ending)
        return self._report(state, ending, run_seconds, run_cpu_seconds)

    def _inspect(self, state: Any, residuals: Residuals) -> Ending | None:
        """Return how the run ends at this state, or None. Record a measurement if one is due, and
        call the callback.
        """
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
        with self.clock.off():
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
            own_multiplier=lambda: self.solver.multiplier(state),
            seconds=self.clock.seconds,
            run_seconds=self.clock.run_seconds,
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
        if status is Status.DIVERGED:
            advice = zero_columns(self.solver.output(state)) or self.solver.advice(self.problem, state)
            return Ending(status, advice, best=True)
        if status is Status.STALLED:
            advice = zero_columns(self.solver.output(state))
            advice = advice or "The tolerance may be beyond what the parameters or the precision allow."
            return Ending(status, advice, best=self.solver.restarts)
        return Ending(status, best=status is Status.TIME)

    def _report(self, state: Any, ending: Ending, run_seconds: float, run_cpu_seconds: float) -> Result:
        X, Y = self.solver.output(state), self.solver.multiplier(state)
        work = min(max(self.iteration // 4, _LEAST_WORK), _MOST_WORK)
        try:
            certificate = self.evaluator.certify(X, Y, work=work)
        except KeyboardInterrupt:  # the run is kept, with a less sharp certificate
            certificate = self.evaluator.certify(X, Y)
        measurement = self.evaluator.measure(X, certificate)
        if not self.history:  # no history was asked for, and the run was cut short
            self._keep(state, measurement, self.clock.seconds, run_seconds)
        reached = ""
        if ending.status is not Status.CONVERGED:
            reached = f"Reached: stationarity {measurement.stationarity:.1e}, feasibility {measurement.feasibility:.1e}."
            if measurement.kkt_error > max(measurement.stationarity, measurement.feasibility):
                reached += (
                    f" They hold at the prox point P, and max(|P - X| / sqrt(n), |P'P - I|) = {measurement.kkt_error:.1e}."
                )
        return Result(
            X=X,
            problem=self.problem,
            solver=self.solver,
            status=ending.status,
            message=" ".join(part for part in (ending.status.value, reached, ending.details) if part),
            measurement=measurement,
            certificate=certificate,
            multiplier=Y,
            parameters=self.solver.parameters(state),
            iterations=self.iteration,
            seconds=self.clock.seconds,
            cpu_seconds=self.clock.cpu_seconds,
            run_seconds=run_seconds,
            run_cpu_seconds=run_cpu_seconds,
            history={name: np.array([row[name] for row in self.history]) for name in self.history[0]},
        )
