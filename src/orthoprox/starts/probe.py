"""The probe: some first-order iterations from a start, and f where they end."""

from collections.abc import Sequence
from contextlib import suppress
from math import inf

import numpy as np

from orthoprox._adaptive.batch import Stack, first_iterates
from orthoprox._adaptive.compiled import Walks
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox._linalg.stiefel import polar
from orthoprox.problems.counted import BROKEN
from orthoprox.problems.problem import Problem
from orthoprox.stopping.deadline import Stopped


def advance(problem: Problem, X: Array, iterations: int) -> Array:
    """Return the point after some first-order iterations of the default method from X, or after
    fewer if time is over.
    """
    phase = FirstOrder(SETTINGS, alone=True)
    state = phase.first(problem, X)
    with suppress(Stopped):
        for _ in range(iterations):
            state = phase.step(problem, state)
    return state.X


def probe_value(problem: Problem, X: Array) -> float:
    """Return f at the point of the manifold nearest to the end of a probe from X; infinite if it
    cannot be computed.
    """
    try:
        end = advance(problem, X, SETTINGS.probe)
        value = float(problem.value(polar(end)))
        value = value if value < inf else float(problem.value(end))
    except BROKEN:
        return inf
    return value if value == value else inf


def probe_ends(problem: Problem, starts: Sequence[Array], *, compiled: bool = False) -> list[tuple[float, Array]]:
    """Return f and the points of the manifold where probes from several starts end, the lowest
    first.

    The probes go side by side, or one after the other through the compiled loop. After each stage
    the lower quarter of them goes on (successive halving, Jamieson and Talwalkar 2016). A probe
    that leads up ends at its start. If time is over, they end where they are.
    """
    phase, P, dtype = FirstOrder(SETTINGS, alone=True), np.stack(starts), starts[0].dtype
    going = first_iterates(phase, problem, starts)
    values = np.nan_to_num([run.memory.value for run in going], nan=inf, neginf=inf)
    ended: list[tuple[float, Array]] = []
    with suppress(Stopped):
        for stage in SMALL.stages:
            stack = Walks(going) if compiled else Stack(going)
            with suppress(Stopped):
                stack.advance(phase, problem, stage, SETTINGS.goal)
            going = stack.runs
            ends = polar(np.stack([run.X for run in going])).astype(dtype)
            new = _values(problem, ends)
            lower = new < values
            P, values = np.where(lower[:, None, None], ends, P), np.where(lower, new, values)
            order = np.argsort(values, kind="stable")
            stay, leave = np.split(order, [max(1, len(order) // SMALL.halving)])
            ended = [(float(values[i]), P[i]) for i in leave] + ended
            going, P, values = [going[i] for i in stay], P[stay], values[stay]
    found = [(float(values[i]), P[i]) for i in np.argsort(values, kind="stable")]
    return found + ended


def _values(problem: Problem, P: Array) -> Array:
    return np.nan_to_num(problem.value(P), nan=inf, neginf=inf)
