"""The front door: a problem in, a certified point out."""

import inspect
import warnings
from typing import Any

import numpy as np

from orthoprox import _inputs
from orthoprox._arrays import Array, namespace
from orthoprox.problem import Problem, as_problem
from orthoprox.progress import Progress
from orthoprox.result import Result
from orthoprox.solve import Callback, solve, start_point
from orthoprox.solvers import SOLVERS, Solver
from orthoprox.starts import STARTS
from orthoprox.stiefel import polar
from orthoprox.stopping import MaxIterations, MaxSeconds, Stationary, Stop
from orthoprox.stopping.rules import as_rule, default_rule

_OPTIONS = (
    "start",
    "method",
    "tol",
    "max_iterations",
    "max_seconds",
    "stop",
    "project",
    "seed",
    "callback",
    "progress",
)


class ConvergenceWarning(UserWarning):
    """A run ended before its stopping rule was met."""


def minimize(
    problem: Problem,
    start: Any = "random",
    *,
    method: str | Solver[Any] | None = None,
    tol: float = 1e-6,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    stop: Stop | None = None,
    project: bool = False,
    seed: Any = 0,
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
        The name of a start ("random"), or a point with X'X = I.
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
    project : bool
        Whether to move a start that is off the manifold to the nearest point on it.
    seed : int or numpy.random.Generator
        For the starts that are drawn at random.
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
    as_problem(problem)
    solver = _solver(method, parameters)
    rule = _rule(solver, tol, max_iterations, max_seconds, stop)
    if callback is not None:
        _inputs.function(callback, "callback", "one argument")
    X0 = _start(problem, start, _inputs.flag(project, "project"), _inputs.generator(seed))
    if _inputs.flag(progress, "progress"):
        with Progress(callback) as shown:
            result = solve(problem, solver, X0, stop=rule, callback=shown)
    else:
        result = solve(problem, solver, X0, stop=rule, callback=callback)
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


def _start(problem: Problem, start: Any, project: bool, rng: np.random.Generator) -> Array:
    if isinstance(start, str):
        return STARTS[_inputs.choice(start, "start", STARTS)](problem, rng)
    X0 = _inputs.matrix(start, "The start", shape=problem.shape)
    if project:
        size = float(namespace(X0).max(namespace(X0).abs(X0)))
        if size == 0:
            raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
        X0 = polar(X0 / size)
    return start_point(problem, X0)
