"""A point of a run with what was measured there, which of two is better, and who measures."""

from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from orthoprox._arrays.library import Array, namespace
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Evaluator, Measurement, feasibility, sparsity
from orthoprox._run.meter import Meter
from orthoprox.problems.own_terms import BROKEN, TermError
from orthoprox.problems.problem import Problem
from orthoprox.stopping.deadline import Deadline

_CURVATURE_SHARE = 0.1  # of a time budget
_EQUAL = 1e-9  # the share of f up to which objectives are equal
_NEAR = 0.5  # |X'X - I| up to which the nearest feasible point says something about X


@dataclass(frozen=True)
class Measured:
    """A state of a run, and what was measured there."""

    state: Any  # None if nothing was
    X: Array
    multiplier: Array | None
    certificate: Certificate
    measurement: Measurement

    def better_than(self, other: "Measured | None") -> bool:
        """Whether f is lower at the nearest feasible point. Where it is equal or not finite, or
        that point is far away, whether the KKT error is smaller.
        """
        mine = self.measurement
        if not self.known or other is None or not other.known:
            return self.known
        theirs = other.measurement
        low, high = sorted((mine.projected_objective, theirs.projected_objective))
        near = max(mine.feasibility, theirs.feasibility) <= _NEAR
        if near and isfinite(low) and isfinite(high) and high - low > _EQUAL * max(abs(low), abs(high)):
            return mine.projected_objective == low
        return mine.kkt_error < theirs.kkt_error

    @property
    def known(self) -> bool:
        """Whether the certificate proves something, and f is not NaN nor -infinite."""
        return self.measurement.kkt_error < inf and self.measurement.objective > -inf

    @property
    def told(self) -> Measurement:
        """What the result says: an f that is no number, such as a weight beyond the range of the
        precision times 0, is infinite.
        """
        mine = self.measurement
        objective, projected = (inf if isnan(f) else f for f in (mine.objective, mine.projected_objective))
        return replace(mine, objective=objective, projected_objective=projected)

    @property
    def reached(self) -> str:
        """What was reached, in a sentence; nothing is said if nothing is known."""
        if self.state is None:
            return ""
        stationarity, feasible = self.measurement.stationarity, self.measurement.feasibility
        sentence = f"Reached: stationarity {stationarity:.1e}, feasibility {feasible:.1e}."
        if self.measurement.kkt_error > max(stationarity, feasible):
            error = f"{self.measurement.kkt_error:.1e}"
            sentence += f" They hold at the prox point P, and max(|P - X| / sqrt(n), |P'P - I|) = {error}."
        return sentence


def unmeasured(problem: Problem, X: Array) -> Measured:
    """Return a point of the manifold about which nothing is known but f, if that; f is computed in
    double precision, since its size is not known either.
    """
    try:
        value = float(problem.value(namespace(X).astype(X, namespace(X).float64)))
    except TermError:
        value = nan
    gap, n = feasibility(X), X.shape[-1]
    proof = Certificate(X, 0.0, gap, inf, 0.0, namespace(X).zeros((n, n), dtype=X.dtype), nan, nan)
    return Measured(None, X, None, proof, Measurement(value, value, gap, inf, sparsity(X), inf))


def evaluator_at(problem: Problem, X0: Array, meter: Meter, deadline: Deadline) -> Evaluator:
    """Return the evaluator of a call that starts at X0. If there is no time to measure a curvature,
    the slope at X0 tells the step of its prox points.
    """
    with meter.part("certificate"), deadline.part(), suppress(*BROKEN):
        meter.left["start"] = float(problem.value(X0))
        rough = Evaluator.rough(problem, X0) if deadline.budget < np.inf else None
        with deadline.part(_CURVATURE_SHARE):
            return Evaluator.at(problem, X0)
        if rough is not None:
            return rough
    return Evaluator(problem, 1.0, 0.0)
