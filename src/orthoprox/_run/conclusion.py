"""What follows a run: lower minima, by basin hopping within a budget of counted work, the last
digits, and the status that is proved.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from math import inf
from operator import itemgetter

import numpy as np

from orthoprox._adaptive.polish import polish
from orthoprox._adaptive.settings import EFFORTS, SETTINGS, Settings
from orthoprox._adaptive.small import SMALL, Small
from orthoprox._arrays.library import Array
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._run.call import Call
from orthoprox._run.result import Result
from orthoprox._run.run import run
from orthoprox.files.journal import CURRENT
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.own_terms import BROKEN
from orthoprox.solvers.rpncg import advanced, begun
from orthoprox.starts.exchange import ROUND, exchangeable, exchanged
from orthoprox.starts.points import neighbours, random_direction, shifted
from orthoprox.starts.search import follow, path_length, probe_ends, probe_value
from orthoprox.stopping.clock import Meter
from orthoprox.stopping.rules import MaxIterations
from orthoprox.stopping.status import Status

_POLISHABLE = Status.CONVERGED, Status.ITERATIONS, Status.STALLED, Status.FAILED
_CERTIFICATE = 50  # pairs of products for the certificate of a polished point


def lower_minima(
    call: Call, result: Result, rng: np.random.Generator, starts: Sequence[Array] = (), effort: str = "normal"
) -> Result:
    """Return the lowest minimum that runs from further starts and basin hopping (Wales and Doye
    1997) find, within the work that the effort allows: that of the run itself, or a floor where
    that is more, times a factor. A smooth problem needs none.

    A round probes hops from the best minimiser found so far and runs from the lowest end, 2,000
    iterations at most. If X is small, the hops go in soft directions or replace a column of X, many
    at a time. Otherwise columns are exchanged, many hops one after the other before a run, if f is
    a sum over columns. If it is not, or this leads nowhere, the hops are two continuation paths: a
    wide and a narrow one from the minimiser, or, after a failure, wide ones from random points near
    the minimiser and far from it. The search ends after some failures in a row.
    """
    if result.status is not Status.CONVERGED or isinstance(call.problem.nonsmooth, Zero):
        return result
    rule = call.rule | MaxIterations(int(SETTINGS.slow))  # a slow run is no hop
    search = _Search(replace(call, rule=rule, meter=Meter("run", call.meter.work)), result, EFFORTS[effort])
    with call.meter.part("lower minima"):
        with call.deadline.part():
            search.hop(rng, starts)
        call.meter.left["lower minima"] = search.best.measurement.projected_objective
    return search.best


def polished(call: Call, result: Result) -> Result:
    """Return the result at the polished point, or as it is if polishing does not help or the run
    was cut short.
    """
    journal = CURRENT.get()
    if journal is None:
        return _polished(call, result)
    return journal.unit("polish", lambda page: _polished(call, result), problem=call.problem, solver=call.solver)


def _polished(call: Call, result: Result) -> Result:
    if result.status not in _POLISHABLE:
        return result
    if call.evaluator.exact(result.measurement, result.X):  # polished within the run
        return replace(result, polished=True)
    meter, evaluator, found = call.meter, call.evaluator, None
    meter.left["polish"] = result.measurement.projected_objective
    with call.deadline.part(), suppress(*BROKEN):
        with meter.part("polish"):
            found = polish(call.problem, result.X, result.multiplier, evaluator)
        if found is not None:
            with meter.part("certificate"):
                certificate = evaluator.certify(*found, work=_CERTIFICATE)
                measurement = evaluator.measure(found[0], certificate)
            return _at(call, result, found, certificate, measurement)
    return result


def _at(call: Call, result: Result, found: tuple[Array, Array], certificate: Certificate, measurement: Measurement) -> Result:
    """Return the result at the point that the polish found."""
    if not measurement.kkt_error <= result.measurement.kkt_error or not measurement.objective > float("-inf"):
        return result
    call.meter.left["polish"] = measurement.projected_objective
    row = {name: column[-1] for name, column in result.history.items()} | asdict(measurement)
    return replace(
        result,
        X=found[0],
        multiplier=found[1],
        certificate=certificate,
        measurement=measurement,
        history={name: np.append(column if call.history else column[:0], row[name]) for name, column in result.history.items()},
        polished=True,
    )


def with_certified_status(result: Result, tol: float) -> Result:
    """Return the result with the status that its certificate proves: a budget may end a run before
    its last check.
    """
    proved = result.measurement.kkt_error <= tol and result.measurement.objective > float("-inf")
    if result.status not in (*_POLISHABLE, Status.TIME) or not proved:
        return result
    before = f" Before that: {result.message}" if result.status is Status.FAILED else ""
    return replace(result, status=Status.CONVERGED, message=Status.CONVERGED.value + before)


class _Search:
    """The best minimum so far, and the work that is left."""

    def __init__(self, call: Call, result: Result, factor: float) -> None:
        k, problem = SETTINGS, call.problem
        self.call, self.best, self.gradients = call, result, call.meter.work.gradients
        self.small = self.soft = problem.is_small(SMALL.entries)
        self.factor, self.rounds, self.exchanging = factor, int(factor * k.rounds), False
        self.fresh, self.round = True, 0  # no hops to neighbours of the best yet; the gradients of the last round
        loop, before = problem.loop, sum(part.gradients for part in result.phases if part.name == "run")
        self.flops = problem.flops if loop is None else loop.flops
        self.run_work = max(self.flops, k.overhead if loop is None else SMALL.overhead) * before

    def hop(self, rng: np.random.Generator, starts: Sequence[Array]) -> None:
        """Look for lower minima: by exchanges first, which cost least, if there are any."""
        self.small = self.small and self.call.problem.takes_stacks(self.best.X)
        exchanges = not self.small and exchangeable(self.call.problem, self.best.X)
        affordable = self.exchanging = exchanges and ROUND * SETTINGS.rounds <= self.floor
        if affordable:
            self._rounds(rng, exchanges)
        if any([self._run(X0) for X0 in starts]) or not affordable:
            self.exchanging = affordable
            self._rounds(rng, exchanges)

    def _rounds(self, rng: np.random.Generator, exchanges: bool) -> None:
        """Make rounds of hops until some are in vain, or the work is done."""
        failures, lowered, n = 0, False, self.call.problem.shape[1]
        patience = self.factor * (max(SMALL.failures, n // 2 - 1) if self.small else SETTINGS.rounds // 2)
        for _ in range(self.rounds):
            if failures >= patience or self.spent + self._price > self.allowed:
                break
            before = self.spent
            try:
                X0, value = self._promising(rng, failures)
                self.round = self.spent - before
                found = value < self._lower and self._run(X0)
            except (ArithmeticError, ValueError):  # l need not be defined along a path
                found = False
            if self.exchanging and lowered and not found:
                break  # where exchanges lead down, paths do not
            failures, lowered = 0 if found else failures + 1 - self.exchanging, self.exchanging and found
            self.exchanging = exchanges and found

    @property
    def allowed(self) -> float:
        """The gradients that may be spent."""
        return max(self.floor, self.factor * self.run_work / max(self.flops, self._numbers.overhead))

    @property
    def floor(self) -> float:
        """The gradients that may be spent whatever the run took."""
        return self.factor * self._numbers.floor / max(self.flops, self._numbers.overhead)

    @property
    def _numbers(self) -> Small | Settings:
        return SMALL if self.small else SETTINGS

    @property
    def spent(self) -> int:
        """The gradients so far."""
        return self.call.meter.work.gradients - self.gradients

    @property
    def _price(self) -> float:
        """The gradients of a round, at least as many as the last one has taken, and of a run like
        the first if X is not small.
        """
        k, (first, second) = SETTINGS, SMALL.stages
        if self.small:
            return max(SMALL.stack * (first + second / SMALL.halving), self.round)
        hops = ROUND if self.exchanging else 2 * (path_length(k.widths) + k.probe)
        return float(hops + self.best.iterations)

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
        self.best, self.fresh = (found, True) if lower else (self.best, self.fresh)
        return lower

    def _promising(self, rng: np.random.Generator, failures: int) -> tuple[Array, float]:
        """Return the lowest end of the hops of a round, and a value that has to be lower than the
        best for a run.
        """
        problem, k, X = self.call.problem, SETTINGS, self.best.X
        if self.small:
            return min(self._ends(rng, failures), key=itemgetter(0))[::-1]
        if self.exchanging:
            return exchanged(problem, X, rng, self.floor - self.spent - self.best.iterations, self.factor * k.rounds)
        paths = [(X, k.widths), (X, k.widths[1:])]
        if failures:
            paths = [(X + jitter * random_direction(problem, rng), k.widths) for jitter in k.jitters]
        return min((follow(problem, *path) for path in paths), key=lambda end: probe_value(problem, end)), -inf

    def _ends(self, rng: np.random.Generator, failures: int) -> list[tuple[float, Array]]:
        """Return f and the points where hops on a small problem end: to neighbours, or where
        Newton's method is compiled in soft directions first, unless there are none or they have
        failed twice; it takes the lowest few ends further.
        """
        problem, X, Y = self.call.problem, self.best.X, self.best.multiplier
        fast = problem.loop is not None and problem.loop.newton
        ends: list[tuple[float, Array]] = []
        if fast and self.soft and failures < 2:
            points = shifted(problem, X, Y, rng, [SMALL.shift / (1 + i % 2) for i in range(SMALL.halving)])
            ends, self.soft = [(-inf, point) for point in points], bool(points)
        if not ends:
            ends = probe_ends(problem, neighbours(problem, X, rng, SMALL.stack, fresh=self.fresh))[: SMALL.halving]
            self.fresh = False
            if not fast:
                return ends
        found: list[tuple[float, Array]] = []
        fall = 0.0  # the most that Newton's method has gained; twice as much is expected at best
        for value, point in ends:
            if not found or (self.spent < self.allowed and value - 2 * fall < self._lower):
                first = begun(problem, point, self.call.evaluator.step)
                here = advanced(problem, first, SETTINGS.newton_steps, SETTINGS.goal).here
                found.append((here.F, here.X))
                fall = max(fall, value - here.F)
        return found
