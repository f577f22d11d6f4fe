"""ALMSSN as a phase of the default method: second order from early on, where X is small."""

from dataclasses import dataclass, replace
from typing import Any

from orthoprox._adaptive.phase import Memory, Phase, PrimalDual, Verdict
from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.solvers._shared.splitting import largest, relative_gap
from orthoprox.solvers.almssn import ALMSSN
from orthoprox.solvers.almssn import State as Split


@dataclass(frozen=True)
class Augmented:
    """The iterates of ALMSSN within a run of the default method."""

    split: Split
    memory: Memory
    failed: str = ""

    @property
    def residual(self) -> float:
        """|X - Y|, or what is left of the gradient, the larger one; both relative."""
        scale = max(float(norm(self.split.D)), self.memory.floor) or 1.0
        return max(relative_gap(self.split.X, self.split.Y), self.split.size / scale)


@dataclass(frozen=True)
class AugmentedNewton(Phase[Augmented]):
    """The augmented Lagrangian method with a semismooth Newton method inside (Zhou, Bao, Ding and
    Zhu 2023), from the subgradient that the phase before has found.
    """

    settings: Settings

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Augmented:
        X = stiefel.polar(point.X)
        unit = max(largest(point.D), memory.curvature / X.shape[-2] ** 0.5)  # that of a point far away
        split = ALMSSN(unit=unit).init(problem, X)
        return Augmented(replace(split, Lam=point.S), memory)

    def step(self, problem: Problem, state: Augmented) -> Augmented:
        return replace(state, split=ALMSSN().step(problem, state.split))

    def verdict(self, problem: Problem, old: Augmented, new: Augmented) -> Verdict:
        if new.split.k >= self.settings.newton_steps:
            return Verdict.STAGNATED
        return Verdict.NEAR if new.residual <= new.memory.polish_at else Verdict.GOING

    def point(self, problem: Problem, state: Augmented) -> PrimalDual:
        split = state.split
        return PrimalDual(split.X, ALMSSN().multiplier(split), split.D, split.Lam)

    def resume(self, state: Augmented) -> Augmented:
        """Go on; the next polish is due at a tenth of this residual."""
        polish_at = min(state.memory.polish_at, self.settings.gain * state.residual)
        return replace(state, memory=replace(state.memory, polish_at=polish_at))

    def output(self, state: Augmented) -> tuple[Array, Array]:
        return state.split.X, ALMSSN().multiplier(state.split)

    def residuals(self, state: Augmented) -> tuple[float, float]:
        return relative_gap(state.split.X, state.split.Y), state.split.size

    def parameters(self, state: Augmented) -> dict[str, Any]:
        return {}
