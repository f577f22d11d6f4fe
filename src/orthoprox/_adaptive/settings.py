"""Every tuned number of the default method."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StepRule:
    """How the step follows the measured curvature."""

    inertia: float  # the largest theta
    lagrangian: float  # c over k_L, the curvature of the Lagrangian along the last step
    total: float  # c over k_T, which has the penalty; at most 1, since k_T contains 4 rho = .8 c
    decay: float  # the least ratio of two successive c


@dataclass(frozen=True)
class Settings:
    """The numbers of the default method, with their meaning and unit."""

    penalty: float = 0.2  # rho / c and alpha / c
    smoothing: float = 0.05  # r / c
    centre: float = 0.9  # beta
    threshold: float = 0.5
    convex: float = 1.2
    power_steps: int = 4
    step_rules: tuple[StepRule, ...] = (
        StepRule(inertia=0.95, lagrangian=1.2, total=0.8, decay=0.998),  # fast, but may cycle
        StepRule(inertia=0.0, lagrangian=1.0, total=0.65, decay=0.99),  # at the edge of stability
        StepRule(inertia=0.0, lagrangian=1.5, total=1.0, decay=1.0),  # c never falls
    )
    identified: float = 1e-3
    weight: float = 10.0
    diverged: float = 0.95
    room: float = 0.05
    near: float = 0.9
    cut: float = 10.0
    near_feasible: float = 0.5
    coherent: float = 0.15
    vanished: int = 20
    window: int = 50
    slow: int = 2000
    goal: float = 1e-6
    divergences: int = 3
    slack: float = 1e-4
    polish_at: float = 3e-4
    again: float = 0.1
    rough: float = 1e-2
    grow_divergence: float = 1.5
    grow_stagnation: float = 1.25
    most_safety: float = 3.0
    most_penalty_safety: float = 8.0
    margin: float = 1.1
    epoch: int = 30
    gain: float = 0.1
    overlaps: float = 4.0
    most_pairs: float = 1e7
    begin: float = 0.25


SETTINGS = Settings()
