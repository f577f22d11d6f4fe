"""Whether a run gets anywhere: the gaits of the adaptive method, and when to change them."""

from dataclasses import dataclass, replace
from math import inf, log

_WINDOW = 50  # iterations whose best residuals are compared
_ITERATIONS = 2000  # iterations that a run may still need, at the rate of the last two windows
_GOAL = 1e-6  # to come to this residual, or to a thousandth of what it is
_LATER = 4  # windows in a row that make a run slow after Newton's method


@dataclass(frozen=True)
class StepRule:
    """How boldly LSALM walks."""

    inertia: float  # the largest theta
    lagrangian: float  # c over the curvature of the Lagrangian that the last step met
    total: float  # and over the one with the penalty; at most 1, since that holds 4 rho = .8 c itself
    decay: float  # of c in one iteration: it falls to the curvature where that has fallen


STEP_RULES = (
    StepRule(inertia=0.95, lagrangian=1.2, total=0.8, decay=0.998),  # fast, but may cycle
    StepRule(inertia=0.0, lagrangian=1.0, total=0.65, decay=0.99),  # follows the curvature closely, at the edge of stability
    StepRule(inertia=0.0, lagrangian=1.5, total=1.0, decay=1.0),  # c never falls
)


@dataclass(frozen=True)
class StagnationMonitor:
    """The progress of LSALM with one gait."""

    step_rule: int = 0
    iterations: int = 0
    least: float = inf  # the smallest residual of this window
    before: float = inf  # and of the windows before
    slow: int = 0  # windows in a row that were slow
    patience: int = 2  # windows in a row that make the run slow

    @classmethod
    def later(cls) -> "StagnationMonitor":
        """Return the watch after Newton's method: no inertia, and more patience, since LSALM is good at finishing."""
        return cls(step_rule=1, patience=_LATER)

    @property
    def exhausted(self) -> bool:
        """Whether all gaits have turned out slow."""
        return self.step_rule >= len(STEP_RULES)

    def update(self, residual: float) -> "StagnationMonitor":
        """Return the watch after one more iteration; a change of the gait, or none left, is for the method to see."""
        now = replace(self, iterations=self.iterations + 1, least=min(self.least, residual))
        if now.iterations % _WINDOW:
            return now
        slow = now.slow + 1 if now.iterations > _WINDOW and _is_slow(now.before, now.least) else 0
        if slow >= now.patience:
            return StagnationMonitor(now.step_rule + 1, patience=now.patience)
        return replace(now, slow=slow, before=min(now.before, now.least), least=inf)


def _is_slow(before: float, least: float) -> bool:
    """Whether residuals that fall from ``before`` to ``least`` in one window need too long to the goal."""
    gain = log(before / least) if 0 < least < before < inf else 0.0
    return least > 0 and log(max(least / _GOAL, 1e3)) * _WINDOW > _ITERATIONS * gain
