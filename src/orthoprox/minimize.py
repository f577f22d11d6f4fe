"""The front door: a problem in, a certified point out."""

import inspect
import warnings
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from orthoprox import _inputs
from orthoprox._arrays import Array, namespace, precision
from orthoprox.clock import Clock
from orthoprox.metrics import Rod
from orthoprox.multistart import solve_from
from orthoprox.polish import polish as polishing
from orthoprox.problem import Problem, as_problem
from orthoprox.progress import Progress
from orthoprox.result import Result
from orthoprox.search import search
from orthoprox.solve import Callback, solve, start_point
from orthoprox.solvers import SOLVERS, Adaptive, Solver
from orthoprox.starts import STARTS
from orthoprox.stiefel import polar
from orthoprox.stopping import MaxIterations, MaxSeconds, Stationary, Status, Stop
from orthoprox.stopping.rules import as_rule, default_rule

_OPTIONS = (
    "start",
    "n_starts",
    "method",
    "tol",
    "max_iterations",
    "max_seconds",
    "stop",
    "polish",
    "project",
    "seed",
    "history",
    "callback",
    "progress",
)


_POLISHABLE = (Status.CONVERGED, Status.ITERATIONS, Status.STALLED)
_WORK = 50  # pairs of products for the certificate of a polished point


class ConvergenceWarning(UserWarning):
    """A run ended before its stopping rule was met."""


def minimize(
    problem: Problem,
    start: Any = "auto",
    *,
    n_starts: int = 1,
    method: str | Solver[Any] | None = None,
    tol: float = 1e-6,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    stop: Stop | None = None,
    polish: bool | str = "auto",
    project: bool = False,
    seed: Any = 0,
    history: bool = True,
    callback: Callback | None = None,
    progress: bool = False,
    **parameters: Any,
) -> Result:
    """Minimise l(X) + g(X) subject to X'X = I.

    Parameters
    ----------
    problem : Problem
        What to minimise, from ``orthoprox.problems`` or put together from terms.
    start : str or array of shape (m, n)
        A point with X'X = I, or the name of a start: "random", "pca" (nearly the minimiser of l alone), "coordinates"
        (coordinate vectors), "smoothed" (the end of a path of smoothed problems), or "auto", which tries a few for some
        iterations of the default method and takes the best; for other methods it is "random".
    n_starts : int
        How many starts to solve from, side by side in processes; the best result is returned. With "auto" these are the
        best of those that are tried, otherwise they differ by their random numbers.
    method : str or Solver, optional
        The name of a method in ``orthoprox.SOLVERS``, or a method with its parameters. By default "adaptive", which has
        none to choose, and "lsalm" where parameters are given.
    tol : float
        The relative stationarity and the feasibility to reach, both proved by the certificate.
    max_iterations : int, optional
        The iteration budget, 30,000 by default.
    max_seconds : float, optional
        The time budget on the wall clock; none by default.
    stop : Stop, optional
        A stopping rule instead of ``tol``; budgets that are given hold as well.
    polish : bool or "auto"
        Whether Newton's method on the support of X, its zeros kept, finds the last digits; the point is left as it is where
        this does not help. "auto" does it for the default method and its default stopping rule.
    project : bool
        Whether to move a start that is off the manifold to the nearest point on it.
    seed : int or numpy.random.Generator
        For the starts that are drawn at random.
    history : bool
        Whether measurements along the run are kept in ``result.history``; without them large problems are faster.
    callback : callable, optional
        Called with a :class:`orthoprox.Snapshot` after each iteration; raising ``StopIteration`` ends the run.
    progress : bool
        Whether to show the run while it goes.
    **parameters
        Parameters of the method, used exactly as given.

    Returns
    -------
    Result
        A :class:`ConvergenceWarning` is issued where it did not converge.
    """
    clock = Clock()
    as_problem(problem)
    solver = _solver(method, parameters)
    rule = _rule(solver, tol, max_iterations, max_seconds, stop)
    if callback is not None:
        _inputs.function(callback, "callback", "one argument")
    wanted = _wants_polish(polish, default=isinstance(solver, Adaptive) and stop is None)
    n_starts = _number(n_starts, callback, _inputs.flag(progress, "progress"))
    if isinstance(start, str) and start == "auto" and not isinstance(solver, Adaptive):
        start = "random"
    starts = _starts(problem, start, n_starts, _inputs.flag(project, "project"), _inputs.generator(seed))
    if n_starts > 1:
        result = solve_from(problem, solver, starts, rule, history=history)
    elif progress:
        with Progress(callback) as shown:
            result = solve(problem, solver, starts[0], stop=rule, history=history, callback=shown)
    else:
        result = solve(problem, solver, starts[0], stop=rule, history=history, callback=callback)
    if wanted:
        result = _polished(result, starts[0], tol, history)
    result = replace(result, wall_seconds=clock.wall_seconds)
    if not result.converged:
        warnings.warn(result.message, ConvergenceWarning, stacklevel=2)
    return result


