"""One problem with many weights of its penalty."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown
from orthoprox._certify.evaluator import sparsity
from orthoprox._run.conclusion import interrupted
from orthoprox._run.result import Result
from orthoprox.minimize import minimize
from orthoprox.nonsmooth.base import HasWeight
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.stopping.deadline import Deadline
from orthoprox.stopping.status import Status


def path(problem: Problem, mus: Iterable[float], start: Any = "auto", **options: Any) -> list[Result]:
    """Minimise with each weight mu of the penalty in turn; each run starts from the solution of the
    one before.

    Parameters
    ----------
    problem : Problem
        Its nonsmooth term is a penalty with a weight ``mu``: L1, L21, MCP, SCAD, or one of your own
        with ``weighted``.
    mus : iterable of float
        The weights, in the order of the runs; from large to small follows sparse solutions best.
    start : str or array of shape (m, n)
        The start of the first run, as in :func:`orthoprox.minimize`.
    **options
        Further options of :func:`orthoprox.minimize`. Budgets hold for each weight.

    Returns
    -------
    list of Result
        One for each weight, in the order of ``mus``. After Ctrl-C, or a callback that ends a run,
        those of the weights so far, the last one with the status INTERRUPTED.
    """
    g = as_problem(problem).nonsmooth
    if not isinstance(g, HasWeight):
        raise TypeError(f"{type(g).__name__} has no weight to change; a path needs a penalty such as L1, L21, MCP or SCAD.")
    if not isinstance(mus, Iterable) or isinstance(mus, str):
        raise TypeError(f"mus is {shown(mus)}; it needs a list of weights, such as [1.0, 0.5].")
    weights = [inputs.number(mu, "An entry of mus", strict=False) for mu in mus]
    if not weights:
        raise ValueError("mus is empty; it needs at least one weight.")
    results: list[Result] = []
    deadline = Deadline()
    with deadline.listening():
        for mu in weights:
            results.append(minimize(replace(problem, nonsmooth=g.weighted(mu)), start, **options))
            if deadline.interrupted or results[-1].status is Status.INTERRUPTED:
                break
            if sparsity(results[-1].X) < 1:  # a run that did not converge may end at X = 0
                start, options = results[-1].X, {**options, "project": True, "n_starts": 1}
    if deadline.interrupted and results:
        results[-1] = interrupted(results[-1])
    return results
