"""Measurements of a point: objective, feasibility, stationarity, sparsity."""

from dataclasses import dataclass

from orthoprox._arrays.library import Array, namespace
from orthoprox._linalg.norms import norm
from orthoprox._linalg.products import support
from orthoprox._linalg.stiefel import defect

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


def feasibility(X: Array) -> float:
    """Return |X'X - I|_F."""
    return float(norm(defect(X, support(X))))


def sparsity(X: Array) -> float:
    """Return the share of entries with |x| < 1e-5."""
    xp = namespace(X)
    return float(xp.mean(xp.astype(xp.abs(X) < ZERO, xp.float64)))
