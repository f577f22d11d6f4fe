"""A probe: a few first-order iterations of the default method from a start, and f where they
end.
"""

from orthoprox._arrays.library import Array
from orthoprox._linalg.norms import norm
from orthoprox._linalg.stiefel import polar
from orthoprox.problems.problem import Problem
from orthoprox.solvers.adaptive import Adaptive

PROBE = 30  # iterations of a probe: coordinate vectors begin low and are overtaken within these, if at all
WORK = 2e10  # floating point operations that all probes together may take
_FAR = 1e3  # times sqrt(n): the norm of a point that counts as diverged


def flops(problem: Problem) -> float:
    """Return the floating point operations of one iteration with dense data."""
    m, n = problem.shape
    return 2.0 * m**2 * n + 6.0 * m * n**2


def advance(problem: Problem, X: Array, iterations: int) -> Array | None:
    """Return the point after some iterations from X, or None if they diverge."""
    solver = Adaptive(newton=False)
    state = solver.init(problem, X)
    for _ in range(iterations):
        state = solver.step(problem, state)
    end = solver.output(state)
    return end if float(norm(end)) <= _FAR * problem.shape[1] ** 0.5 else None


def probe_value(problem: Problem, X: Array) -> float:
    """Return f at the point of the manifold nearest to the end of a probe from X."""
    end = advance(problem, X, PROBE)
    if end is None:
        return float("inf")
    value = float(problem.value(polar(end)))
    value = value if value < float("inf") else float(problem.value(end))
    return value if value == value else float("inf")
