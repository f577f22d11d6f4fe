"""What ManIAL, MIALM and ALMSSN share, the augmented Lagrangian method on the manifold; and what
only the first two share.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers._shared.augmented import Lagrangian
from orthoprox.solvers._shared.rgbb import rgbb
from orthoprox.solvers._shared.splitting import relative_gap, splitting_penalty
from orthoprox.solvers.base import Residuals, Solver, check_positive

_LARGEST = 1e3  # the penalty stays below this times its first value


S = TypeVar("S", bound="SplitState")


@dataclass(frozen=True)
class SplitState:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Y: Array  # Y^k, the copy that carries g
    Lam: Array  # multiplier of X = Y, an element of dg(Y)
    f: float  # l(X^k)
    D: Array  # grad l(X^k)
    s: float  # the penalty on |X - Y|^2
    gap: float  # the size of X - Y
    size: float  # |P_T(D + Lam)|, what the inner steps left of the gradient
    k: int  # iterations done
    trials: int  # evaluations of l and g in the last iteration
    unit: float  # the size of the gradient at the start


class AugmentedLagrangian(Solver[S]):
    """The augmented Lagrangian method for X = Y with X on the manifold and g(Y): with e the Moreau
    envelope of g for 1/s,

        X+ ~ argmin l(X) + e(X + Lam/s)  subject to  X'X = I
        Y+ = prox_{g/s}(X+ + Lam/s),   Lam+ = Lam + s (X+ - Y+)

    How the first line is solved, and when s grows, is up to the method.
    """

    units: ClassVar = {"penalty": 1, "unit": 1, "first": -1}

    def residuals(self, problem: Problem, old: S, new: S) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - Y| relative, and ``prox``, the length of
        P_T(grad l + Lam).
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.Y),
            "prox": lambda: new.size,
        }

    def multiplier(self, state: S) -> Array:
        """Return Y = -sym(X'(grad l + Lam)) / 2, as Lam is the subgradient of g."""
        return stiefel.multiplier(state.X, state.D + state.Lam)

    def parameters(self, state: S) -> dict[str, Any]:
        return {"penalty": state.s, "unit": state.unit}

    def advice(self, problem: Problem, state: S) -> str:
        return f"Set a larger penalty, twice {state.s:.2g} or more."


@dataclass(frozen=True)
class State(SplitState):
    """The iterates."""

    s0: float  # the first penalty
    steps: int  # of the last inner problem
    tol: float  # of the next one, in terms of unit
    cap: int  # and the most steps that it may take
    steepness: float  # how fast the gradient changes on the manifold


@dataclass(frozen=True)
class FirstOrder(AugmentedLagrangian[State]):
    """With Barzilai-Borwein steps for the inner problem. The parameters are described in MIALM."""

    penalty: float | None = None
    growth: float = 1.25
    ratio: float = 0.9
    enough: float = 1e-9
    floor: float = 1e-8
    max_cycles: int = 300
    first: float | None = None
    unit: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "penalty", "growth", "ratio", "enough", "floor", "first", "unit")
        inputs.number(self.growth, "growth", minimum=1.0, strict=False)
        inputs.integer(self.max_cycles, "max_cycles")

    def init(self, problem: Problem, X0: Array) -> State:
        f, D = problem.smooth.value_and_grad(X0)
        s = 2 * splitting_penalty(problem, X0) if self.penalty is None else float(self.penalty)
        unit = self.unit or 0.1 * float(norm(D)) or 1.0
        gap, tol, cap = self._start()
        steep = steepness(problem.smooth, X0, D)
        return State(
            X=X0,
            Y=X0,
            Lam=0 * X0,
            f=float(f),
            D=D,
            s=s,
            gap=gap,
            size=float("inf"),
            k=0,
            trials=0,
            unit=unit,
            s0=s,
            steps=0,
            tol=tol,
            cap=cap,
            steepness=steep,
        )

    def step(self, problem: Problem, state: State) -> State:
        s, unit, k = state.s, state.unit, state.k + 1
        F, first = Lagrangian(problem, state.Lam, s), self.first or 1 / (state.steepness + s)
        found = rgbb(F.at, F.known(state.X, state.f, state.D), first=first, tol=state.tol * unit, max_steps=state.cap)
        X, now = found.point.X, found.point.more
        Y, Lam = now.e.point, now.e.gradient
        gap = float(norm(X - Y) / (1 + norm(X) + norm(Y)))
        if gap > self.ratio * state.gap and gap >= self.enough:
            s = min(self.growth * s, _LARGEST * state.s0)
        tol, cap = self._next(k, state.tol, state.cap, found.steps)
        point = replace(state, X=X, Y=Y, Lam=Lam, f=now.f, D=now.D, s=s, gap=gap, size=found.size)
        return replace(point, k=k, steps=found.steps, trials=found.trials, tol=tol, cap=cap)

    @abstractmethod
    def _start(self) -> tuple[float, float, int]:
        """Return what the first gap is compared with, and the tolerance and the cap of the first
        inner problem.
        """

    @abstractmethod
    def _next(self, k: int, tol: float, cap: int, steps: int) -> tuple[float, int]:
        """Return the tolerance and the cap after k iterations, the last of which took ``steps``
        inner steps.
        """
