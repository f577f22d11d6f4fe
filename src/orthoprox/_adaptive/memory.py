"""What the phases of the default method exchange: a point, and what the run has learnt."""

from dataclasses import dataclass

from orthoprox._arrays.library import Array


@dataclass(frozen=True)
class PrimalDual:
    """A point with its multiplier and the two gradients that belong to it: what phases exchange."""

    X: Array  # the point
    Y: Array  # the multiplier of X'X = I
    D: Array  # grad l(X)
    S: Array  # a subgradient of g at X


@dataclass(frozen=True)
class Memory:
    """What a run has learnt about the problem; it is kept from phase to phase."""

    start: PrimalDual  # at X0
    value: float  # f(X0)
    curvature: float  # of l around X0
    floor: float  # the least denominator of relative residuals
    step: float  # the step of the prox point of certificates
    bound: float  # the eigenvalue of E'E - I at which a step has diverged
    polish_at: float  # the residual at which a polish is tried next
    safety: float = 1.0  # of the measured curvature; divergences and stagnation raise it
    divergences: int = 0  # how often the run has left the neighbourhood of X'X = I
