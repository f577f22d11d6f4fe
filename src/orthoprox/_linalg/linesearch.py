"""Step lengths: backtracking and Barzilai-Borwein."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

from orthoprox._arrays.library import Array, inner

T = TypeVar("T")

_MEMORY = 0.85  # of the average of Zhang and Hager


@dataclass(frozen=True)
class Step(Generic[T]):
    """What a line search found."""

    length: float
    point: T
    trials: int  # how many lengths were tried
    accepted: bool  # whether the last of them was good enough


def backtrack(
    at: Callable[[float], T], good: Callable[[float, T], bool], length: float, *, shrink: float = 0.5, shortest: float
) -> Step[T]:
    """Try length, shrink length, shrink^2 length, ... until one is good, or the next would be below
    ``shortest``, or not a positive number.
    """
    trials = 1
    while True:
        point = at(length)
        accepted = good(length, point)
        if accepted or not 0 < shrink * length < inf or shrink * length < shortest:
            return Step(length, point, trials, accepted)
        length, trials = shrink * length, trials + 1


def barzilai_borwein(S: Array, V: Array, *, long: bool = False) -> float:
    """Return |<S, V>| / <V, V> for a change S of the point and V of the gradient, or the longer <S,
    S> / |<S, V>|.

    The result is 0 where the divisor vanishes.
    """
    cross = abs(float(inner(S, V)))
    top, bottom = (float(inner(S, S)), cross) if long else (cross, float(inner(V, V)))
    return top / bottom if bottom > 0 else 0.0


def averaged(C: float, q: float, f: float) -> tuple[float, float]:
    """Return C+ = (a q C + f) / q+ and q+ = a q + 1, a = .85: the average of past values with which
    Zhang and Hager compare.

    Reference: H. Zhang and W. W. Hager, A nonmonotone line search technique and its application to
    unconstrained optimization, SIAM J. Optim. 14 (2004).
    """
    weight = _MEMORY * q
    return (weight * C + f) / (weight + 1), weight + 1
