"""The front door: a problem in, a certified point out."""

import inspect
import logging
import warnings
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from orthoprox._adaptive.compiled import chosen_loop
from orthoprox._adaptive.settings import EFFORTS, SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, namespace
from orthoprox._linalg.products import hurried
from orthoprox._run.call import (
    Call,
    Units,
    check_method,
    evaluator_at,
    measured,
    of_first,
    projected_point,
    ranks_of,
    start_point,
)
from orthoprox._run.conclusion import lower_minima, polished, with_certified_status
from orthoprox._run.hops import descended
from orthoprox._run.multistart import lowest, solve_from
from orthoprox._run.progress import LOG, Progress, logged, told
from orthoprox._run.recorded import Recording, place, same_kernels, watch
from orthoprox._run.result import Result, interrupted
from orthoprox._run.rows import run_on_rows
from orthoprox._run.run import Callback, run
from orthoprox._run.wish import Wish, chosen_solver
from orthoprox.files.journal import CURRENT
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem, as_problem, counted
from orthoprox.solvers import SOLVERS
from orthoprox.solvers.base import Solver
from orthoprox.starts import STARTS
from orthoprox.starts.points import random
from orthoprox.starts.search import any_point, canonical, is_wide, runner_up_pays, search
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import Stop
from orthoprox.stopping.status import Status

