"""Lower minima near the end of a run: basin hopping by smoothing continuation."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays.library import Array
from orthoprox._run.meter import Meter
from orthoprox._run.result import Result
from orthoprox._run.run import Call, run
from orthoprox.starts.points import random_direction
from orthoprox.starts.search import affordable_hops, follow, probe_value
from orthoprox.stopping.status import Status


def lower_minima(call: Call, result: Result, rng: np.random.Generator, starts: Sequence[Array] = ()) -> Result:
    """Return the lowest minimum that runs from further starts find, and basin hopping by smoothing
    continuation (Wales and Doye 1997).

    Each round follows two continuation paths from the best minimiser found so far, probes both
    ends, and runs from the better one. The first round follows a wide and a narrow path from the
    minimiser. After a failure the paths are wide and begin at random points near the minimiser and
    far from it. The search ends after some failures in a row, some rounds or so many operations: a
    few seconds at most, and no round at all for a large problem.
    """
    rounds = affordable_hops(call.problem, result.iterations)
    if rounds == 0 or result.status is not Status.CONVERGED:
        return result
    best = [result]
    with call.meter.part("lower minima"):
        with call.deadline.part():
            _hop(replace(call, meter=Meter("run", call.meter.work)), best, rng, starts, rounds=rounds)
        call.meter.left["lower minima"] = best[-1].measurement.projected_objective
    return best[-1]


def _hop(call: Call, best: list[Result], rng: np.random.Generator, starts: Sequence[Array], *, rounds: int) -> None:
    """Append each lower minimum that is found."""
    for X0 in starts:
        _try(call, best, X0)
    failures = 0
    for _ in range(rounds):
        if failures == SETTINGS.rounds // 2:
            break
        try:
            found = _try(call, best, _promising(call, best[-1].X, rng if failures else None))
        except (ArithmeticError, ValueError):  # l need not be defined along a path
            found = False
        failures = 0 if found else failures + 1


def _try(call: Call, best: list[Result], X0: Array) -> bool:
    """Run from X0; append the result if it is lower, and return whether it is."""
    call.problem.heed()
    found = run(call, X0)
    value = found.measurement.projected_objective
    lower = value < best[-1].measurement.projected_objective - SETTINGS.goal * abs(value)
    if found.status is Status.CONVERGED and lower:
        best.append(found)
        return True
    return False


def _promising(call: Call, X: Array, rng: np.random.Generator | None) -> Array:
    """Return the better end of two paths, from X or from random points around it."""
    problem, k = call.problem, SETTINGS
    if rng is None:
        paths = [(X, k.widths), (X, k.widths[1:])]
    else:
        paths = [(X + jitter * random_direction(problem, rng), k.widths) for jitter in k.jitters]
    return min((follow(problem, *path) for path in paths), key=lambda end: probe_value(problem, end))
