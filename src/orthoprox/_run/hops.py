"""Hops from a minimum to points where a run may end lower: one class for each kind, and the state
of a search that makes them round by round.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox._adaptive.small import SMALL, Small
from orthoprox._arrays.library import Array
from orthoprox._run.call import Call
from orthoprox._run.result import Result
from orthoprox.files.journal import CURRENT
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem
from orthoprox.problems.work import Work
from orthoprox.solvers.rpncg import advanced, begun
from orthoprox.starts.exchange import ROUND, exchangeable, exchanged
from orthoprox.starts.points import neighbours, random_direction, shifted
from orthoprox.starts.search import follow, path_length, probe_ends, probe_value
from orthoprox.stopping.clock import Stopped


@dataclass(frozen=True)
class End:
    """Where a hop ends."""

    value: float  # f there, or what a run from there is worth: it has to be lower than the best
    X: Array
    Y: Array | None = None  # the multiplier, if Newton's method has ended there: a run would find the same minimum


@dataclass(frozen=True)
class State:
    """A search for lower minima between two rounds: all that the next round needs beside its random
    numbers.
    """

    best: Result  # the lowest minimum that a run has found
    kind: str  # of the next hops, one of KINDS
    first: str  # the kind of hops from a new minimum
    left: int  # rounds that may follow
    failures: int = 0  # rounds in vain, one after the other
    lowered: bool = False  # whether exchanges have led to the best in the last round
    fresh: bool = True  # whether no neighbour of the best was visited yet
    price: int = 0  # gradients of the hops of the last round
    spent: int = 0  # gradients of the search so far
    starts: tuple[Array, ...] = ()  # further ones, from which a run is to be made
    again: bool = False  # whether rounds follow these runs
    newer: End | None = None  # a lower minimum, from which a run is to be made at last

    @property
    def lowest(self) -> End:
        """The lowest minimum so far."""
        return self.newer or End(self.best.measurement.projected_objective, self.best.X, self.best.multiplier)

    @property
    def lower(self) -> float:
        """What counts as lower than this."""
        value = self.lowest.value
        return value - SETTINGS.goal * abs(value)

    def at(self, found: Result | End) -> "State":
        """Return the state after a run, or Newton's method, has found a lower minimum."""
        new = replace(self, kind=self.first, failures=0, lowered=self.kind == "exchanges", fresh=True)
        return replace(new, newer=found) if isinstance(found, End) else replace(new, best=found, newer=None)


@dataclass(frozen=True)
class Budget:
    """The counted work that a search may take: that of the run before, or a floor where that is
    more, times the factor of its effort.
    """

    work: Work  # of the call, which grows
    begun: int  # its gradients when the search began
    factor: float  # of the effort
    floor: float  # gradients that may be spent whatever the run took
    allowed: float  # gradients that may be spent

    @classmethod
    def of(cls, call: Call, result: Result, factor: float, numbers: Small | Settings) -> "Budget":
        """Return the budget after a run."""
        loop, before = call.problem.loop, sum(part.gradients for part in result.phases if part.name == "run")
        flops = call.problem.flops if loop is None else loop.flops
        cost, work = max(flops, numbers.overhead), call.meter.work
        run = before * max(flops, SETTINGS.overhead if loop is None else SMALL.overhead)
        floor = factor * numbers.floor / cost
        return cls(work, work.gradients, factor, floor, max(floor, factor * run / cost))

    @property
    def spent(self) -> int:
        """The gradients so far."""
        return self.work.gradients - self.begun

    @property
    def rounds(self) -> int:
        """The most rounds from one minimum."""
        return int(self.factor * SETTINGS.rounds)


