"""One problem from several starts, side by side."""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run.meter import Meter
from orthoprox._run.pool import cores, processes
from orthoprox._run.result import Result
from orthoprox._run.run import Call, run
from orthoprox.problems.problem import Problem, counted
from orthoprox.solvers.base import Solver
from orthoprox.stopping.deadline import Deadline
from orthoprox.stopping.rules import Stop
from orthoprox.stopping.status import Status

_TICK = 1e-9  # seconds of a run that has to end at once


def solve_from(call: Call, problem: Problem, starts: Sequence[Array]) -> Result:
    """Return the best of the runs from several starts: the lowest that converged, or the lowest if
    none did.

    The runs share as many processes as there are cores. They run one after the other if the
    user's ``problem`` cannot be sent to another process, as with a term made of lambda functions,
    or if the processes fail to start. Runs that wait for each other share the time until the
    deadline.
    """
    results = _side_by_side(call, problem, starts) or _in_turn(call, starts)
    best = min(results, key=_order)
    call.meter.left["run"] = best.measurement.projected_objective
    if results[-1].status is Status.INTERRUPTED:
        return replace(best, status=Status.INTERRUPTED, message=results[-1].message)
    return best


def _in_turn(call: Call, starts: Sequence[Array]) -> list[Result]:
    """Return the results up to the first interrupt."""
    results: list[Result] = []
    for k, X0 in enumerate(starts):
        with call.deadline.part(1 / (len(starts) - k)):
            results.append(run(call, X0))
        if call.deadline.interrupted:
            break
    return results


def _side_by_side(call: Call, problem: Problem, starts: Sequence[Array]) -> list[Result]:
    """Return the results of runs in processes, or none if these are of no use. What they did is
    booked here.
    """
    from concurrent.futures.process import BrokenProcessPool

    number = min(len(starts), cores())
    if number == 1 or not _picklable((problem, call.solver, call.rule)):
        return []
    seconds = call.deadline.left() / ceil(len(starts) / number)
    task = _Task(problem, call.solver, call.rule, call.evaluator.step, call.evaluator.floor, seconds, call.history)
    with call.meter.part("run"):
        try:
            with processes(number) as pool:
                results = [one.result() for one in [pool.submit(_apart, task, X0) for X0 in starts]]
        except BrokenProcessPool:  # a program read from a pipe, or one without a guard of its main part
            return []
        for result in results:
            call.meter.work.add(result.work)
    return [replace(result, problem=call.problem, solver=call.solver) for result in results]


@dataclass(frozen=True)
class _Task:
    """What another process needs for a run: a call, without what is counted here."""

    problem: Problem
    solver: Solver[Any]
    rule: Stop
    step: float
    floor: float
    seconds: float  # until the deadline
    history: bool


def _apart(task: _Task, X0: Array) -> Result:
    meter, deadline = Meter("run"), Deadline(None if task.seconds == inf else max(task.seconds, _TICK))
    problem = counted(task.problem, meter.work, deadline)
    evaluator = Evaluator(problem, task.step, task.floor)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        result = run(Call(problem, task.solver, task.rule, evaluator, meter, deadline, history=task.history), X0)
    return replace(result, problem=task.problem)


def _order(result: Result) -> tuple[bool, float]:
    return result.status is not Status.CONVERGED, result.measurement.projected_objective


def _picklable(what: Any) -> bool:
    try:
        pickle.dumps(what)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
