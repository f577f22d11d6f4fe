"""A run on a working set of rows, for wide problems: most rows of X are 0 and stay 0.

In a zero row XY = 0. There X is stationary if 0 lies in grad l + dg, whatever Y is, so that a
solution on some rows solves the whole problem where no other row would leave 0. The last run is on
all rows; as a rule its first certificate proves that nothing is left to do.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from orthoprox._adaptive.wide import WIDE
from orthoprox._arrays.library import Array
from orthoprox._run.call import Call
from orthoprox._run.result import Result
from orthoprox._run.run import Callback, run
from orthoprox.problems.problem import Problem
from orthoprox.problems.rows import extended, leaving, on_rows
from orthoprox.solvers.adaptive import mixed
from orthoprox.stopping.rules import Snapshot, Stop
from orthoprox.stopping.status import Status

_ROUNDS = 10  # of working sets, at most
_OFFSETS = "iteration", "seconds", "run_seconds"


def run_on_rows(
    call: Call, X0: Array, callback: Callback | None = None, *, refined: Callable[[Call, Result], Result] | None = None
) -> Result:
    """Return the result of a run from X0 that works on some rows of X as long as that pays.

    The working set has the rows of X that are not 0, and those that are near to leaving 0. A run on
    it is ``refined``, by a polish as a rule; if then other rows would leave 0, the next one begins
    there, with its multiplier.
    """
    X, Y, parts, m = X0, None, list[Result](), len(X0)
    with call.deadline.part():
        rows = _working_set(call.problem, X, WIDE.near)
        for _ in range(_ROUNDS):
            problem = None if 2 * len(rows) > m else on_rows(call.problem, rows)
            if problem is None:
                break
            before = sum(part.iterations for part in parts)
            inner = _inner(call, problem, before, small=True)
            part = run(inner, X[rows], _seen(call, callback, rows, before), Y)
            parts.append(part if refined is None else refined(inner, part))
            X, Y = extended(parts[-1].X, rows, m), parts[-1].multiplier
            entering = np.setdiff1d(_working_set(call.problem, X, 1.0), rows)
            if parts[-1].status is not Status.CONVERGED or len(entering) == 0:
                break
            rows = np.union1d(entering, _working_set(call.problem, X, WIDE.near))
    before = sum(part.iterations for part in parts)
    inner = _inner(call, call.problem, before, small=_is_weak(call, X))
    if not parts:
        inner = replace(inner, solver=mixed(inner.solver, inner.problem, X))
    last = run(inner, X, _seen(call, callback, np.arange(m), before), Y)
    if parts and last.iterations == 0:
        last = replace(last, polished=parts[-1].polished)
    elif refined is not None:
        last = refined(inner, last)
    return _united([*parts, last], call)


def _working_set(problem: Problem, X: Array, near: float) -> Array:
    return np.flatnonzero(leaving(problem, X, problem.grad(X), 1 / near))


def _is_weak(call: Call, X: Array) -> bool:
    """Whether a subgradient of g is so small beside the gradient of l that second order comes first
    where X is small.
    """
    solver: Any = call.solver
    with call.deadline.part():
        S = (X - call.problem.prox(X, call.evaluator.step)) / call.evaluator.step
        return bool(np.linalg.norm(S) <= solver.small.weak * np.linalg.norm(call.problem.grad(X)))
    return False


def _inner(call: Call, problem: Problem, before: int, *, small: bool) -> Call:
    """Return the call on some rows, after so many iterations; X may count as small, so that a run
    begins with second order: its start has gone through first-order steps of its own.
    """
    rule = call.rule if before == 0 else _Later(call.rule, before)
    solver: Any = call.solver
    if small:
        entries = max(WIDE.entries, solver.small.entries)
        solver = replace(solver, small=replace(solver.small, entries=entries, weak=inf))  # second order comes first
    return replace(call, problem=problem, solver=solver, evaluator=replace(call.evaluator, problem=problem), rule=rule)


@dataclass(frozen=True)
class _Later(Stop):
    """A rule that has seen iterations of other runs before."""

    rule: Stop
    before: int

    def check(self, now: Snapshot) -> Status | None:
        later = replace(now, iteration=now.iteration + self.before, checked=now.checked + self.before)
        return self.rule.check(later)


def _seen(call: Call, callback: Callback | None, rows: Array, before: int) -> Callback | None:
    """Return the callback for snapshots of a run on some rows, which shows it whole ones."""
    if callback is None:
        return None

    def whole(now: Snapshot) -> object:
        X = extended(now.X, rows, call.problem.shape[0])
        iteration = now.iteration + before
        return callback(replace(now, problem=call.problem, evaluator=call.evaluator, X=X, iteration=iteration))

    return whole


def _united(parts: list[Result], call: Call) -> Result:
    """Return the last result with the iterations, the time and the history of all."""
    last, before, columns = parts[-1], dict.fromkeys(_OFFSETS, 0.0), list[dict[str, Any]]()
    for part in parts:
        share = len(part.X) / call.problem.shape[0]
        shifted = {name: column + before.get(name, 0) for name, column in part.history.items()}
        columns.append(shifted | {"sparsity": 1 - share * (1 - part.history["sparsity"])})
        before = {name: float(shifted[name][-1]) for name in _OFFSETS}
    return replace(
        last,
        solver=call.solver,
        iterations=sum(part.iterations for part in parts),
        run_seconds=sum(part.run_seconds for part in parts),
        run_cpu_seconds=sum(part.run_cpu_seconds for part in parts),
        history={name: np.concatenate([column[name] for column in columns]) for name in last.history},
    )
