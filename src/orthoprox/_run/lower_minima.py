"""Lower minima near the end of a run: basin hopping within a budget of counted work."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox._run.meter import Meter
from orthoprox._run.result import Result
from orthoprox._run.run import Call, run
from orthoprox.nonsmooth.separable import Zero
from orthoprox.starts.points import neighbours, random_direction
from orthoprox.starts.search import follow, path_length, probe_ends, probe_value
from orthoprox.stopping.status import Status

EFFORTS = {"fast": 0.0, "normal": 1.0, "thorough": 10.0}


def lower_minima(
    call: Call, result: Result, rng: np.random.Generator, starts: Sequence[Array] = (), effort: str = "normal"
) -> Result:
    """Return the lowest minimum that runs from further starts and basin hopping (Wales and Doye
    1997) find, within the work that the effort allows: that of the run itself, or a floor where
    that is more, times a factor. A smooth problem needs none.

    A round probes hops from the best minimiser found so far and runs from the lowest end. If X is
    small, the hops replace a column of X, many at a time. Otherwise they are two continuation
    paths: a wide and a narrow one from the minimiser, or, after a failure, wide ones from random
    points near the minimiser and far from it. The search ends after some failures in a row.
    """
    if result.status is not Status.CONVERGED or isinstance(call.problem.nonsmooth, Zero):
        return result
    search = _Search(replace(call, meter=Meter("run", call.meter.work)), result, EFFORTS[effort])
    with call.meter.part("lower minima"):
        with call.deadline.part():
            search.hop(rng, starts)
        call.meter.left["lower minima"] = search.best.measurement.projected_objective
    return search.best


class _Search:
    """The best minimum so far, and the work that is left."""

    def __init__(self, call: Call, result: Result, factor: float) -> None:
        k, problem = SETTINGS, call.problem
        self.call, self.best, self.gradients = call, result, call.meter.work.gradients
        self.small = problem.is_small(SMALL.entries)
        self.factor, self.rounds = factor, int(factor * k.rounds)
        before = sum(part.gradients for part in result.phases if part.name == "run")
        self.run_work = max(problem.flops, k.overhead) * before

    def hop(self, rng: np.random.Generator, starts: Sequence[Array]) -> None:
        """Look for lower minima."""
        self.small = self.small and self.call.problem.takes_stacks(self.best.X)
        for X0 in starts:
            self._run(X0)
        failures, patience = 0, self.factor * (SMALL.failures if self.small else SETTINGS.rounds // 2)
        for _ in range(self.rounds):
            if failures >= patience or self.spent + self._price > self.allowed:
                break
            try:
                X0, value = self._promising(rng, failures)
                found = value < self._lower and self._run(X0)
            except (ArithmeticError, ValueError):  # l need not be defined along a path
                found = False
            failures = 0 if found else failures + 1

    @property
    def allowed(self) -> float:
        """The gradients that may be spent."""
        numbers = SMALL if self.small else SETTINGS
        return self.factor * max(numbers.floor, self.run_work) / max(self.call.problem.flops, numbers.overhead)

    @property
    def spent(self) -> int:
        """The gradients so far."""
        return self.call.meter.work.gradients - self.gradients

    @property
    def _price(self) -> float:
        """The gradients of a round, and of a run like the first."""
        k, (first, second) = SETTINGS, SMALL.stages
        if self.small:
            return SMALL.stack * (first + second / SMALL.halving)
        return float(2 * (path_length(k.widths) + k.probe) + self.best.iterations)

    @property
    def _lower(self) -> float:
        """What counts as lower than the best."""
        best: float = self.best.measurement.projected_objective
        return best - SETTINGS.goal * abs(best)

    def _run(self, X0: Array) -> bool:
        """Run from X0; keep the result if it is lower, and return whether it is."""
        self.call.problem.heed()
        found = run(self.call, X0)
        lower = found.status is Status.CONVERGED and found.measurement.projected_objective < self._lower
        self.best = found if lower else self.best
        return lower

    def _promising(self, rng: np.random.Generator, failures: int) -> tuple[Array, float]:
        """Return the lowest end of the hops of a round, and a value that has to be lower than the
        best for a run.
        """
        problem, k, X = self.call.problem, SETTINGS, self.best.X
        if self.small:
            hops = neighbours(problem, X, rng, SMALL.stack)
            value, end = probe_ends(problem, hops, compiled=self.call.compiled)[0]
            return end, value
        paths = [(X, k.widths), (X, k.widths[1:])]
        if failures:
            paths = [(X + jitter * random_direction(problem, rng), k.widths) for jitter in k.jitters]
        return min((follow(problem, *path) for path in paths), key=lambda end: probe_value(problem, end)), -inf