def _solver(method: Any, parameters: dict[str, Any]) -> Solver[Any]:
    if isinstance(method, Solver):
        if parameters:
            raise TypeError(f"Parameters {', '.join(parameters)} were given beside a method that has its own; set them there.")
        return method
    if method is None:
        method = "lsalm" if parameters else "adaptive"
    kind = SOLVERS[_inputs.choice(method, "method", SOLVERS)]
    known = list(inspect.signature(kind).parameters)
    for name in parameters:
        if name not in known:
            others = [other for other, kind in SOLVERS.items() if name in inspect.signature(kind).parameters]
            hint = f" It is one of method={others[0]!r}." if others else _inputs.nearest(name, [*known, *_OPTIONS])
            raise TypeError(f"{name!r} is not an option of minimize nor a parameter of {method}: {', '.join(known)}.{hint}")
    return kind(**parameters)


def _rule(solver: Solver[Any], tol: float, max_iterations: int | None, max_seconds: float | None, stop: Stop | None) -> Stop:
    """Return the stopping rule: the given one or the certificate, within the budgets."""
    certified = Stationary(tol)
    budget = MaxIterations() if max_iterations is None else MaxIterations(max_iterations)
    if stop is None:
        rule = default_rule(certified, budget, recovers=solver.recovers)
    else:
        rule = as_rule(stop) if max_iterations is None else as_rule(stop) | budget
    return rule if max_seconds is None else rule | MaxSeconds(max_seconds)


def _wants_polish(polish: Any, *, default: bool) -> bool:
    return default if polish == "auto" else _inputs.flag(polish, "polish")


def _polished(result: Result, X0: Array, tol: float, history: bool) -> Result:
    """Return the result at the polished point, or as it is where polishing does not help or the run was cut short."""
    if result.status not in _POLISHABLE:
        return result
    if result.measurement.shortfall <= precision(result.X) ** (2 / 3):  # as it is after polishing within the run
        return replace(result, polished=True)
    problem = result.problem
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rod = Rod(problem, X0)
        found = polishing(problem, result.X, result.multiplier, rod)
        if found is None:
            return result
        certificate = rod.certify(*found, work=_WORK)
    measurement = rod.measure(found[0], certificate)
    converged = result.converged or measurement.shortfall <= tol
    row = {name: column[-1] for name, column in result.history.items()} | asdict(measurement)
    return replace(
        result,
        X=found[0],
        multiplier=found[1],
        certificate=certificate,
        measurement=measurement,
        status=Status.CONVERGED if converged else result.status,
        message=Status.CONVERGED.value if converged else result.message,
        history={name: np.append(column if history else column[:0], row[name]) for name, column in result.history.items()},
        polished=True,
    )


def _number(n_starts: Any, callback: Callback | None, progress: bool) -> int:
    number = _inputs.integer(n_starts, "n_starts")
    if number > 1 and (callback is not None or progress):
        raise ValueError(f"n_starts is {number}, whose runs go side by side; a callback and progress need n_starts=1.")
    return number


def _starts(problem: Problem, start: Any, number: int, project: bool, rng: np.random.Generator) -> list[Array]:
    if not isinstance(start, str):
        if number > 1:
            raise ValueError(f"n_starts is {number} but the start is one point; name a start such as 'auto' or 'random'.")
        return [_point(problem, start, project)]
    name = _inputs.choice(start, "start", ["auto", *STARTS])
    return search(problem, rng, number) if name == "auto" else [STARTS[name](problem, rng) for _ in range(number)]


def _point(problem: Problem, start: Any, project: bool) -> Array:
    X0 = _inputs.matrix(start, "The start", shape=problem.shape)
    if project:
        size = float(namespace(X0).max(namespace(X0).abs(X0)))
        if size == 0:
            raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
        X0 = polar(X0 / size)
    return start_point(problem, X0)
