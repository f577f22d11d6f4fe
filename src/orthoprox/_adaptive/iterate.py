"""The state of the first-order phase."""

from dataclasses import dataclass

from orthoprox._adaptive.phase import Memory
from orthoprox._adaptive.rules import StagnationMonitor
from orthoprox._arrays.library import Array


@dataclass(frozen=True)
class Iterate:
    """The iterates, and the quantities measured along the run."""

    X: Array  # X^k, primal iterate
    E: Array  # X^k + theta (X^k - X^(k-1)), the extrapolated point: all is evaluated here
    Y: Array  # Y^k, multiplier of X'X = I
    Z: Array  # Z^k, smoothing centre
    D: Array  # grad l(E)
    G: Array  # E'E - I
    EY: Array  # the product E Y
    EG: Array  # the product E G
    good: Array  # the last X without a vanished column
    c: float  # curvature in force, 1 / lam
    near_curvature: float  # c when X was last near the manifold; far from it c measures the penalty
    gap: float  # (c + r) |X - E|, the residual of the last step
    stationarity: float  # the same, relative to the gradient
    feasibility: float  # |E'E - I|
    residual: float  # the larger of the two
    monitor: StagnationMonitor
    memory: Memory
    t: float = 1.0  # Nesterov's t
    theta: float = 0.0  # inertia of the last step
    vanished: int = 0  # iterations in a row with a vanished column
    failed: str = ""  # why the phase cannot go on
