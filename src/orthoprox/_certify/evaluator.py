"""The one evaluator: every number that is reported about a point comes from here, never from a
solver. What it measures: objective, feasibility, stationarity, sparsity.
"""

from dataclasses import dataclass, replace

from orthoprox._arrays.library import Array, namespace, negligible, norm, precision
from orthoprox._certify.certificate import Certificate, certify, proximal_step
from orthoprox._linalg.stiefel import feasibility, polar
from orthoprox.problems.problem import Problem

__all__ = ["FLOOR", "ZERO", "Evaluator", "Measurement", "feasibility", "is_worse", "sparsity"]

FLOOR = 1e-3  # the gradient is never called smaller than this share of its size at the start
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

    def exact(self, measurement: Measurement, X: Array) -> bool:
        """Whether a polish of X could gain next to nothing."""
        return measurement.kkt_error <= negligible(X)

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
    found = projected if projected < float("inf") else float(problem.value(X))
    return not found <= value + max(slack, precision(X) ** 0.5) * abs(value)


def sparsity(X: Array) -> float:
    """Return the share of entries with |x| < 1e-5."""
    xp = namespace(X)
    return float(xp.mean(xp.astype(xp.abs(X) < ZERO, xp.float64)))
