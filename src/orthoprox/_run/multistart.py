"""One problem from several starts, side by side."""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from math import ceil
from typing import Any

from orthoprox._arrays.library import Array
from orthoprox._run.pool import cores, processes
from orthoprox._run.result import Result
from orthoprox._run.solve import solve
from orthoprox.problems.problem import Problem
from orthoprox.solvers.base import Solver
from orthoprox.stopping.rules import Stop
from orthoprox.stopping.status import Status


def solve_from(
    problem: Problem, solver: Solver[Any], starts: Sequence[Array], rule: Callable[[int], Stop], *, history: bool
) -> Result:
    """Return the best of the runs from several starts: the lowest that converged, or the lowest if
    none did.

    The runs share as many processes as there are cores. They run one after the other if the problem
    cannot be sent to another process, as with a term made of lambda functions, or if the processes
    fail to start. ``rule(k)`` is the stopping rule of the first of k runs in turn.
    """
    number = min(len(starts), cores())
    if number > 1 and _picklable((problem, solver, rule(1))):
        within = rule(ceil(len(starts) / number))
        try:
            with processes(number) as pool:
                runs = [pool.submit(_run, problem, solver, X0, within, history) for X0 in starts]
                return min((replace(run.result(), problem=problem, solver=solver) for run in runs), key=_order)
        except BrokenProcessPool:  # a program read from a pipe, or one without a guard of its main part
            pass
    results = []
    for k, X0 in enumerate(starts):
        results.append(_run(problem, solver, X0, rule(len(starts) - k), history))
        if results[-1].status is Status.INTERRUPTED:
            return replace(min(results, key=_order), status=Status.INTERRUPTED, message=results[-1].message)
    return min(results, key=_order)


def _order(result: Result) -> tuple[bool, float]:
    return not result.converged, result.projected_objective


def _run(problem: Problem, solver: Solver[Any], X0: Array, rule: Stop, history: bool) -> Result:
    return solve(problem, solver, X0, stop=rule, history=history)


def _picklable(what: Any) -> bool:
    try:
        pickle.dumps(what)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
