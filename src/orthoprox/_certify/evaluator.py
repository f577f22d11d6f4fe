"""The one evaluator: every number that is reported about a point comes from here, never from a
solver. What it measures: objective, feasibility, stationarity, sparsity; and which of two measured
points is better.
"""

from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan
from typing import Any

from orthoprox._arrays.library import Array, namespace, negligible, norm, precision
from orthoprox._certify.certificate import Certificate, certify, proximal_step
from orthoprox._linalg.stiefel import feasibility, polar
from orthoprox.problems.own_terms import TermError
from orthoprox.problems.problem import Problem

__all__ = ["FLOOR", "ZERO", "Evaluator", "Measured", "Measurement", "feasibility", "is_worse", "sparsity", "unmeasured"]

FLOOR = 1e-3  # the gradient is never called smaller than this share of its size at the start
_EQUAL = 1e-9  # the share of f up to which objectives are equal
_NEAR = 0.5  # |X'X - I| up to which the nearest feasible point says something about X
ZERO = 1e-5  # entries below this count as zero in `sparsity`, as in the paper


@dataclass(frozen=True)
class Measurement:
    """What is measured at a point X."""

    objective: float  # f(X) at the point itself, which can be lower than at any feasible point
    projected_objective: float  # f at the nearest point with X'X = I: what methods are ranked by
    feasibility: float  # |X'X - I|_F
    stationarity: float  # relative distance to stationarity, an upper bound
    sparsity: float  # share of entries with |x| < 1e-5
    kkt_error: float  # what is missing to a feasible stationary point, the number that `tol` bounds

    def times(self, unit: float) -> "Measurement":
        """Return the measurement of f times the unit."""
        return replace(self, objective=self.objective * unit, projected_objective=self.projected_objective * unit)


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


@dataclass(frozen=True)
class Evaluator:
    """Measures the points of one call, all with the same prox step and the same scale.

    ``stationarity`` is the certificate's upper bound over max(|grad l(X)|, 1e-3 |grad l(X0)|):
    invariant under scaling of f, and not fooled by a gradient that vanishes at the solution.
    """

    problem: Problem
    step: float  # t of the prox point
    floor: float  # 1e-3 |grad l(X0)|, the least scale of the stationarity

    @classmethod
    def at(cls, problem: Problem, X0: Array) -> "Evaluator":
        """Return the evaluator of a call that starts at X0."""
        return cls(problem, proximal_step(problem, X0), FLOOR * float(norm(problem.grad(X0))))

    @classmethod
    def rough(cls, problem: Problem, X0: Array) -> "Evaluator":
        """Return the evaluator with a step from the slope |grad l(X0)| / sqrt(n) instead of the
        curvature, at the price of one gradient.
        """
        size = float(norm(problem.grad(X0)))
        return cls(problem, X0.shape[-1] ** 0.5 / size if size > 0 else 1.0, FLOOR * size)

    def certify(self, X: Array, multiplier: Array | None, *, work: int = 0) -> Certificate:
        """Certify X, quickly, or as sharply as ``work`` pairs of products allow."""
        return certify(self.problem, X, multiplier, self.step, work=work)

    def kkt_error(self, X: Array, certificate: Certificate) -> float:
        """Return the one number that ``tol`` bounds and that the best point of a run has smallest.

        It is the largest of the relative stationarity of P, |P'P - I|, |X'X - I| and
        |P - X| / sqrt(n): a certificate speaks of P, so that X has to be near it.
        """
        distance: float = certificate.distance / X.shape[-1] ** 0.5
        return max(self.stationarity(certificate), certificate.feasibility, feasibility(X), distance)

    def feasibility(self, X: Array) -> float:
        """Return |X'X - I|_F."""
        return feasibility(X)

    def exact(self, measurement: Measurement, X: Array) -> bool:
        """Whether a polish of X could gain next to nothing."""
        return measurement.kkt_error <= negligible(X)

    def on_kinks(self, X: Array) -> Array:
        """Return an exact X with its entries on kinks that differ from them by inaccuracy alone, as
        retractions fill zeros; X itself if there are none.
        """
        P = self.problem.round_to_kinks(X, negligible(X))
        return X if float(norm(P - X)) == 0 else P

    def stationarity(self, certificate: Certificate) -> float:
        """Return the relative distance to stationarity that a certificate proves."""
        return certificate.relative(self.floor)

    def measure(self, X: Array, certificate: Certificate) -> Measurement:
        """Measure X, whose certificate is at hand."""
        return Measurement(
            objective=float(self.problem.value(X)),
            projected_objective=float(self.problem.value(polar(X))),
            feasibility=feasibility(X),
            stationarity=self.stationarity(certificate),
            sparsity=sparsity(X),
            kkt_error=self.kkt_error(X, certificate),
        )


def is_worse(problem: Problem, X: Array, value: float, *, slack: float) -> bool:
    """Whether f is above ``value`` by more than the share ``slack``, at the point of the manifold
    nearest to X.

    Outside the domain of g, where a projected point easily lies, f is taken at X itself.
    """
    projected = float(problem.value(polar(X)))
    found = projected if projected < inf else float(problem.value(X))
    return not found <= value + max(slack, precision(X) ** 0.5) * abs(value)


def sparsity(X: Array) -> float:
    """Return the share of entries with |x| < 1e-5."""
    xp = namespace(X)
    return float(xp.mean(xp.astype(xp.abs(X) < ZERO, xp.float64)))


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
