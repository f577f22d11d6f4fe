"""Riemannian gradient descent with Barzilai-Borwein steps, the inner solver of the methods with a
Lagrangian.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from orthoprox._arrays.library import Array, inner, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import averaged, backtrack, barzilai_borwein

T = TypeVar("T")
Direction = Callable[[Array, Array], tuple[Array, float]]
"""(X, W) -> eta, |P_T(W)|: the gradient in some metric, and its length in the Euclidean one."""

_DECREASE = 1e-6
_SHRINK = 0.2
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


def euclidean(X: Array, W: Array) -> tuple[Array, float]:
    """Return xi = P_T(W) and |xi|."""
    xi = stiefel.tangent(X, W)
    return xi, float(norm(xi))


def canonical(X: Array, W: Array) -> tuple[Array, float]:
    """Return eta = W - X W'X, the gradient in the canonical metric, and |P_T(W)|, the root of
    |eta|^2 - 3 |skew(W'X)|^2.
    """
    C = W.mT @ X
    eta, skew = W - X @ C, (C - C.mT) / 2
    return eta, max(float(inner(eta, eta) - 3 * inner(skew, skew)), 0.0) ** 0.5


def rgbb(
    at: Callable[[Array], Point[T]],
    start: Point[T],
    *,
    first: float,
    tol: float,
    max_steps: int,
    decrease: float = _DECREASE,
    shrink: float = _SHRINK,
    trials: int = _TRIALS,
    direction: Direction = euclidean,
    retraction: str = "polar",
) -> Descent[T]:
    """Take steps  X+ = R(X - a eta)  until |xi| <= tol, |xi| is not finite, or ``max_steps`` steps
    are done; one is always taken.

    R is the retraction, xi = P_T(gradient), and eta the same or the gradient in another metric. The
    first a is ``first``; then it is |<s, y>| / <y, y> and <s, s> / |<s, y>| in turn, s and y the
    last changes of X and eta. It shrinks at most ``trials`` - 1 times, until the value falls below
    an average of the past ones (Zhang and Hager) by decrease a |xi|^2.
    """
    retract = stiefel.RETRACTIONS[retraction]
    now, (eta, size) = start, direction(start.X, start.gradient)
    a, C, q = first, start.value, 1.0
    steps = evaluations = 0
    while steps < max_steps and (steps == 0 or tol < size < inf):

        def good(a: float, trial: Point[T], C: float = C, size: float = size) -> bool:
            return trial.value <= C - decrease * a * size**2

        line = lambda a, X=now.X, eta=eta: at(retract(X - a * eta))  # noqa: E731
        found = backtrack(line, good, a, shrink=shrink, shortest=shrink ** (trials - 0.5) * a)
        old, before = now, eta
        now = found.point
        eta, size = direction(now.X, now.gradient)
        steps, evaluations = steps + 1, evaluations + found.trials
        a = barzilai_borwein(now.X - old.X, eta - before, long=steps % 2 == 0) or found.length
        a = min(max(a, first / _RANGE), first * _RANGE)
        C, q = averaged(C, q, now.value)
    return Descent(now, size, steps, evaluations)
