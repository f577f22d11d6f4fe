"""Lower minima near the end of a run: basin hopping by smoothing continuation."""

from dataclasses import replace

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox._linalg.stiefel import polar
from orthoprox._run.meter import Meter
from orthoprox._run.result import Result
from orthoprox._run.solve import Call, run
from orthoprox.nonsmooth.separable import Zero
from orthoprox.starts.points import random_direction
from orthoprox.starts.search import PROBE, WORK, flops, follow, probe_value
from orthoprox.stopping.status import Status

_WIDE, _NARROW = ((0.3, 100), (0.1, 50), (0.03, 50)), ((0.1, 100), (0.03, 50))
_JITTERS = 0.1, 3.0  # times a random matrix with columns of length 1, if no path from the minimiser itself has helped
_ROUNDS, _FAILURES = 8, 4  # the most rounds, and the most failures in a row
_OVERHEAD = 2e6  # the least cost of an iteration, in operations
_LOWER = 1e-9  # the relative decrease of f that counts as lower


def lower_minima(call: Call, result: Result, rng: np.random.Generator) -> Result:
    """Return the lowest minimum that basin hopping by smoothing continuation finds (Wales and Doye
    1997).

    Each round follows two continuation paths from the best minimiser found so far, probes both
    ends, and runs from the better one. The first round follows a wide and a narrow path from the
    minimiser. After a failure the paths are wide and begin at random points near the minimiser and
    far from it. The search ends after four failures in a row, eight rounds or 2e10 operations: a
    few seconds at most, and no round at all for a large problem.
    """
    if result.status is not Status.CONVERGED or isinstance(call.problem.nonsmooth, Zero):
        return result
    length = 2 * (sum(iterations for _, iterations in _WIDE) + PROBE) + result.iterations
    rounds = min(_ROUNDS, int(WORK / (length * max(flops(call.problem), _OVERHEAD))))
    if rounds == 0:
        return result
    with call.meter.part("lower minima"):
        best = _hop(replace(call, meter=Meter("run", call.meter.work)), result, rng, rounds)
        call.meter.left["lower minima"] = best.measurement.projected_objective
    return best


def _hop(call: Call, best: Result, rng: np.random.Generator, rounds: int) -> Result:
    failures = 0
    for _ in range(rounds):
        if failures == _FAILURES or (call.deadline is not None and call.deadline.over()):
            break
        try:
            found = run(call, _promising(call, polar(best.X), rng if failures else None))
        except KeyboardInterrupt:  # the best result so far is kept
            break
        except (ArithmeticError, ValueError):  # l need not be defined along a path
            failures += 1
            continue
        if found.status is Status.INTERRUPTED:
            break
        value = found.measurement.projected_objective
        lower = value < best.measurement.projected_objective - _LOWER * abs(value)
        best, failures = (found, 0) if found.status is Status.CONVERGED and lower else (best, failures + 1)
    return best


def _promising(call: Call, X: Array, rng: np.random.Generator | None) -> Array:
    """Return the better end of two paths, from X or from random points around it; the first, if
    the deadline is over.
    """
    problem = call.problem
    if rng is None:
        paths = [(X, _WIDE), (X, _NARROW)]
    else:
        paths = [(polar(X + jitter * random_direction(problem, rng)), _WIDE) for jitter in _JITTERS]
    first = follow(problem, *paths[0])
    if call.deadline is not None and call.deadline.over():
        return first
    return min(first, follow(problem, *paths[1]), key=lambda end: probe_value(problem, end))
