"""What follows a run: the search for lower minima, the polish, and the status that the certificate
proves.
"""

from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np

from orthoprox._adaptive.polish import polish
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays.library import Array, precision
from orthoprox._certify.evaluator import Evaluator
from orthoprox._linalg.stiefel import polar
from orthoprox._run.result import Result
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem
from orthoprox.starts.points import random_direction
from orthoprox.starts.search import follow, path_length, probe_value
from orthoprox.stopping.status import Status

_POLISHABLE = (Status.CONVERGED, Status.ITERATIONS, Status.STALLED)
_CERTIFICATE = 50  # pairs of products for the certificate of a polished point


def lower_minima(
    result: Result, run: Callable[[Array], Result], out_of_time: Callable[[], bool], rng: np.random.Generator
) -> Result:
    """Return the lowest minimum that basin hopping by smoothing continuation finds (Wales and Doye
    1997).

    Each round follows two continuation paths from the best minimiser found so far, probes both
    ends, and runs from the better one. The first round follows a wide and a narrow path from the
    minimiser. After a failure the paths are wide and begin at random points near the minimiser and
    far from it. The search ends after four failures in a row, eight rounds or 2e10 operations: a
    few seconds at most, and no round at all for a large problem.
    """
    problem = result.problem
    if not result.converged or isinstance(problem.nonsmooth, Zero):
        return result
    k = SETTINGS
    length = 2 * (path_length(k.widths) + k.probe) + result.iterations
    work = length * max(problem.flops, k.overhead)
    best, failures = result, 0
    for _ in range(min(k.rounds, int(k.work / work))):
        if failures == k.rounds // 2 or out_of_time():
            break
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                X = _promising(problem, polar(best.X), rng if failures else None, out_of_time)
            found = run(X)
        except KeyboardInterrupt:  # the best result so far is kept
            break
        except (ArithmeticError, ValueError):  # l need not be defined along a path
            failures += 1
            continue
        if found.status is Status.INTERRUPTED:
            break
        lower = found.projected_objective < best.projected_objective - precision(best.X) ** 0.5 * abs(found.projected_objective)
        best, failures = (found, 0) if found.converged and lower else (best, failures + 1)
    return best


def _promising(problem: Problem, X: Array, rng: np.random.Generator | None, out_of_time: Callable[[], bool]) -> Array:
    """Return the better end of two paths, from X or from random points around it; the first, if
    ``out_of_time()``.
    """
    k = SETTINGS
    if rng is None:
        paths = [(X, k.widths), (X, k.widths[1:])]
    else:
        paths = [(polar(X + jitter * random_direction(problem, rng)), k.widths) for jitter in k.jitters]
    first = follow(problem, *paths[0])
    if out_of_time():
        return first
    return min(first, follow(problem, *paths[1]), key=lambda end: probe_value(problem, end))


def with_certified_status(result: Result, tol: float) -> Result:
    """Return the result with the status that its certificate proves: a budget may end a run before
    its last check.
    """
    if result.status not in (*_POLISHABLE, Status.TIME) or not result.measurement.kkt_error <= tol:
        return result
    return replace(result, status=Status.CONVERGED, message=Status.CONVERGED.value)


def polished(result: Result, X0: Array, history: bool) -> Result:
    """Return the result at the polished point, or as it is if polishing does not help or the run
    was cut short.
    """
    if result.status not in _POLISHABLE:
        return result
    if result.measurement.kkt_error <= precision(result.X) ** (2 / 3):  # polished within the run
        return replace(result, polished=True)
    problem = result.problem
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        evaluator = Evaluator.at(problem, X0)
        found = polish(problem, result.X, result.multiplier, evaluator)
        if found is None:
            return result
        certificate = evaluator.certify(*found, work=_CERTIFICATE)
    measurement = evaluator.measure(found[0], certificate)
    row = {name: column[-1] for name, column in result.history.items()} | asdict(measurement)
    return replace(
        result,
        X=found[0],
        multiplier=found[1],
        certificate=certificate,
        measurement=measurement,
        history={name: np.append(column if history else column[:0], row[name]) for name, column in result.history.items()},
        polished=True,
    )
