"""One problem with many weights of its penalty."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown
from orthoprox._certify.evaluator import sparsity
from orthoprox._run.multistart import lowest
from orthoprox._run.recorded import Recording, place
from orthoprox._run.result import Result, interrupted
from orthoprox.minimize import minimize
from orthoprox.nonsmooth.base import HasWeight
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.stopping.clock import Deadline
from orthoprox.stopping.parts import united
from orthoprox.stopping.status import Status

_OF_A_PROCESS = "max_seconds", "compiled", "callback", "progress"  # options which may be others when a path is resumed


def path(
    problem: Problem,
    mus: Iterable[float],
    start: Any = "auto",
    *,
    both_ways: bool = True,
    checkpoint: Any = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    **options: Any,
) -> list[Result]:
    """Minimise with each weight mu of the penalty in turn; each run starts from the solution of the
    one before.

    Neither direction is always right. From small weights to large ones, solutions keep more of what
    l wants; from large to small they stay sparse. So the weights are solved in their order and then
    back again, and the lower of two minima is kept.

    Parameters
    ----------
    problem : Problem
        Its nonsmooth term is a penalty with a weight ``mu``: L1, L21, MCP, SCAD, or one of your own
        with ``weighted``.
    mus : iterable of float
        The weights, in the order of the runs.
    start : str or array of shape (m, n)
        The start of the first run, as in :func:`orthoprox.minimize`.
    both_ways : bool
        Whether to go back; without it the path takes half the time.
    checkpoint, checkpoint_every, resume
        A file from which the path goes on after its process has ended, as in
        :func:`orthoprox.minimize`. A run whose ``max_seconds`` were over goes on, and those that
        follow are made anew.
    **options
        Further options of :func:`orthoprox.minimize`. Budgets hold for each run.

    Returns
    -------
    list of Result
        One for each weight, in the order of ``mus``. After Ctrl-C, or a callback that ends a run,
        those of the weights so far, the one at work with the status INTERRUPTED.
    """
    g = as_problem(problem).nonsmooth
    if not isinstance(g, HasWeight):
        raise TypeError(f"{type(g).__name__} has no weight to change; a path needs a penalty such as L1, L21, MCP or SCAD.")
    if not isinstance(mus, Iterable) or isinstance(mus, str):
        raise TypeError(f"mus is {shown(mus)}; it needs a list of weights, such as [1.0, 0.5].")
    problems = [replace(problem, nonsmooth=g.weighted(inputs.number(mu, "An entry of mus", strict=False))) for mu in mus]
    if not problems:
        raise ValueError("mus is empty; it needs at least one weight.")
    both_ways, deadline = inputs.flag(both_ways, "both_ways"), Deadline()
    compute = partial(_solved, problems, start, both_ways, options, deadline)
    if checkpoint is None and resume is False:
        return compute()
    where, weights = place(checkpoint, checkpoint_every, resume), [repr(item.nonsmooth) for item in problems]
    told = {name: _told(option) for name, option in options.items() if name not in _OF_A_PROCESS}
    described = {"mus": weights, "both_ways": both_ways} | told
    recording = Recording.of(where, problem, described, deadline, solver=options.get("method"), start=start)
    found, resumed = recording.found(compute, lambda results: len(results) == len(problems) and not _stopped(results))
    return [replace(result, problem=own, resumed=resumed) for result, own in zip(found, problems, strict=False)]


def _solved(
    problems: Sequence[Problem], start: Any, both_ways: bool, options: dict[str, Any], deadline: Deadline
) -> list[Result]:
    order = list(range(len(problems)))
    order += order[-2::-1] if both_ways else []
    results: dict[int, Result] = {}
    with deadline.listening():
        for k in order:
            found = minimize(problems[k], start, **options)
            stopped = deadline.interrupted or _stopped([found])
            results[k] = found if k not in results else _better(results[k], found)
            if stopped:
                results[k] = interrupted(results[k])
                break
            if sparsity(found.X) < 1:  # a run that did not converge may end at X = 0
                start, options = found.X, {**options, "project": True, "n_starts": 1}
    return [results[k] for k in sorted(results)]


def _stopped(results: Sequence[Result]) -> bool:
    return any(result.status is Status.INTERRUPTED for result in results)


def _told(option: Any) -> str:
    """Return what tells an option from another one in a checkpoint."""
    if isinstance(option, np.random.Generator):
        return repr(option.bit_generator.state)
    return "a function" if inspect.isroutine(option) else repr(option)


def _better(one: Result, other: Result) -> Result:
    """Return the better of two results for one weight, with the time and the work of both."""
    best, rest = (one, other) if lowest([one, other]) is one else (other, one)
    return replace(
        best,
        seconds=one.seconds + other.seconds,
        cpu_seconds=one.cpu_seconds + other.cpu_seconds,
        work=one.work + other.work,
        phases=united(best.phases, rest.phases),
    )
