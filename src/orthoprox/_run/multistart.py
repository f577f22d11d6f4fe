"""One problem from several starts, side by side."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf
from typing import Any, cast

from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import Evaluator
from orthoprox._run.call import Call
from orthoprox._run.recorded import Place, Recording, part_of, watch
from orthoprox._run.result import Result
from orthoprox._run.run import run
from orthoprox._run.workers import Workers, cores, may_start
from orthoprox.files.journal import CURRENT, Page
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
    journal = CURRENT.get()
    if journal is None:
        return _solved_from(call, problem, starts, Page("starts"))
    known = {"problem": call.problem, "solver": call.solver}
    return journal.unit("starts", lambda page: _solved_from(call, problem, starts, page), **known)


def _solved_from(call: Call, problem: Problem, starts: Sequence[Array], page: Page) -> Result:
    results: list[Result | None] = page.resumed() or [None] * len(starts)
    _side_by_side(call, problem, starts, results, page)
    for k, X0 in enumerate(starts):
        stopped = call.deadline.interrupted or call.deadline.left() <= 0
        if results[k] is None and (k == 0 or not stopped):  # the first start is the best; its run ends at once if stopped
            with call.deadline.part(1 / results[k:].count(None)):
                results[k] = run(call, X0)
            page.keep(partial(list, results), always=True)
    found = [result for result in results if result is not None]
    best = lowest(found or [run(call, starts[0])])  # Ctrl-C may have come in the last line of a run
    call.meter.left["run"] = best.measurement.projected_objective
    return best


def _side_by_side(call: Call, problem: Problem, starts: Sequence[Array], results: list[Result | None], page: Page) -> None:
    """Add the results of runs in processes, as far as there are any, to those that are known. What
    they did is booked here.
    """
    missing = [k for k, result in enumerate(results) if result is None]
    number = min(len(missing), cores())
    step, floor, own = call.evaluator.step, call.evaluator.floor, call.problem.loop
    task = _Task(problem, call.solver, call.rule, step, floor, call.history, call.sharp, own)
    if number <= 1 or call.deadline.left() < _WORTHWHILE or not may_start():
        return
    body = _pickled(task)
    if body is None:
        return
    with call.meter.part("run"), suppress(OSError, RuntimeError):  # no process or no thread could be started
        for k, result, cut in _collected(call, body, {k: starts[k] for k in missing}, number):
            call.meter.work.add(result.work)
            results[k] = replace(result, problem=call.problem, solver=call.solver)
            if cut:
                page.end()
            page.keep(partial(list, results), always=True)


def _collected(call: Call, body: bytes, starts: Mapping[int, Array], number: int) -> Iterator[tuple[int, Result, bool]]:
    """Yield the results that workers have found, each with the number of its start, and whether its
    time was over, as they end.
    """
    latest = -0.1 * call.deadline.budget - 3 * call.meter.seconds() - _GRACE  # no operation took longer than all so far
    journal = CURRENT.get()
    with Workers(number) as workers:
        runs: dict[Future[tuple[Result, bool]], int] = {}
        for i, (k, X0) in enumerate(starts.items()):
            turns = ceil((len(starts) - i) / number)  # of this run, and of those that wait for it
            own = None if journal is None or journal.place is None else (part_of(journal.place, k), journal.every)
            runs[workers.submit(_apart, body, X0, own, seconds=partial(_share, call.deadline, turns))] = k
        while runs and call.deadline.left() > latest:
            try:
                for one in wait(runs, _PAUSE, FIRST_COMPLETED).done:
                    k = runs.pop(one)
                    if one.exception() is None:
                        yield k, *one.result()
                if call.deadline.interrupted:
                    workers.stop()
            except KeyboardInterrupt as reason:
                call.deadline.note(reason)


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
    sharp: bool
    loop: Any  # what compiled loops need


def _apart(deadline: Deadline, body: bytes, X0: Array, own: tuple[str, float] | None) -> tuple[Result, bool]:
    """Return the result of a run in another process, with a checkpoint of its own if the call has
    one, and whether its time is over; it travels without the problem.
    """
    task: _Task = pickle.loads(body)
    meter = Meter("run")
    problem = counted(task.problem, meter.work, deadline, loop=task.loop)
    call = Call(
        problem,
        task.solver,
        task.rule,
        Evaluator(problem, task.step, task.floor),
        meter,
        deadline,
        history=task.history,
        sharp=task.sharp,
    )

    def compute() -> Result:
        journal = CURRENT.get()
        if journal is not None:
            journal.watch(watch(meter, None, deadline))
        with deadline.listening(), quiet():
            return run(call, X0)

    if own is None:
        result = compute()
    else:
        where = Place(own[0], own[1], resume=True)
        recording = Recording.of(where, problem, {"rule": repr(task.rule)}, deadline, solver=task.solver, start=X0)
        result = recording.result(compute)
    return replace(result, problem=cast(Problem, None)), deadline.over


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
