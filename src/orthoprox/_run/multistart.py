"""One problem from several starts, side by side."""

import pickle
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf
from typing import Any, cast

from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run.call import Call
from orthoprox._run.result import Result
from orthoprox._run.run import run
from orthoprox._run.workers import Workers, cores, may_start
from orthoprox.problems.problem import Problem, counted
from orthoprox.solvers.base import Solver
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import Stop
from orthoprox.stopping.status import Status

_WORTHWHILE = 3.0  # seconds until the deadline; a process takes up to one to start
_PAUSE = 0.05  # seconds between looks at the clock and for Ctrl-C
_GRACE = 1.0  # seconds beyond what a run may take, for a machine that is busy


def solve_from(call: Call, problem: Problem, starts: Sequence[Array]) -> Result:
    """Return the best of the runs from several starts: the lowest that converged, or the lowest if
    none did.

    The runs share as many processes as there are cores. Those run one after the other in this
    process whose results do not come: if the user's ``problem`` cannot be sent elsewhere, as with
    a term made of lambda functions or of a class of the main module; if processes cannot start or
    have died; if there is no time to start them. Runs that wait for each other share the time
    until the deadline. After Ctrl-C no run begins, and those that are under way return their best
    points. ``starts`` begin with the best one.
    """
    results = _side_by_side(call, problem, starts)
    for k, X0 in enumerate(starts):
        stopped = call.deadline.interrupted or call.deadline.left() <= 0
        if results[k] is None and (k == 0 or not stopped):  # the first start is the best; its run ends at once if stopped
            with call.deadline.part(1 / results[k:].count(None)):
                results[k] = run(call, X0)
    found = [result for result in results if result is not None]
    best = lowest(found or [run(call, starts[0])])  # Ctrl-C may have come in the last line of a run
    call.meter.left["run"] = best.measurement.projected_objective
    return best


def _side_by_side(call: Call, problem: Problem, starts: Sequence[Array]) -> list[Result | None]:
    """Return the results of runs in processes, as far as there are any. What they did is booked
    here.
    """
    number = min(len(starts), cores())
    nothing: list[Result | None] = [None] * len(starts)
    task = _Task(problem, call.solver, call.rule, call.evaluator.step, call.evaluator.floor, call.history, call.problem.loop)
    if number == 1 or call.deadline.left() < _WORTHWHILE or not may_start():
        return nothing
    body = _pickled(task)
    if body is None:
        return nothing
    with call.meter.part("run"):
        try:
            results = _collected(call, body, starts, number)
        except (OSError, RuntimeError):  # no process or no thread could be started
            return nothing
        for result in results:
            if result is not None:
                call.meter.work.add(result.work)
    return [result and replace(result, problem=call.problem, solver=call.solver) for result in results]


def _collected(call: Call, body: bytes, starts: Sequence[Array], number: int) -> list[Result | None]:
    """Return the results that workers have found, each of its start."""
    latest = -0.1 * call.deadline.budget - 3 * call.meter.seconds() - _GRACE  # no operation took longer than all so far
    with Workers(number) as workers:
        runs: list[Future[Result]] = []
        for k, X0 in enumerate(starts):
            turns = ceil((len(starts) - k) / number)  # of this run, and of those that wait for it
            runs.append(workers.submit(_apart, body, X0, seconds=partial(_share, call.deadline, turns)))
        while not all(one.done() for one in runs) and call.deadline.left() > latest:
            try:
                wait(runs, _PAUSE)
                if call.deadline.interrupted:
                    workers.stop()
            except KeyboardInterrupt as reason:
                call.deadline.note(reason)
        return [one.result() if one.done() and one.exception() is None else None for one in runs]


def _share(deadline: Deadline, turns: int) -> float:
    return deadline.left() / turns


@dataclass(frozen=True)
class _Task:
    """What another process needs for a run: a call, without what is counted here."""

    problem: Problem
    solver: Solver[Any]
    rule: Stop
    step: float
    floor: float
    history: bool
    loop: Any  # what compiled loops need


def _apart(deadline: Deadline, body: bytes, X0: Array) -> Result:
    """Return the result of a run in another process; it travels without the problem."""
    task: _Task = pickle.loads(body)
    meter = Meter("run")
    problem = counted(task.problem, meter.work, deadline, loop=task.loop)
    evaluator = Evaluator(problem, task.step, task.floor)
    with deadline.listening(), quiet():
        result = run(Call(problem, task.solver, task.rule, evaluator, meter, deadline, history=task.history), X0)
    return replace(result, problem=cast(Problem, None))


def lowest(results: Sequence[Result]) -> Result:
    """Return the lowest of those that converged, or the lowest if none did."""

    def order(result: Result) -> tuple[bool, float]:
        value = result.measurement.projected_objective
        return result.status is not Status.CONVERGED, value if value == value else inf

    return min(results, key=order)


def _pickled(task: _Task) -> bytes | None:
    """Return the task for another process, or None if it cannot go there: a fresh interpreter knows
    nothing of the main module.
    """
    try:
        body = pickle.dumps(task)
    except Exception:  # whatever the objects of users raise
        return None
    return None if b"__main__" in body else body
