"""RPN-CG as a phase of the default method: second order early, if X is small."""

from dataclasses import dataclass, replace
from typing import Any

from orthoprox._adaptive.phase import Memory, Phase, PrimalDual, Verdict
from orthoprox._adaptive.settings import Settings
from orthoprox._adaptive.small import Small
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.solvers.rpncg import RPNCG
from orthoprox.solvers.rpncg import State as Newton

_METHOD = RPNCG(hybrid=False)


@dataclass(frozen=True)
class Attempt:
    """The iterates of RPN-CG within a run of the default method."""

    newton: Newton
    memory: Memory
    steps: int = 0
    failed: str = ""

    @property
    def gap(self) -> float:
        """|V| / t, the residual of the last proximal step."""
        return self.newton.size / self.newton.used

    @property
    def residual(self) -> float:
        """The same, relative to the gradient."""
        return self.gap / (max(float(norm(self.newton.here.D)), self.memory.floor) or 1.0)


@dataclass(frozen=True)
class ProximalNewton(Phase[Attempt]):
    """The Riemannian proximal Newton method (Huang and Si 2024), from the nearest point of the
    manifold.
    """

    settings: Settings
    small: Small

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Attempt:
        newton = replace(_METHOD, step_size=memory.step).init(problem, stiefel.polar(point.X))
        return Attempt(replace(newton, Lam=-point.Y), memory)

    def step(self, problem: Problem, state: Attempt) -> Attempt:
        return replace(state, newton=_METHOD.step(problem, state.newton), steps=state.steps + 1)

    def verdict(self, problem: Problem, old: Attempt, new: Attempt) -> Verdict:
        if new.residual <= new.memory.polish_at:
            return Verdict.NEAR
        return Verdict.STAGNATED if new.steps % self.small.newton_steps == 0 else Verdict.GOING

    def point(self, problem: Problem, state: Attempt) -> PrimalDual:
        X, Y, D = state.newton.X, _METHOD.multiplier(state.newton), state.newton.here.D
        return PrimalDual(X, Y, D, -(D + 2 * (X @ Y)))  # S by stationarity

    def resume(self, state: Attempt) -> Attempt:
        """Go on; the next polish is due at a tenth of this residual."""
        polish_at = min(state.memory.polish_at, self.settings.gain * state.residual)
        return replace(state, memory=replace(state.memory, polish_at=polish_at))

    def output(self, state: Attempt) -> tuple[Array, Array]:
        return state.newton.X, _METHOD.multiplier(state.newton)

    def residuals(self, state: Attempt) -> tuple[float, float]:
        return float(norm(stiefel.defect(state.newton.X))), state.gap

    def parameters(self, state: Attempt) -> dict[str, Any]:
        return {}
