"""The one loop that runs every method."""

from collections.abc import Callable
from dataclasses import asdict, fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from orthoprox._arrays.library import Array, rounding_length
from orthoprox._certify.evaluator import Measured, Measurement, unmeasured
from orthoprox._run.call import Call
from orthoprox._run.ending import CTRL_C, STALLED_STEPS, Ending, zero_columns
from orthoprox._run.result import Result
from orthoprox.files.journal import CURRENT, Page
from orthoprox.problems.own_terms import BROKEN, TermError
from orthoprox.solvers.base import Residuals
from orthoprox.stopping.clock import Stopped
from orthoprox.stopping.rules import Snapshot
from orthoprox.stopping.status import Status

Callback = Callable[[Snapshot], object]

_KEPT = "iteration", "last", "best", "checked", "scale", "least", "still"  # of a run, in a checkpoint

_SPACING = 256  # iterations between measurements late in a run; these stay below a twentieth of the work
_DIVERGED = 1e6  # a step this long, or |X'X - I| this large, has diverged
_LEAST_WORK, _MOST_WORK = 50, 1000  # bounds of the work for the last certificate, in pairs of products
_LATE = 64  # the second certificate that is due; the first is at the start


def run(call: Call, X0: Array, callback: Callback | None = None, multiplier: Array | None = None) -> Result:
    """Return the result of a run from X0, with its multiplier if that is known."""
    journal = CURRENT.get()
    if journal is None:
        return _Run(call, callback).run(X0, multiplier)
    known = {"problem": call.problem, "solver": call.solver}
    return journal.unit("run", lambda page: _Run(call, callback).run(X0, multiplier, page), **known)


class _CallbackError(Exception):  # a callback has raised an exception, which is the user's to see
    pass


