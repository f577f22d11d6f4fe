"""The one evaluator: every number that is reported about a point comes from here, never from a
solver.
"""

from orthoprox._arrays.library import Array, precision
from orthoprox._certify.certificate import Certificate, certify, proximal_step
from orthoprox._certify.metrics import Measurement, feasibility, sparsity
from orthoprox._linalg.norms import norm
from orthoprox._linalg.stiefel import polar
from orthoprox.problems.problem import Problem

_FLOOR = 1e-3  # the gradient is never called smaller than this share of its size at the start


class Evaluator:
    """Measures the points of one run, all with the same prox step and the same scale.

    ``stationarity`` is the certificate's upper bound over max(|grad l(X)|, 1e-3 |grad l(X0)|):
    invariant under scaling of f, and not fooled by a gradient that vanishes at the solution.
    """

    def __init__(self, problem: Problem, X0: Array, *, step: float | None = None) -> None:
        self.problem = problem
        self.step = proximal_step(problem, X0) if step is None else step  # t of the prox point
        self.floor = _FLOOR * float(norm(problem.smooth.grad(X0)))

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
