"""The step rules of the default method, and the stagnation monitor that changes them."""

from dataclasses import dataclass, replace
from math import inf, log

_WINDOW = 50  # iterations of a window; the monitor compares the best residuals of windows
_ITERATIONS = 2000  # a run that needs more further iterations at the present rate is slow
_GOAL = 1e-6  # the residual to reach, or a thousandth of the present one if that is less
_LATER = 4  # slow windows in a row that count as stagnation after Newton's method


@dataclass(frozen=True)
class StepRule:
    """How the step follows the measured curvature."""

    inertia: float  # the largest theta
    lagrangian: float  # c over k_L, the curvature of the Lagrangian along the last step
    total: float  # c over k_T, which has the penalty; at most 1, since k_T contains 4 rho = .8 c
    decay: float  # the least ratio of two successive c


STEP_RULES = (
    StepRule(inertia=0.95, lagrangian=1.2, total=0.8, decay=0.998),  # fast, but may cycle
    StepRule(inertia=0.0, lagrangian=1.0, total=0.65, decay=0.99),  # follows the curvature, at the edge of stability
    StepRule(inertia=0.0, lagrangian=1.5, total=1.0, decay=1.0),  # c never falls
)


@dataclass(frozen=True)
class StagnationMonitor:
    """The progress of LSALM with one step rule."""

    step_rule: int = 0
    iterations: int = 0
    window_best: float = inf  # the smallest residual of this window
    previous_best: float = inf  # the smallest residual of the windows before
    slow: int = 0  # slow windows in a row
    patience: int = 2  # slow windows in a row that count as stagnation

    @classmethod
    def later(cls) -> "StagnationMonitor":
        """Return the monitor after Newton's method: step rule 1, without inertia, and twice the
        patience.
        """
        return cls(step_rule=1, patience=_LATER)

    @property
    def exhausted(self) -> bool:
        """Whether all step rules have stagnated."""
        return self.step_rule >= len(STEP_RULES)

    def update(self, residual: float) -> "StagnationMonitor":
        """Return the monitor after one more iteration. If the run stagnates, it names the next step
        rule.
        """
        now = replace(self, iterations=self.iterations + 1, window_best=min(self.window_best, residual))
        if now.iterations % _WINDOW:
            return now
        slow = now.slow + 1 if now.iterations > _WINDOW and _is_slow(now.previous_best, now.window_best) else 0
        if slow >= now.patience:
            return StagnationMonitor(now.step_rule + 1, patience=now.patience)
        return replace(now, slow=slow, previous_best=min(now.previous_best, now.window_best), window_best=inf)


def _is_slow(previous_best: float, window_best: float) -> bool:
    """Whether the predicted iterations to the goal are too many, at the rate of the last window."""
    gain = log(previous_best / window_best) if 0 < window_best < previous_best < inf else 0.0
    return window_best > 0 and log(max(window_best / _GOAL, 1e3)) * _WINDOW > _ITERATIONS * gain
