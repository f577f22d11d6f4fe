"""The first-order phase: its parameter rules, all homogeneous in f, its stagnation monitor and its
state.

docs/automatic.md derives them. ``k`` are the settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import inf, log
from typing import Any

from orthoprox._adaptive.memory import Memory
from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array, largest, namespace, norm


def initial_curvature(k: Settings, curvature: float, Y: Array, rule: int) -> Array:
    """Return c = L + 2 |Y|_2, the curvature of l(X) + <Y, X'X - I>, with the margin of the step
    rule; of a stack of Y, one for each.
    """
    w = _eigenvalues(Y)
    return k.margins[rule] * (curvature + 2 * namespace(w).maximum(-w[..., 0], w[..., -1]))


def inertia(k: Settings, t: float, rule: int, along: float) -> tuple[float, float]:
    """Return Nesterov's next t and theta, with the adaptive restart of O'Donoghue and Candes
    (2015).

    ``along`` is <E - X, X - X^(k-1)>; if it is positive, the step opposes the extrapolation,
    and both restart.
    """
    if along > 0:
        return 1.0, 0.0
    following = (1 + (1 + (2 * t) ** 2) ** 0.5) / 2
    return following, min((t - 1) / following, k.inertia) if rule == 0 else 0.0


def leaves_manifold(k: Settings, size: int, old: Array, new: Array) -> bool:
    """Whether an entry of E'E - I has become large in a problem of this size that is not small:
    inertia would carry X off the manifold, and a restart costs less than a divergence.
    """
    return size > SMALL.entries and largest(old) <= k.gain < largest(new)


def next_curvature(k: Settings, c: float, rule: int, safety: float, measured: float) -> float:
    """Return max(margin safety k_L, decay c), with the margin and the decay of the step rule.

    ``measured`` is k_L, the change of the gradient of the Lagrangian over the length of the step.
    """
    return max(k.margins[rule] * safety * measured, k.decays[rule] * c)


def dual_weights(M: Array, diagonal: Array, most: Array) -> Array:
    """Return the weights of the dual step: 2 / M_ab, between 1 and ``most``, for columns a and b
    that hardly overlap; 1 for a = b.

    M_ab = sum of x_ia^2 over the support of b, plus the reverse. G_ab responds to Y_ab in
    proportion to M_ab, which is 2 for columns that share their support. The supports must be
    identified first.
    """
    xp = namespace(M)
    return xp.minimum(xp.maximum(2 / xp.where((M > 0) & ~diagonal, M, 2.0), 1.0), most)


def divergence_bound(first: Array) -> Array:
    """Return max(1, 2 |P|_2^2), P the first prox point: a larger eigenvalue of E'E - I is a
    divergence.
    """
    w = 2 * _eigenvalues(first.mT @ first)[..., -1]
    return namespace(w).where(w > 1, w, 1.0)


def _eigenvalues(C: Array) -> Array:
    if not bool(namespace(C).all(norm(C) < inf)):
        raise FloatingPointError("The gradient of l or the prox of g is not finite.")
    return namespace(C).linalg.eigvalsh(C)


@dataclass(frozen=True)
class StagnationMonitor:
    """The progress of LSALM with one step rule."""

    step_rule: int = 0
    patience: int = SETTINGS.patience  # slow windows in a row that count as stagnation
    iterations: int = 0
    window_best: float = inf  # the smallest residual of this window
    previous_best: float = inf  # the smallest residual of the windows before
    slow: int = 0  # slow windows in a row

    @classmethod
    def of(cls, numbers: Mapping[str, Any]) -> "StagnationMonitor":
        """Return the monitor with these numbers, of any type, among others."""
        return cls(**_typed(numbers, MONITOR))

    def update(self, k: Settings, residual: float) -> "StagnationMonitor":
        """Return the monitor after one more iteration. If the run stagnates, it names the next step
        rule.
        """
        iterations, best = self.iterations + 1, min(self.window_best, residual)
        if iterations % k.window:
            return replace(self, iterations=iterations, window_best=best)
        slow = self.slow + 1 if iterations > k.window and _is_slow(k, self.previous_best, best) else 0
        if slow >= self.patience:
            return StagnationMonitor(self.step_rule + 1, self.patience)
        return replace(self, iterations=iterations, slow=slow, previous_best=min(self.previous_best, best), window_best=inf)


def _is_slow(k: Settings, previous_best: float, best: float) -> bool:
    """Whether the predicted iterations to the goal are too many, at the rate of the last window."""
    gain = log(previous_best / best) if 0 < best < previous_best < inf else 0.0
    return best > 0 and log(max(best / k.goal, 1 / k.identified)) * k.window > k.slow * gain


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
    near_curvature: float  # c when |E'E - I| was last at most .5
    gap: float  # (c + r) |X - E|, the residual of the last step
    stationarity: float  # the same, relative to the gradient
    feasibility: float  # |E'E - I|
    monitor: StagnationMonitor
    memory: Memory
    t: float = 1.0  # Nesterov's t
    theta: float = 0.0  # inertia of the last step
    vanished: int = 0  # iterations in a row with a vanished column
    failed: str = ""  # why the phase cannot go on

    @property
    def residual(self) -> float:
        """The larger of the two residuals."""
        return max(self.stationarity, self.feasibility)

    @classmethod
    def of(cls, matrices: Mapping[str, Array], numbers: Mapping[str, Any], memory: Memory) -> "Iterate":
        """Return the iterate with these ``MATRICES``, ``NUMBERS`` and ``MONITOR``, the numbers of
        any type.
        """
        return cls(**matrices, **_typed(numbers, NUMBERS), monitor=StagnationMonitor.of(numbers), memory=memory)


def _typed(numbers: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: int(numbers[name]) if name in COUNTS else float(numbers[name]) for name in names}


# The fields of an iterate, as a stack of runs or a compiled loop holds them
MATRICES = tuple(field.name for field in fields(Iterate) if field.type is Array)
NUMBERS = tuple(field.name for field in fields(Iterate) if field.type in (int, float))
MONITOR = tuple(field.name for field in fields(StagnationMonitor))
COUNTS = {field.name for field in (*fields(Iterate), *fields(StagnationMonitor)) if field.type is int}  # of the numbers
