"""What the proximal gradient methods on the manifold share: points and their line search."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import Step, backtrack
from orthoprox.problems.problem import Problem
from orthoprox.solvers.base import PROX_DERIVATIVE, Ability, Residuals, Solver, check_positive

S = TypeVar("S", bound="ProximalState")

_SHORTEST = 1e-4  # of the line search on the manifold


@dataclass(frozen=True)
class ProximalState:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Lam: Array  # multiplier of the last subproblem, where the next one starts
    size: float  # |V|_F of the last step
    t: float  # prox step of the next subproblem
    used: float  # and of the last


@dataclass(frozen=True)
class ProximalGradient(Solver[S]):
    """A method with tangent proximal steps  V = argmin <grad l(X), V> + |V|^2 / 2t + g(X + V)
    subject to  X'V + V'X = 0.
    """

    needs: ClassVar[tuple[Ability, ...]] = (PROX_DERIVATIVE,)
    units: ClassVar = {"step_size": -1}

    step_size: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "step_size")

    def residuals(self, problem: Problem, old: S, new: S) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` 0 and ``prox`` |V| / t."""
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: 0.0,
            "prox": lambda: new.size / new.used,
        }

    def multiplier(self, state: S) -> Array:
        """Return -Lam, the multiplier of X'V + V'X = 0 in the last subproblem."""
        return -state.Lam

    def parameters(self, state: S) -> dict[str, Any]:
        return {"step_size": state.t}

    def advice(self, problem: Problem, state: S) -> str:
        return f"Set a smaller step_size, half of {state.t:.2g} or less."


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
