"""What the proximal gradient methods on the manifold share: points, their line search, and how exact a subproblem is."""

from dataclasses import dataclass

from orthoprox import stiefel
from orthoprox._arrays import Array
from orthoprox.linesearch import Step, backtrack
from orthoprox.problem import Problem
from orthoprox.stiefel import norm

_SHORTEST = 1e-4  # of the line search on the manifold


@dataclass(frozen=True)
class Point:
    """A point of the manifold, with what was computed there."""

    X: Array
    F: float  # l(X) + g(X)
    D: Array  # grad l(X)


def visit(problem: Problem, X: Array) -> Point:
    """Evaluate f and grad l at X."""
    value, D = problem.smooth.value_and_grad(X)
    return Point(X, float(value + problem.nonsmooth.value(X)), D)


def descend(problem: Problem, here: Point, V: Array, t: float) -> Step[Point]:
    """Try polar(X + a V), a = 1, 1/2, 1/4, ... until F falls by a |V|^2 / 2t."""
    drop = float(norm(V)) ** 2 / (2 * t)

    def at(a: float) -> Point:
        return visit(problem, stiefel.polar(here.X + a * V))

    def good(a: float, point: Point) -> bool:
        return point.F < here.F - a * drop + 1e-14 * abs(here.F)

    return backtrack(at, good, 1.0, shortest=_SHORTEST)


def inner_tolerance(size: float) -> float:
    """Return the bound of |X'V + V'X|_F^2: small against the descent |V|^2, of which ``size`` is the last |V|."""
    return min(1e-2, max((0.3 * size**2) ** 2, 1e-27))