@dataclass(frozen=True)
class Hops(ABC):
    """One kind of hops."""

    call: Call
    budget: Budget

    @property
    def patience(self) -> float:
        """The rounds in vain that end a search."""
        return self.budget.factor * (SETTINGS.rounds // 2)

    @abstractmethod
    def price(self, state: State) -> float:
        """Return the gradients that a round is expected to take."""

    @abstractmethod
    def ends(self, state: State, rng: np.random.Generator) -> tuple[State, list[End]]:
        """Return where the hops of a round end, and the state with what they have shown."""

    def vain(self, state: State) -> State:
        """Return the state after a round that has found nothing lower."""
        return replace(state, failures=state.failures + 1, lowered=False)


class Paths(Hops):
    """Two continuation paths, a wide and a narrow one from the minimum, or, after a failure, wide
    ones from random points near it and far from it.
    """

    def price(self, state: State) -> float:
        """Return the gradients of both, and of a run like that which has found the minimum."""
        return float(2 * (path_length(SETTINGS.widths) + SETTINGS.probe) + state.best.iterations)

    def ends(self, state: State, rng: np.random.Generator) -> tuple[State, list[End]]:
        """Return the lower end, whose value is of no account before a run."""
        problem, k, X = self.call.problem, SETTINGS, state.best.X
        paths = [(X, k.widths), (X, k.widths[1:])]
        if state.failures:
            paths = [(X + jitter * random_direction(problem, rng), k.widths) for jitter in k.jitters]
        return state, [End(-inf, min((follow(problem, *path) for path in paths), key=lambda end: probe_value(problem, end)))]


class Exchanges(Hops):
    """Exchanges of columns, many one after the other. Paths follow if they find nothing at all;
    where they lead down, paths do not.
    """

    def price(self, state: State) -> float:
        """Return the gradients of one, and of a run like that which has found the minimum."""
        return float(ROUND + state.best.iterations)

    def ends(self, state: State, rng: np.random.Generator) -> tuple[State, list[End]]:
        """Return where they end."""
        left = self.budget.floor - self.budget.spent - state.best.iterations
        X, value = exchanged(self.call.problem, state.best.X, rng, left, self.budget.factor * SETTINGS.rounds)
        return state, [End(value, X)]

    def vain(self, state: State) -> State:
        """Return the state in which paths follow, or nothing."""
        return replace(state, kind="paths", left=0 if state.lowered else state.left, lowered=False)


class Neighbours(Hops):
    """Hops of a small X that replace a column, many at a time. Where Newton's method is compiled,
    it takes the lowest few ends further.
    """

    @property
    def patience(self) -> float:
        """The rounds in vain that end a search: more of them if there are many columns."""
        return self.budget.factor * max(SMALL.failures, self.call.problem.shape[1] // 2 + 1)

    def price(self, state: State) -> float:
        """Return the gradients that the last round has taken, or at first those of whole probes."""
        return float(state.price or SMALL.stack * SMALL.length)

    def ends(self, state: State, rng: np.random.Generator) -> tuple[State, list[End]]:
        """Return the lowest ends of the probes, or where Newton's method takes them."""
        problem, X = self.call.problem, state.lowest.X
        probes = probe_ends(problem, neighbours(problem, X, rng, SMALL.stack, fresh=state.fresh))[: SMALL.few]
        ends = [End(*probe) for probe in probes]
        return replace(state, fresh=False), self.refined(state, ends) if has_newton(self.call) else ends

    def refined(self, state: State, ends: list[End]) -> list[End]:
        """Return where Newton's method takes those ends which may get below the best; the ends
        themselves if time is over.
        """
        problem, found, fall = self.call.problem, list[End](), 0.0  # what it has gained at most; twice as much is expected
        with suppress(Stopped):
            for end in ends:
                if not found or (self.budget.spent < self.budget.allowed and end.value - 2 * fall < state.lower):
                    first = begun(problem, end.X, self.call.evaluator.step)
                    last = advanced(problem, first, SETTINGS.newton_steps, SETTINGS.goal)
                    found.append(End(last.here.F, last.here.X, -last.Lam))
                    fall = max(fall, end.value - last.here.F)
        return found or ends


class Soft(Neighbours):
    """Hops of a small X in soft directions, and Newton's method from there; neighbours follow after
    two failures, or if there are no such directions.
    """

    def ends(self, state: State, rng: np.random.Generator) -> tuple[State, list[End]]:
        """Return where Newton's method ends."""
        low, lengths = state.lowest, [SMALL.shift / (1 + i % 2) for i in range(SMALL.few)]
        points = shifted(self.call.problem, low.X, low.Y, rng, lengths)
        if not points:
            return super().ends(replace(state, kind="neighbours", first="neighbours"), rng)
        return state, self.refined(state, [End(-inf, point) for point in points])

    def vain(self, state: State) -> State:
        """Return the state after a failure."""
        return super().vain(replace(state, kind="neighbours" if state.failures else state.first))


KINDS: dict[str, Callable[[Call, Budget], Hops]] = {
    "soft": Soft,
    "neighbours": Neighbours,
    "exchanges": Exchanges,
    "paths": Paths,
}


def has_minima(problem: Problem) -> bool:
    """Whether there may be several minima to choose from: a smooth problem has hardly any."""
    return not isinstance(problem.nonsmooth, Zero)


def begin(call: Call, result: Result, factor: float, starts: tuple[Array, ...]) -> tuple[Budget, State]:
    """Return the budget and the first state of a search for minima lower than the result.

    If X is small, the hops go in soft directions or to neighbours. Otherwise columns are exchanged
    first, which costs least, if f is a sum over columns; runs from further starts come next, or
    first if there is nothing to exchange.
    """
    problem, spent = call.problem, call.meter.work.gradients
    if problem.is_small(SMALL.entries) and problem.takes_stacks(result.X):
        budget, kind = Budget.of(call, result, factor, SMALL), "soft" if has_newton(call) else "neighbours"
        first = kind
    else:
        budget = Budget.of(call, result, factor, SETTINGS)
        first = "exchanges" if exchangeable(problem, result.X) else "paths"
        kind = first if ROUND * SETTINGS.rounds <= budget.floor else "paths"
    budget, before = replace(budget, begun=spent), kind == "exchanges"
    left = budget.rounds if before or not starts else 0
    return budget, State(result, kind, first, left, spent=budget.spent, starts=starts, again=not before)


def descended(call: Call, X: Array) -> Array:
    """Return where Newton's method ends from a start, if it is compiled: its steps cost much less
    than those of a run, which then begins at the end. If time is over, it is where they are. It is
    never higher than the start.
    """
    journal = CURRENT.get()
    if not has_newton(call):
        return X
    if journal is None:
        return _descended(call, X)
    return journal.unit("descent", lambda page: _descended(call, X))


def _descended(call: Call, X: Array) -> Array:
    k, states = SETTINGS, list[Any]()
    with suppress(Stopped, *BROKEN):
        states.append(begun(call.problem, X, call.evaluator.step))
        for _ in range(int(k.slow) // k.newton_steps):
            states.append(advanced(call.problem, states[-1], k.newton_steps, k.goal))
            if states[-1].size / states[-1].used <= k.goal * np.linalg.norm(states[-1].here.D):
                break
    if not states or not states[-1].here.F < states[0].here.F:  # a step may rise before it is checked
        return X
    call.meter.left["start"] = states[-1].here.F
    return np.asarray(states[-1].here.X)


def has_newton(call: Call) -> bool:
    """Whether Newton's method is compiled for the problem."""
    return call.problem.loop is not None and bool(call.problem.loop.newton)
