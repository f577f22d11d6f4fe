"""Riemannian gradient descent with Barzilai-Borwein steps, the inner solver of the methods with a Lagrangian."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from orthoprox import stiefel
from orthoprox._arrays import Array
from orthoprox.linesearch import backtrack, barzilai_borwein
from orthoprox.stiefel import norm

T = TypeVar("T")

_DECREASE = 1e-6
_SHRINK = 0.2
_MEMORY = 0.85  # of the average of Zhang and Hager, which a step has to undercut
_TRIALS = 3  # of one line search; the last is taken whatever it gives
_RANGE = 1e10  # between the first step and the longest, or the shortest that is tried first


@dataclass(frozen=True)
class Point(Generic[T]):
    """A point of the manifold and what the function to minimise is there."""

    X: Array
    value: float
    gradient: Array  # Euclidean
    more: T  # whatever else the evaluation found that is worth keeping


@dataclass(frozen=True)
class Descent(Generic[T]):
    """Where the steps led."""

    point: Point[T]
    size: float  # the length of the Riemannian gradient there
    steps: int
    trials: int  # evaluations of the function


def rgbb(
    at: Callable[[Array], Point[T]],
    start: Point[T],
    *,
    first: float,
    tol: float,
    max_steps: int,
    decrease: float = _DECREASE,
    trials: int = _TRIALS,
) -> Descent[T]:
    """Take steps  X+ = polar(X - a xi),  xi = P_T(gradient), until |xi| <= tol: at least one and at most ``max_steps``.

    The first a is ``first``; then it is |<s, y>| / <y, y> and <s, s> / |<s, y>| in turn, s and y the last changes of X and
    xi. It shrinks by 5 until the value falls below an average of the past ones by decrease a |xi|^2; after ``trials`` of
    them the last is taken.
    """
    now, xi = start, stiefel.tangent(start.X, start.gradient)
    a, size, C, q = first, float(norm(xi)), start.value, 1.0
    steps = evaluations = 0
    while steps < max_steps and (steps == 0 or size > tol):

        def good(a: float, trial: Point[T], C: float = C, size: float = size) -> bool:
            return trial.value <= C - decrease * a * size**2

        line = lambda a, X=now.X, xi=xi: at(stiefel.polar(X - a * xi))  # noqa: E731
        found = backtrack(line, good, a, shrink=_SHRINK, shortest=_SHRINK ** (trials - 0.5) * a)
        old, before = now, xi
        now = found.point
        xi = stiefel.tangent(now.X, now.gradient)
        steps, evaluations, size = steps + 1, evaluations + found.trials, float(norm(xi))
        a = barzilai_borwein(now.X - old.X, xi - before, long=steps % 2 == 0) or found.length
        a = min(max(a, first / _RANGE), first * _RANGE)
        C, q = (_MEMORY * q * C + now.value) / (_MEMORY * q + 1), _MEMORY * q + 1
    return Descent(now, size, steps, evaluations)
