"""The front door: a problem in, a certified point out."""

import inspect
import warnings
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any, Never

import numpy as np

from orthoprox._adaptive.polish import polish as polish_point
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox._certify.evaluator import Evaluator
from orthoprox._linalg.stiefel import polar
from orthoprox._run.lower_minima import lower_minima
from orthoprox._run.meter import Meter
from orthoprox._run.multistart import solve_from
from orthoprox._run.progress import Progress
from orthoprox._run.result import Result
from orthoprox._run.solve import Call, Callback, check_method, run, start_point
from orthoprox._run.units import Units, measured
from orthoprox.problems.problem import Problem, as_problem, counted
from orthoprox.solvers import SOLVERS
from orthoprox.solvers.base import Solver
from orthoprox.starts import STARTS
from orthoprox.starts.points import random
from orthoprox.starts.search import search
from orthoprox.stopping.deadline import Deadline
from orthoprox.stopping.rules import MaxIterations, Snapshot, Stationary, Stop, as_rule
from orthoprox.stopping.status import Status

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
_POLISHABLE = Status.CONVERGED, Status.ITERATIONS, Status.STALLED, Status.FAILED
_CERTIFICATE = 50  # pairs of products for the certificate of a polished point


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
        A point with X'X = I, or the name of a start: "random", "pca" (an approximate minimiser of l
        alone), "coordinates" (coordinate vectors), "smoothed" (the end of a smoothing
        continuation), or "auto". "auto" probes a few starts for some iterations of the default
        method and takes the best; for other methods it is "random". If the problem is small, "auto"
        also looks for lower minima after the run, by basin hopping. This takes further runs, each
        within the same ``tol`` and ``max_iterations``. The result is that of the run which ended
        lowest, with its iterations, history and ``run_seconds``; ``seconds``, ``work`` and
        ``phases`` are of the whole call. With ``stop`` there is no such search.
    n_starts : int
        How many starts to solve from, side by side in processes; the best result is returned. With
        "auto" these are the starts with the lowest probe values; otherwise they differ by their
        random numbers.
    method : str or Solver, optional
        The name of a method in ``orthoprox.SOLVERS``, or a method with its parameters. By default
        "adaptive", which has no parameter to choose, or "lsalm" if parameters are given.
    tol : float
        The relative stationarity and the feasibility to reach, both proved by the certificate.
    max_iterations : int, optional
        The iteration budget, 30,000 by default.
    max_seconds : float, optional
        The time budget on the wall clock; none by default. Runs from several starts that wait for
        each other share it.
    stop : Stop, optional
        A stopping rule instead of ``tol``; budgets that are given hold as well.
    polish : bool or "auto"
        Whether Newton's method on the support of X, its zeros kept, finds the last digits. If this
        does not help, the point stays as it is. "auto" polishes the default method with its default
        stopping rule.
    project : bool
        Whether to move a start that is off the manifold to the nearest point on it.
    seed : int or numpy.random.Generator
        For random starts.
    history : bool
        Whether measurements along the run are kept in ``result.history``; without them large
        problems are faster.
    callback : callable, optional
        Called with a :class:`orthoprox.Snapshot` after each iteration of the (first) run. Raising
        ``StopIteration`` ends the run.
    progress : bool
        Whether to show the run while it goes.
    **parameters
        Parameters of the method, used exactly as given.

    Returns
    -------
    Result
        If it did not converge, a :class:`ConvergenceWarning` is issued.
    """
    meter = Meter("start")
    solver = _solver(method, parameters)
    check_method(as_problem(problem), solver)
    rule, deadline = _rule(solver, tol, max_iterations, stop), None if max_seconds is None else Deadline(max_seconds)
    if callback is not None:
        inputs.function(callback, "callback", "one argument")
    polish = _wants_polish(polish, default=solver.auto.polish and stop is None)
    n_starts = _checked_n_starts(n_starts, callback, inputs.flag(progress, "progress"))
    start, searched = _named(start, solver.auto.start)
    project, history, rng = inputs.flag(project, "project"), inputs.flag(history, "history"), inputs.generator(seed)
    counting, units = counted(problem, meter.work), Units(problem)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            units, counting, X = measured(problem, meter.work, _first(problem, start, rng, project=project))
            starts = _starts(counting, start if isinstance(start, str) else X, n_starts, rng, deadline)
        except KeyboardInterrupt:
            starts, n_starts, callback = [random(counting, rng)], 1, _interrupted
        meter.left["start"] = float(counting.value(starts[0]))
        with meter.part("certificate"):
            evaluator = Evaluator.at(counting, starts[0])
        call = Call(counting, units.solver(solver), units.rule(rule), evaluator, meter, deadline, history=history)
        if n_starts > 1:
            result = solve_from(call, units.inside, starts)
        else:
            with Progress(callback) if progress else nullcontext(callback) as shown:
                result = run(call, starts[0], units.callback(shown))
        if searched and stop is None:
            result = lower_minima(call, result, rng)
        if polish:
            result = _polished(call, result)
    if stop is None:
        result = _with_certified_status(result, tol)
    meter.left["certificate"] = result.measurement.projected_objective
    result = units.result(replace(result, **meter.totals()), solver)
    if result.status is not Status.CONVERGED:
        warnings.warn(result.message, ConvergenceWarning, stacklevel=2)
    return result


def _solver(method: Any, parameters: dict[str, Any]) -> Solver[Any]:
    if isinstance(method, Solver):
        if parameters:
            raise TypeError(
                f"Parameters {', '.join(parameters)} were given beside a method; pass them to the method itself, "
                "as in method=LSALM(rho=1.0)."
            )
        return method
    if method is None:
        method = "lsalm" if parameters else "adaptive"
    kind = SOLVERS[inputs.choice(method, "method", SOLVERS)]
    known = list(inspect.signature(kind).parameters)
    for name in parameters:
        if name not in known:
            others = [other for other, kind in SOLVERS.items() if name in inspect.signature(kind).parameters]
            hint = f" It is one of method={others[0]!r}." if others else inputs.suggestion(name, [*known, *_OPTIONS])
            raise TypeError(f"{name!r} is not an option of minimize nor a parameter of {method}: {', '.join(known)}.{hint}")
    return kind(**parameters)


def _interrupted(now: Snapshot) -> Never:
    raise StopIteration("The search for a start was interrupted.")


def _rule(solver: Solver[Any], tol: float, max_iterations: int | None, stop: Stop | None) -> Stop:
    """Return the stopping rule: the given one or the certificate, within the iterations."""
    certified = Stationary(tol)
    budget = MaxIterations() if max_iterations is None else MaxIterations(max_iterations)
    if stop is None:
        return solver.default_stop(certified, budget)
    return as_rule(stop) if max_iterations is None else as_rule(stop) | budget


def _wants_polish(polish: Any, *, default: bool) -> bool:
    if isinstance(polish, str) and polish != "auto":
        raise ValueError(f"polish is {polish!r}; it needs True, False or 'auto'.")
    return default if isinstance(polish, str) else inputs.flag(polish, "polish")


def _checked_n_starts(n_starts: Any, callback: Callback | None, progress: bool) -> int:
    number = inputs.integer(n_starts, "n_starts")
    if number > 1 and (callback is not None or progress):
        raise ValueError(f"n_starts is {number}, whose runs go in parallel; a callback and progress need n_starts=1.")
    return number


def _named(start: Any, auto: str) -> tuple[Any, bool]:
    """Return the start, with its name in place of "auto", and whether it is to be searched for."""
    if not isinstance(start, str):
        return start, False
    name = inputs.choice(start, "start", ["auto", *STARTS])
    return (auto, auto == "search") if name == "auto" else (name, False)


def _first(problem: Problem, start: Any, rng: np.random.Generator, *, project: bool) -> Array:
    """Return where f is measured: at the start, or at a random point if this has only a name."""
    if not isinstance(start, str):
        return _point(problem, start, project)
    return random(problem, rng if start == "search" else np.random.default_rng(0))


def _starts(problem: Problem, start: Any, number: int, rng: np.random.Generator, deadline: Deadline | None) -> list[Array]:
    """Return the starts, in the precision in which a run will go on."""
    if not isinstance(start, str):
        if number > 1:
            raise ValueError(f"n_starts is {number} but the start is one point; name a start such as 'auto' or 'random'.")
        return [start]
    if start == "search":
        return [problem.probe(X0) for X0 in search(problem, rng, number, deadline)]
    return [problem.probe(STARTS[start](problem, rng)) for _ in range(number)]


def _point(problem: Problem, start: Any, project: bool) -> Array:
    X0 = inputs.matrix(start, "The start", shape=problem.shape)
    if project:
        size = float(namespace(X0).max(namespace(X0).abs(X0)))
        if size == 0:
            raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
        X0 = polar(X0 / size)
    return start_point(problem, X0)


def _polished(call: Call, result: Result) -> Result:
    """Return the result at the polished point, or as it is if polishing does not help or the run
    was cut short.
    """
    if result.status not in _POLISHABLE:
        return result
    if call.evaluator.exact(result.measurement, result.X):  # polished within the run
        return replace(result, polished=True)
    meter, evaluator = call.meter, call.evaluator
    with meter.part("polish"):
        found = polish_point(call.problem, result.X, result.multiplier, evaluator)
    meter.left["polish"] = result.measurement.projected_objective
    if found is None:
        return result
    with meter.part("certificate"):
        certificate = evaluator.certify(*found, work=_CERTIFICATE)
        measurement = evaluator.measure(found[0], certificate)
    meter.left["polish"] = measurement.projected_objective
    row = {name: column[-1] for name, column in result.history.items()} | asdict(measurement)
    return replace(
        result,
        X=found[0],
        multiplier=found[1],
        certificate=certificate,
        measurement=measurement,
        history={name: np.append(column if call.history else column[:0], row[name]) for name, column in result.history.items()},
        polished=True,
    )


def _with_certified_status(result: Result, tol: float) -> Result:
    """Return the result with the status that its certificate proves: a budget may end a run before
    its last check.
    """
    if result.status not in (*_POLISHABLE, Status.TIME) or not result.measurement.kkt_error <= tol:
        return result
    return replace(result, status=Status.CONVERGED, message=Status.CONVERGED.value)