_DESCENT = 0.5  # of the time that is left, for Newton steps from the start; the run has the rest
_SMALL_SHARE = 0.7  # of a time budget, for the search on a small problem, whose probes end near minima


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
    checkpoint: Any = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
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
        another search, beside what one start finds, and for wide data, of more than twice as many
        features as samples, the ends of other homotopies, one after the other; otherwise they
        differ by their random numbers.
    method : str or Solver, optional
        The name of a method in ``orthoprox.SOLVERS``, or a method with its parameters. By default
        "adaptive", which has no parameter to choose, or "lsalm" if parameters are given.
    tol : float
        The relative stationarity and the feasibility to reach, both proved by the certificate.
    max_iterations : int, optional
        The iteration budget of each run, 30,000 by default. The search for a start and the polish
        are not counted.
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
        times that. For wide data the work goes into the start: "thorough" allows ten times as many
        repairs of columns that found nothing. By default "normal" with the start "auto", and "fast"
        with any other start, with ``stop`` or with another method, which know nothing else. The
        result is that of the run which ended lowest; ``seconds``, ``work`` and ``phases`` are of
        the whole call.
    compiled : bool, optional
        Whether a small problem goes through loops compiled by numba, if there are some: for a
        quadratic l with a matrix and g = L1 in double precision. They make the same iterations, to
        rounding, many times faster. By default the process chooses once: as the environment
        variable ORTHOPROX_COMPILED says (0 or 1), or else compiled if the code was on disk before,
        where ``orthoprox compile`` leaves it, so that no call waits for a compiler; a call of less
        than 2 s does not wait for numba to be loaded either. ``result.compiled`` tells what was
        used; with the same choice the same call has the same result, bit for bit.
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
    checkpoint : str or os.PathLike, optional
        A file in which the call keeps what it has found, so that it can go on after its process has
        ended; it ends where it would have ended, bit for bit. Nothing is pickled.
    checkpoint_every : float
        Seconds between two writes; they take at most a fiftieth of the time.
    resume : bool
        Whether to go on from a checkpoint that is there. A finished one is returned; one that ended
        by ``max_seconds`` or Ctrl-C goes on, from where the first of its parts was cut: the search
        for a start has a share of ``max_seconds``. Otherwise such a file is a ``FileExistsError``.
    **parameters
        Parameters of the method, used exactly as given.

    Returns
    -------
    Result
        If it did not converge, a :class:`ConvergenceWarning` is issued. Ctrl-C returns the best
        point so far, with the status INTERRUPTED; a second one raises.
    """
    meter, deadline = Meter("start"), Deadline(max_seconds, ranks_of(problem))
    with deadline.together("the options"):
        solver = chosen_solver(method, parameters, SOLVERS, [*inspect.signature(minimize).parameters][1:-1])
        check_method(as_problem(problem), solver)
        wish = Wish.of(
            solver,
            start=start,
            starts=STARTS,
            n_starts=n_starts,
            tol=tol,
            max_iterations=max_iterations,
            stop=stop,
            polish=polish,
            project=project,
            effort=effort,
            compiled=compiled,
            seed=seed,
            history=history,
            callback=callback,
            progress=progress,
        )
    wish = replace(wish, **of_first(deadline, start=wish.start, rng=wish.rng))
    journal, compute = CURRENT.get(), partial(_minimised, problem, wish, meter, deadline)
    if checkpoint is not None or resume is not False:
        where = place(checkpoint, checkpoint_every, resume)
        recording = Recording.of(where, problem, wish.described, deadline, solver=solver, start=wish.start)
        result = recording.result(compute)
    elif journal is not None:
        result = journal.unit("minimize", lambda page: compute(), problem=problem, solver=solver)
    else:
        result = compute()
    if result.status is not Status.CONVERGED:
        warnings.warn(result.message, ConvergenceWarning, stacklevel=2)
    return result


def _minimised(problem: Problem, wish: Wish, meter: Meter, deadline: Deadline) -> Result:
    """Choose a start, run, look for lower minima, polish, certify."""
    journal, solver, rng = CURRENT.get(), wish.solver, wish.rng
    if journal is not None:
        journal.watch(watch(meter, rng, deadline))
    same = nullcontext() if journal is None else same_kernels(journal, problem.shape)
    beat = logged(meter, deadline) if LOG.isEnabledFor(logging.INFO) else nullcontext()
    shown: Any = nullcontext(wish.callback)
    if wish.progress:
        shown = Progress(wish.callback, tol=wish.tol, where=partial(told, meter, deadline))
    with deadline.listening(), hurried(deadline.budget), same, beat, shown as callback, quiet():
        units, X0, like = _units(problem, counted(problem, meter.work, deadline), wish, deadline)
        inside = counted(units.inside, meter.work, deadline)
        search = solver.auto.start == "search"
        rng = canonical(rng, inside, deadline) if wish.searched else rng
        if search:
            inside = counted(units.inside, meter.work, deadline, loop=_loop(inside, wish.compiled, deadline))
        wide = search and wish.tol is not None and is_wide(inside)
        number = wish.n_starts if not wish.searched else 2 if wish.effort != "fast" and runner_up_pays(inside) else 1
        starts = [X0] if X0 is not None else _starts(inside, wish, number, rng, deadline)
        starts = [_in_precision(X, like) for X in starts]
        evaluator = evaluator_at(inside, starts[0], meter, deadline)
        call = Call(inside, units.solver(solver), units.rule(wish.rule), evaluator, meter, deadline, history=wish.history)
        call = replace(call, sharp=wide or not wish.polish)
        if wish.searched and inside.loop is not None:
            with deadline.part(_DESCENT):
                starts[0] = descended(call, starts[0])
        refined = polished if wish.polish else None
        if wish.n_starts > 1 and not wish.searched and not deadline.interrupted:
            result = solve_from(call, units.inside, starts)
        else:
            first = partial(run_on_rows, refined=refined) if wide else run
            result = first(call, starts[0], units.callback(callback))
        if wish.effort != "fast" and not wide:
            result = lower_minima(call, result, rng, starts[1:] if wish.searched else [], wish.effort)
        if wish.n_starts > 1 and wish.searched and not deadline.interrupted:
            starts = _starts(inside, wish, wish.n_starts - 1, rng, deadline)
            starts = [_in_precision(X, like) for X in starts]
            more = [run_on_rows(call, X, refined=refined) for X in starts] if wide else [solve_from(call, units.inside, starts)]
            result = lowest([result, *more])
        if wish.polish and (not wide or (wish.n_starts > 1 and not wish.searched)):  # a run on rows is polished there
            result = polished(call, result)
        if wish.tol is not None:
            result = with_certified_status(result, wish.tol)
    if deadline.interrupted:
        result = interrupted(result)
    meter.left["certificate"] = result.measurement.projected_objective
    return units.result(replace(result, compiled=inside.loop is not None, **meter.totals()), solver)


def _loop(problem: Problem, wanted: bool | None, deadline: Deadline) -> Any:
    """Return the compiled loop if the call uses it; a call that is resumed does what it did."""
    if wanted is False:
        return None
    journal = CURRENT.get()
    if journal is None:
        return chosen_loop(problem, wanted, deadline.budget)
    used = journal.unit("loop", lambda page: chosen_loop(problem, wanted, deadline.budget) is not None)
    return chosen_loop(problem, used)


def _units(problem: Problem, counting: Problem, wish: Wish, deadline: Deadline) -> tuple[Units, Array | None, Array]:
    """Return the units of the call, the start if it is a point, and a point in the precision in
    which runs will go on; the terms are probed there.
    """
    named, point = isinstance(wish.start, str), projected_point if wish.project else start_point
    X = any_point(counting) if named else point(problem, wish.start)
    units = Units(problem)
    with deadline.part():
        units, X = measured(problem, counting, X)
    return units, None if named else X, X


def _starts(problem: Problem, wish: Wish, number: int, rng: np.random.Generator, deadline: Deadline) -> list[Array]:
    """Return the starts that are wanted; random points in place of those that there was no time to
    find, or that the terms did not allow.
    """
    journal = CURRENT.get()
    if journal is None:
        return _found_starts(problem, wish, number, rng, deadline)
    return journal.unit("start", lambda page: _found_starts(problem, wish, number, rng, deadline))


def _found_starts(problem: Problem, wish: Wish, number: int, rng: np.random.Generator, deadline: Deadline) -> list[Array]:
    starts, name = list[Array](), wish.start
    with deadline.part(_time_share(problem) if name == "search" else 0.5), suppress(*BROKEN):
        if name == "search":
            return search(problem, rng, number, max(1.0, EFFORTS[wish.effort]))
        for _ in range(number):
            starts.append(STARTS[name](problem, rng))
    return starts + [random(problem, rng) for _ in range(number - len(starts))]


def _in_precision(X: Array, like: Array) -> Array:
    return X if X.dtype == like.dtype else namespace(X).astype(X, like.dtype)


def _time_share(problem: Problem) -> float:
    """Return the share of a time budget that the search for a start may take."""
    return _SMALL_SHARE if problem.is_small(SMALL.entries) else SETTINGS.share
