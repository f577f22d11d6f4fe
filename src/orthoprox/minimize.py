"""The front door: a problem in, a certified point out."""

import inspect
import warnings
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from orthoprox._adaptive.compiled import chosen_loop
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, namespace
from orthoprox._arrays.words import short
from orthoprox._linalg.products import hurried
from orthoprox._linalg.stiefel import polar
from orthoprox._run.call import Call, Units, check_method, evaluator_at, measured, start_point
from orthoprox._run.conclusion import EFFORTS, lower_minima, polished, with_certified_status
from orthoprox._run.multistart import lowest, solve_from
from orthoprox._run.progress import Progress
from orthoprox._run.result import Result, interrupted
from orthoprox._run.rows import run_on_rows
from orthoprox._run.run import Callback, run
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem, as_problem, counted
from orthoprox.solvers import SOLVERS
from orthoprox.solvers.base import Solver
from orthoprox.starts import STARTS
from orthoprox.starts.points import Canonical, random
from orthoprox.starts.search import is_wide, runner_up_pays, search
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import MaxIterations, Stationary, Stop, as_rule
from orthoprox.stopping.status import Status


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
    effort: str | None = None,
    compiled: bool | None = None,
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
        alone), "rotated" (the same, rotated until g is low), "coordinates" (coordinate vectors),
        "smoothed" (the end of a smoothing continuation), or "auto". "auto" probes some starts for a
        few iterations of the default method and takes the best; for other methods it is "random".
    n_starts : int
        How many starts to solve from, side by side in processes, or one after the other if the
        terms cannot be pickled, are of a class of the main module, time is short, or this is a
        daemonic process. The best result is returned. With "auto" these are the lowest starts of
        another search, beside what one start finds; otherwise they differ by their random numbers.
    method : str or Solver, optional
        The name of a method in ``orthoprox.SOLVERS``, or a method with its parameters. By default
        "adaptive", which has no parameter to choose, or "lsalm" if parameters are given.
    tol : float
        The relative stationarity and the feasibility to reach, both proved by the certificate.
    max_iterations : int, optional
        The iteration budget, 30,000 by default.
    max_seconds : float, optional
        The time budget on the wall clock; none by default. A call may be late by a tenth of it and
        .1 s, and by three of its longest operations, such as calls of a function of yours. Runs
        from several starts that wait for each other share it.
    stop : Stop, optional
        A stopping rule instead of ``tol``; budgets that are given hold as well.
    polish : bool or "auto"
        Whether Newton's method on the support of X, its zeros kept, finds the last digits. If this
        does not help, the point stays as it is. "auto" polishes the default method with its default
        stopping rule.
    project : bool
        Whether to move a start that is off the manifold to the nearest point on it.
    effort : {"fast", "normal", "thorough"}, optional
        How much work may go into lower minima after the run, by basin hopping: none; as much as
        went into the run, or some hops where the problem is so small that these take less; ten
        times that. By default "normal" with the start "auto", and "fast" with any other start, with
        ``stop`` or with another method, which know nothing else. Further runs are within the same
        ``tol`` and ``max_iterations``. The result is that of the run which ended lowest, with its
        iterations, history and ``run_seconds``; ``seconds``, ``work`` and ``phases`` are of the
        whole call.
    compiled : bool, optional
        Whether a small problem goes through loops compiled by numba, where there are some: the
        search for a start and for lower minima, and the Newton steps of a run, for a quadratic l
        with a matrix and g = L1 in double precision. They make the same iterations, to rounding,
        many times faster. By default the process chooses
        once, as the environment variable ORTHOPROX_COMPILED says (0 or 1), or else: compiled if
        the code was on disk before, where ``orthoprox compile`` leaves it, so that no call waits
        for a compiler. A call of less than 2 s does not wait for numba to be loaded either.
        ``result.compiled`` tells what was used; with the same choice the same call has the same
        result, bit for bit.
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
        If it did not converge, a :class:`ConvergenceWarning` is issued. Ctrl-C returns the best
        point so far, with the status INTERRUPTED; a second one raises.
    """
    meter, deadline = Meter("start"), Deadline(max_seconds)
    solver = _solver(method, parameters)
    check_method(as_problem(problem), solver)
    rule = _rule(solver, tol, max_iterations, stop)
    if callback is not None:
        inputs.function(callback, "callback", "one argument")
    polish = _wants_polish(polish, default=solver.auto.polish and stop is None)
    start, searched = _named(start, solver.auto.start)
    effort = _checked_effort(effort, searched, solver, stop)
    compiled = None if compiled is None else inputs.flag(compiled, "compiled")
    n_starts = _checked_n_starts(n_starts, start, callback, inputs.flag(progress, "progress"))
    project, history, rng = inputs.flag(project, "project"), inputs.flag(history, "history"), inputs.generator(seed)
    with deadline.listening(), hurried(deadline.budget), quiet():
        units, X0, like = _units(problem, counted(problem, meter.work, deadline), start, deadline, project=project)
        inside = counted(units.inside, meter.work, deadline)
        rng = _canonical(rng, inside, deadline) if searched else rng
        if solver.auto.start == "search":
            inside = counted(units.inside, meter.work, deadline, loop=chosen_loop(inside, compiled, deadline.budget))
        wide = solver.auto.start == "search" and stop is None and is_wide(inside)
        number = n_starts if not searched else 2 if effort != "fast" and runner_up_pays(inside) else 1
        starts = [X0] if X0 is not None else _starts(inside, start, number, rng, deadline)
        starts = [_in_precision(X, like) for X in starts]
        evaluator = evaluator_at(inside, starts[0], meter, deadline)
        call = Call(inside, units.solver(solver), units.rule(rule), evaluator, meter, deadline, history=history)
        if n_starts > 1 and not searched and not deadline.interrupted:
            result = solve_from(call, units.inside, starts)
        else:
            with Progress(callback) if progress else nullcontext(callback) as shown:
                first = partial(run_on_rows, refined=polished if polish else None) if wide else run
                result = first(call, starts[0], units.callback(shown))
        if effort != "fast" and not wide:
            result = lower_minima(call, result, rng, starts[1:] if searched else [], effort)
        if n_starts > 1 and searched and not deadline.interrupted:
            starts = _starts(inside, start, n_starts - 1, rng, deadline)
            starts = [_in_precision(X, like) for X in starts]
            result = lowest([result, solve_from(call, units.inside, starts)])
        if polish and (n_starts > 1 or not wide):  # a run on rows is polished there
            result = polished(call, result)
        if stop is None:
            result = with_certified_status(result, tol)
    if deadline.interrupted:
        result = interrupted(result)
    meter.left["certificate"] = result.measurement.projected_objective
    result = units.result(replace(result, compiled=inside.loop is not None, **meter.totals()), solver)
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
    known, options = list(inspect.signature(kind).parameters), [*inspect.signature(minimize).parameters][1:-1]
    for name in parameters:
        if name not in known:
            others = [other for other, kind in SOLVERS.items() if name in inspect.signature(kind).parameters]
            hint = f" It is one of method={others[0]!r}." if others else inputs.suggestion(name, [*known, *options])
            raise TypeError(f"{name!r} is not an option of minimize nor a parameter of {method}: {', '.join(known)}.{hint}")
    return kind(**parameters)


def _rule(solver: Solver[Any], tol: float, max_iterations: int | None, stop: Stop | None) -> Stop:
    """Return the stopping rule: the given one or the certificate, within the iterations."""
    certified = Stationary(tol)
    budget = MaxIterations() if max_iterations is None else MaxIterations(max_iterations)
    if stop is None:
        return solver.default_stop(certified, budget)
    return as_rule(stop) if max_iterations is None else as_rule(stop) | budget


def _wants_polish(polish: Any, *, default: bool) -> bool:
    if isinstance(polish, str) and polish != "auto":
        raise ValueError(f"polish is {short(polish)}; it needs True, False or 'auto'.")
    return default if isinstance(polish, str) else inputs.flag(polish, "polish")


def _checked_n_starts(n_starts: Any, start: Any, callback: Callback | None, progress: bool) -> int:
    number = inputs.integer(n_starts, "n_starts")
    if number > 1 and (callback is not None or progress):
        raise ValueError(f"n_starts is {number}, whose runs go in parallel; a callback and progress need n_starts=1.")
    if number > 1 and not isinstance(start, str):
        raise ValueError(f"n_starts is {number} but the start is one point; name a start such as 'auto' or 'random'.")
    return number


def _checked_effort(effort: Any, searched: bool, solver: Solver[Any], stop: Stop | None) -> str:
    if effort is None:
        return "normal" if searched and stop is None else "fast"
    effort = inputs.choice(effort, "effort", EFFORTS)
    if effort != "fast" and (stop is not None or solver.auto.start != "search"):
        given = "a stopping rule" if stop is not None else f"the method {type(solver).__name__}"
        raise ValueError(f"effort is {effort!r} beside {given}; lower minima are found by the default method and rule alone.")
    return str(effort)


def _named(start: Any, auto: str) -> tuple[Any, bool]:
    """Return the start, with its name in place of "auto", and whether it is to be searched for."""
    if not isinstance(start, str):
        return start, False
    name = inputs.choice(start, "start", ["auto", *STARTS])
    return (auto, auto == "search") if name == "auto" else (name, False)


def _units(
    problem: Problem, counting: Problem, start: Any, deadline: Deadline, *, project: bool
) -> tuple[Units, Array | None, Array]:
    """Return the units of the call, the start if it is a point, and a point in the precision in
    which runs will go on; the terms are probed there.
    """
    named = isinstance(start, str)
    X = random(counting, np.random.default_rng(0)) if named else _point(problem, start, project)
    units = Units(problem)
    with deadline.part():
        units, X = measured(problem, counting, X)
    return units, None if named else X, X


def _canonical(rng: np.random.Generator, problem: Problem, deadline: Deadline) -> np.random.Generator:
    """Return a generator to which the order of the features is all the same, if l tells."""
    with deadline.part(), suppress(*BROKEN):
        return Canonical(rng, problem)
    return rng


def _starts(problem: Problem, name: str, number: int, rng: np.random.Generator, deadline: Deadline) -> list[Array]:
    """Return the starts of this name; random points in place of those that there was no time to
    find, or that the terms did not allow.
    """
    starts: list[Array] = []
    with deadline.part(SETTINGS.share if name == "search" else 0.5), suppress(*BROKEN):
        if name == "search":
            return search(problem, rng, number)
        for _ in range(number):
            starts.append(STARTS[name](problem, rng))
    return starts + [random(problem, rng) for _ in range(number - len(starts))]


def _in_precision(X: Array, like: Array) -> Array:
    return X if X.dtype == like.dtype else namespace(X).astype(X, like.dtype)


def _point(problem: Problem, start: Any, project: bool) -> Array:
    X0 = inputs.matrix(start, "The start", shape=problem.shape)
    if project:
        size = float(namespace(X0).max(namespace(X0).abs(X0)))
        if size == 0:
            raise ValueError("The start is zero, so no point of the manifold is nearest to it; pass another one.")
        X0 = polar(X0 / size)
    return start_point(problem, X0)
