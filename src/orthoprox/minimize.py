"""The front door: a problem in, a certified point out."""

import inspect
import warnings
from dataclasses import replace
from typing import Any, Never

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace
from orthoprox._linalg.stiefel import polar
from orthoprox._run.clock import Clock
from orthoprox._run.finish import lower_minima, polished, with_certified_status
from orthoprox._run.multistart import solve_from
from orthoprox._run.progress import Progress
from orthoprox._run.result import Result
from orthoprox._run.solve import Callback, solve, start_point
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.solvers import SOLVERS
from orthoprox.solvers.adaptive import Adaptive
from orthoprox.solvers.base import Solver
from orthoprox.starts import STARTS
from orthoprox.starts.points import random
from orthoprox.starts.search import search
from orthoprox.stopping.rules import MaxIterations, MaxSeconds, Stationary, Stop, as_rule, default_rule
from orthoprox.stopping.snapshot import Snapshot

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


_TICK = 1e-9  # seconds of a run that has to end at once


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
        lowest, with its own iterations, times and history. With ``stop`` there is no such search.
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
    clock = Clock()
    as_problem(problem)
    solver = _solver(method, parameters)
    rule, time = _rule(solver, tol, max_iterations, stop), _TimeBudget(max_seconds, clock)
    if callback is not None:
        inputs.function(callback, "callback", "one argument")
    wanted = _wants_polish(polish, default=isinstance(solver, Adaptive) and stop is None)
    n_starts = _checked_n_starts(n_starts, callback, inputs.flag(progress, "progress"))
    auto = isinstance(start, str) and start == "auto"
    if auto and not isinstance(solver, Adaptive):
        auto, start = False, "random"
    project, rng = inputs.flag(project, "project"), inputs.generator(seed)

    def run(X0: Array, callback: Callback | None = None) -> Result:
        return solve(problem, solver, X0, stop=time.within(rule), history=history, callback=callback)

    try:
        starts = (
            search(problem, rng, n_starts, out_of_time=time.half) if auto else _starts(problem, start, n_starts, project, rng)
        )
    except KeyboardInterrupt:
        starts, n_starts, callback = [random(problem, rng)], 1, _interrupted
    if n_starts > 1:
        result = solve_from(problem, solver, starts, lambda turns: time.within(rule, turns), history=history)
    elif progress:
        with Progress(callback) as shown:
            result = run(starts[0], shown)
    else:
        result = run(starts[0], callback)
    if auto and stop is None:
        result = lower_minima(result, run, time.over, rng)
    if wanted:
        result = polished(result, starts[0], history)
    result = with_certified_status(result, tol) if stop is None else result
    result = replace(result, seconds=clock.seconds, cpu_seconds=clock.cpu_seconds)
    if not result.converged:
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


class _TimeBudget:
    """The remaining part of a time budget; None is no budget."""

    def __init__(self, budget: float | None, clock: Clock) -> None:
        self.budget, self.clock = None if budget is None else inputs.number(budget, "max_seconds"), clock

    def within(self, rule: Stop, turns: int = 1) -> Stop:
        """Return the rule within the remaining time, or within its share for the first of ``turns``
        runs in turn.
        """
        return rule if self.budget is None else rule | MaxSeconds(max((self.budget - self.clock.seconds) / turns, _TICK))

    def half(self) -> bool:
        """Whether half of it is over."""
        return self.budget is not None and self.clock.seconds >= self.budget / 2

    def over(self) -> bool:
        """Whether all of it is over."""
        return self.budget is not None and self.clock.seconds >= self.budget


def _interrupted(now: Snapshot) -> Never:
    raise StopIteration("The search for a start was interrupted.")


def _rule(solver: Solver[Any], tol: float, max_iterations: int | None, stop: Stop | None) -> Stop:
    """Return the stopping rule: the given one or the certificate, within the iterations."""
    certified = Stationary(tol)
    budget = MaxIterations() if max_iterations is None else MaxIterations(max_iterations)
    if stop is None:
        return default_rule(certified, budget, restarts=solver.restarts)
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


def _starts(problem: Problem, start: Any, number: int, project: bool, rng: Any) -> list[Array]:
    if not isinstance(start, str):
        if number > 1:
            raise ValueError(f"n_starts is {number} but the start is one point; name a start such as 'auto' or 'random'.")
        return [_point(problem, start, project)]
    name = inputs.choice(start, "start", ["auto", *STARTS])
    return [STARTS[name](problem, rng) for _ in range(number)]


def _point(problem: Problem, start: Any, project: bool) -> Array:
    X0 = inputs.matrix(start, "The start", shape=problem.shape)
    if project:
        size = float(namespace(X0).max(namespace(X0).abs(X0)))
        if size == 0:
            raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
        X0 = polar(X0 / size)
    return start_point(problem, X0)
