"""What is measured at a point: its feasibility, its sparsity, and the evaluator of a run."""

from typing import Any

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._certify import evaluator
from orthoprox._certify.evaluator import FLOOR, ZERO, Evaluator, Measurement, is_worse
from orthoprox.stiefel import feasibility

__all__ = ["FLOOR", "ZERO", "Evaluator", "Measurement", "feasibility", "is_worse", "sparsity"]


@quiet()
def sparsity(X: Any) -> float:
    """Return the share of entries with |x| < 1e-5."""
    return evaluator.sparsity(inputs.matrix(X, "X", batch=True))
