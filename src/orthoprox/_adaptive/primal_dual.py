"""The point that the phases of the default method exchange."""

from dataclasses import dataclass

from orthoprox._arrays.library import Array
from orthoprox._linalg.stiefel import multiplier
from orthoprox.problems.problem import Problem


@dataclass(frozen=True)
class PrimalDual:
    """A point X with its multiplier and the two gradients that belong to it."""

    X: Array  # the point
    Y: Array  # the multiplier of X'X = I
    D: Array  # grad l(X)
    S: Array  # a subgradient of g at X


def at(problem: Problem, X: Array, D: Array, c: float) -> PrimalDual:
    """Return X with the subgradient of a prox step of length 1/c and the least-squares multiplier;
    D is grad l(X).
    """
    S = subgradient(problem, X, c)
    return PrimalDual(X, multiplier(X, D + S), D, S)


def subgradient(problem: Problem, X: Array, c: float) -> Array:
    """Return c (X - prox_{g/c}(X)). The step has full length 1/c; a tiny one says nothing about an
    indicator.
    """
    return c * (X - problem.nonsmooth.prox(X, 1 / c))