class _Run:
    """One run: its history and the best state so far."""

    def __init__(self, call: Call, callback: Callback | None) -> None:
        self.problem, self.solver, self.evaluator, self.meter = call.problem, call.solver, call.evaluator, call.meter
        self.deadline, self.every, self.kept, self.rule = call.deadline, call.every, call.history, call.rule
        self.callback, self.sharp = callback, call.sharp
        self.begun = self._clocks()
        self.odd = len(self.problem.odd)  # functions that were not finite before this run
        self.iteration = 0
        self.history: list[dict[str, float]] = []
        self.last: Measured | None = None  # the state that was measured last
        self.best: Measured | None = None  # the best of all that were measured
        self.checked, self.scale = 0, 0.0  # the iteration of the last certificate, and |grad l| there
        self.least = np.inf  # the smallest residual at which a certificate was computed
        self.still = 0  # motionless steps in a row
        self.earlier = 0.0  # seconds of a process before this one

    def run(self, X0: Array, multiplier: Array | None, page: Page | None = None) -> Result:
        self.meter.work.runs += 1
        self.rounding_length = rounding_length(X0)
        first = state = None
        with self.meter.part("run"):
            try:
                known = () if multiplier is None else (multiplier,)
                state = first = self.solver.begin(self.problem, X0, self.evaluator, *known)
                before = None if page is None else self._resumed(page, first)
                if before is None:
                    ending = self._inspect(state, self.solver.residuals(self.problem, state, state))
                else:
                    state, ending = before, None
                while ending is None:
                    new = self.solver.step(self.problem, state)
                    self.iteration += 1
                    ending = self._inspect(new, self.solver.residuals(self.problem, state, new))
                    state = new
                    if page is not None and ending is None:
                        page.keep(partial(self._kept, state))
            except (Stopped, KeyboardInterrupt) as reason:
                self.deadline.note(reason)
                ending = Ending(self.deadline.status, best=True)
            except BROKEN as error:
                ending = Ending(Status.FAILED, f"{str(error).rstrip('.')}.", best=True)
            except _CallbackError as error:
                raise error.__cause__ or error from None
        if page is not None and ending.status in (Status.TIME, Status.INTERRUPTED):
            page.end()
        with self.meter.part("certificate"):
            found, remark = self._found(X0, first, state, best=ending.best)
            if found.state is not state and ending.status is Status.CONVERGED:  # the rule spoke of another point
                ending = Ending(Status.STALLED, ending.details)
            refined = self._refined(found) if self.sharp or ending.status is not Status.CONVERGED else found
            if refined is None and found.state is not None:
                remark = f"{remark} The certificate is a quick one, which was not refined.".strip()
            if self.deadline.interrupted:
                ending = Ending(Status.INTERRUPTED, CTRL_C)
            return self._report(refined or found, ending.status, f"{ending.details} {remark}".strip())

    def _kept(self, state: Any) -> dict[str, Any]:
        """Return all that the rest of the run depends on, as plain data."""
        since = [clock - begun for clock, begun in zip(self._clocks(), self.begun, strict=True)]
        odd = list(self.problem.odd[self.odd :])
        return {name: getattr(self, name) for name in _KEPT} | {
            "state": state,
            "history": list(self.history),
            "since": since,
            "odd": odd,
        }

    def _resumed(self, page: Page, first: Any) -> Any:
        """Go on where an earlier process was, and return the state there; None if there was none.
        Functions that a state holds are those of the first state.
        """
        before = page.resumed(**_functions(first))
        if before is None:
            return None
        for name in _KEPT:
            setattr(self, name, before[name])
        self.history = list(before["history"])
        self.begun = [clock - since for clock, since in zip(self._clocks(), before["since"], strict=True)]
        self.earlier = before["since"][0]
        if before["odd"]:
            self.problem.odd.extend(before["odd"])  # type: ignore[attr-defined]
        return before["state"]

    def _clocks(self) -> list[float]:
        """Return the seconds of the call, of its runs, and the processor time of these."""
        return [self.meter.seconds(), self.meter.seconds("run"), self.meter.cpu_seconds("run")]

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
            if len(self.problem.odd) > self.odd:
                return Ending(Status.FAILED, f"{self.problem.odd[-1]} is not finite at some X.", best=True)
            return self._ending(Status.DIVERGED, state)
        with self.deadline.reserving(now.scheduled):
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
                if status is None and now.due and not now.feasibility <= _DIVERGED:
                    status = Status.DIVERGED
                ending = None if status is None else self._ending(status, state)
                if now.scheduled or ending is not None:
                    self._record(state, now, keep=self.kept or ending is not None)
        return ending if self.callback is None else self._called_back(now, state, ending)

    def _called_back(self, now: Snapshot, state: Any, ending: Ending | None) -> Ending | None:
        """Call the callback, and return how the run ends: as before, or because of the callback."""
        with self.meter.part("certificate"):
            try:
                if self.callback is not None:
                    self.deadline.call(self.callback, now)
            except StopIteration as reason:
                if ending is None:
                    self._record(state, now, keep=not (now.scheduled and self.kept))
                    return Ending(Status.INTERRUPTED, str(reason) or "The callback raised StopIteration.")
            except TermError:  # of an evaluation that the callback has asked for
                raise
            except Exception as error:
                raise _CallbackError from error
        return ending

    def _snapshot(self, state: Any, residuals: Residuals) -> Snapshot:
        k = self.iteration
        power = k & (k - 1) == 0
        due = k % self.every == 0 if self.every else k % _SPACING == 0 or (power and k >= _LATE)
        return Snapshot(
            problem=self.problem,
            iteration=k,
            X=self.solver.output(state),
            own_multiplier=partial(self.solver.multiplier, state),
            seconds=self.deadline.shared(self.meter.seconds() - self.begun[0]),
            run_seconds=self.meter.seconds("run") - self.begun[1],
            due=due,
            scheduled=due or (power and self.kept and not self.every),
            residuals=residuals,
            evaluator=self.evaluator,
            checked=self.checked,
            scale=self.scale,
            least=self.least,
            earlier=self.earlier,
        )

    def _record(self, state: Any, now: Snapshot, *, keep: bool) -> None:
        if keep:
            self._keep(state, now.measurement, now.seconds, now.run_seconds)
        self._compare(Measured(state, now.X, now.own_multiplier(), now.certificate, now.measurement))

    def _compare(self, found: Measured) -> None:
        self.last = found
        if found.better_than(self.best):
            self.best = found

    def _keep(self, state: Any, measurement: Measurement, seconds: float, run_seconds: float) -> None:
        clocks = {"iteration": self.iteration, "seconds": seconds, "run_seconds": run_seconds}
        parameters = {} if state is None else self.solver.parameters(state)
        self.history.append({**clocks, **asdict(measurement), **parameters})

    def _ending(self, status: Status, state: Any) -> Ending:
        advice = zero_columns(self.solver.output(state)) if status in (Status.DIVERGED, Status.STALLED) else ""
        if status is Status.DIVERGED:
            advice = advice or self.solver.advice(self.problem, state)
        if status is Status.STALLED:
            advice = advice or "The tolerance may be beyond what the parameters or the precision allow."
        return Ending(status, advice, best=status in (Status.DIVERGED, Status.STALLED, Status.TIME))

    def _found(self, X0: Array, first: Any, state: Any, *, best: bool) -> tuple[Measured, str]:
        """Return the point to report, the last or the best one, and what the method says about
        it. If nothing could be measured, that is X0.
        """
        with self.deadline.unheeded():
            try:
                new = state is not None and (self.last is None or self.last.state is not state)
                if best and new and (self.best is None or self.deadline.affords()):
                    self._compare(self._measured(state))
                found = self.best if best else self.last
                if found is not None and not found.known:  # a value that is NaN now and then
                    found = self._measured(found.state)
                    found = found if found.known else self.best
                if found is not None:
                    reported, remark = self.solver.conclude(self.problem, first, found.state)
                    return (found if reported is found.state else self._measured(reported)), remark
            except (Stopped, KeyboardInterrupt, *BROKEN) as reason:
                self.deadline.note(reason)
                if self.best is not None:
                    return self.best, ""
        with self.deadline.unheeded(forced=True):
            return unmeasured(self.problem, X0), "Nothing could be certified before that."

    def _measured(self, state: Any) -> Measured:
        X, Y = self.solver.output(state), self.solver.multiplier(state)
        certificate = self.evaluator.certify(X, Y)
        return Measured(state, X, Y, certificate, self.evaluator.measure(X, certificate))

    def _refined(self, found: Measured) -> Measured | None:
        """Return the point with a sharper certificate, or None if there was no time for one."""
        if found.state is None:
            return None
        work = min(max(self.iteration // 4, _LEAST_WORK), _MOST_WORK)
        try:
            certificate = self.evaluator.certify(found.X, found.multiplier, work=work)
        except (Stopped, KeyboardInterrupt) as reason:
            self.deadline.note(reason)
            return None
        except BROKEN:
            return None
        kkt_error = self.evaluator.kkt_error(found.X, certificate)
        if not kkt_error <= found.measurement.kkt_error:  # a function that is wrong now and then
            return found
        stationarity = self.evaluator.stationarity(certificate)
        measurement = replace(found.measurement, stationarity=stationarity, kkt_error=kkt_error)
        return replace(found, certificate=certificate, measurement=measurement)

    def _report(self, found: Measured, status: Status, details: str) -> Result:
        measurement = found.told
        run_seconds, cpu_seconds = self.meter.seconds("run") - self.begun[1], self.meter.cpu_seconds("run") - self.begun[2]
        if not self.history:  # no history was asked for, and the run was cut short
            self._keep(found.state, measurement, self.meter.seconds() - self.begun[0], run_seconds)
        self.meter.left.update(run=measurement.projected_objective, certificate=measurement.projected_objective)
        reached = "" if status is Status.CONVERGED else found.reached
        return Result(
            X=found.X,
            problem=self.problem,
            solver=self.solver,
            status=status,
            message=" ".join(part for part in (status.value, reached, details) if part),
            measurement=measurement,
            certificate=found.certificate,
            multiplier=found.multiplier,
            parameters={} if found.state is None else self.solver.parameters(found.state),
            iterations=self.iteration,
            run_seconds=run_seconds,
            run_cpu_seconds=cpu_seconds,
            history={name: np.array([row[name] for row in self.history]) for name in self.history[0]},
            **self.meter.totals(),
        )


def _functions(state: Any) -> dict[str, Any]:
    """Return the functions that a state holds: no file does, but they are made anew."""
    held = {field.name: getattr(state, field.name) for field in fields(state)} if is_dataclass(state) else {}
    return {f"{name} of the state": value for name, value in held.items() if callable(value)}
