"""What ManIAL and MIALM share: the augmented Lagrangian method on the manifold, with Barzilai-Borwein steps inside."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from orthoprox import _inputs
from orthoprox._arrays import Array
from orthoprox.curvature import steepness
from orthoprox.moreau import Envelope, envelope
from orthoprox.problem import Problem
from orthoprox.snapshot import Residuals
from orthoprox.solvers._rgbb import Point, rgbb
from orthoprox.solvers.base import Ability, Solver, settle
from orthoprox.solvers.soc import relative_gap, splitting_penalty
from orthoprox.stiefel import norm, sym

_LARGEST = 1e3  # the penalty stays below this times its first value


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Y: Array  # Y^k, the copy that carries g
    Lam: Array  # multiplier of X = Y, an element of dg(Y)
    f: float  # l(X^k)
    D: Array  # grad l(X^k)
    s: float  # the penalty on |X - Y|^2
    s0: float  # and its first value
    gap: float  # |X - Y| / (1 + |X| + |Y|)
    size: float  # |P_T(D + Lam)|, what the inner steps left of the gradient
    k: int  # iterations done
    steps: int  # of the last inner problem
    trials: int  # and its evaluations of l and g
    tol: float  # of the next inner problem, in terms of unit
    cap: int  # and the most steps that it may take
    unit: float  # a tenth of the gradient at the start
    turn: float  # how fast the gradient turns on the manifold


@dataclass(frozen=True)
class AugmentedLagrangian(Solver[State]):
    """The augmented Lagrangian method for X = Y with X on the manifold and g(Y): with e the Moreau envelope of g for 1/s,

        X+ ~ argmin l(X) + e(X + Lam/s)  over X'X = I
        Y+ = prox_{g/s}(X+ + Lam/s),   Lam+ = Lam + s (X+ - Y+)

    The parameters are described in MIALM.
    """

    penalty: float | None = None
    growth: float = 1.25
    ratio: float = 0.9
    enough: float = 1e-9
    floor: float = 1e-8
    max_cycles: int = 300
    first: float | None = None
    unit: float | None = None

    def __post_init__(self) -> None:
        settle(self, "penalty", "growth", "ratio", "enough", "floor", "first", "unit")
        _inputs.number(self.growth, "growth", minimum=1.0, strict=False)
        _inputs.integer(self.max_cycles, "max_cycles")
        self._check()

    @property
    def needs(self) -> tuple[Ability, ...]:
        return ()

    def init(self, problem: Problem, X0: Array) -> State:
        f, D = problem.smooth.value_and_grad(X0)
        s = 2 * splitting_penalty(problem, X0) if self.penalty is None else float(self.penalty)
        unit = self.unit or 0.1 * float(norm(D)) or 1.0
        gap, tol, cap = self._start()
        turn = steepness(problem.smooth, X0, D)
        return State(X0, X0, 0 * X0, float(f), D, s, s, gap, float("inf"), 0, 0, 0, tol, cap, unit, turn)

    def step(self, problem: Problem, state: State) -> State:
        ell, g, Lam, s, k = problem.smooth, problem.nonsmooth, state.Lam, state.s, state.k + 1

        def lagrangian(X: Array, f: float, D: Array) -> Point[tuple[float, Array, Envelope]]:
            e = envelope(g, X + Lam / s, 1 / s)
            return Point(X, f + float(e.value), D + e.gradient, (f, D, e))

        def at(X: Array) -> Point[tuple[float, Array, Envelope]]:
            value, D = ell.value_and_grad(X)
            return lagrangian(X, float(value), D)

        first, tol = self.first or 1 / (state.turn + s), state.tol * state.unit
        found = rgbb(at, lagrangian(state.X, state.f, state.D), first=first, tol=tol, max_steps=state.cap)
        X, (f, D, e) = found.point.X, found.point.more
        Y, Lam = e.point, e.gradient  # Lam + s (X - Y) is the gradient of the envelope
        gap = float(norm(X - Y) / (1 + norm(X) + norm(Y)))
        if gap > self.ratio * state.gap and gap >= self.enough:
            s = min(self.growth * s, _LARGEST * state.s0)
        tol, cap = self._next(k, state.tol, state.cap, found.steps)
        return State(
            X, Y, Lam, f, D, s, state.s0, gap, found.size, k, found.steps, found.trials, tol, cap, state.unit, state.turn
        )

    @abstractmethod
    def _check(self) -> None:
        """Raise where a parameter of the method's own is not what it has to be."""

    @abstractmethod
    def _start(self) -> tuple[float, float, int]:
        """Return what the first gap is compared with, and the tolerance and the cap of the first inner problem."""

    @abstractmethod
    def _next(self, k: int, tol: float, cap: int, steps: int) -> tuple[float, int]:
        """Return the tolerance and the cap after k iterations, the last of which took ``steps`` inner steps."""

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - Y| relative, and ``prox``, the length of P_T(grad l + Lam)."""
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.Y),
            "prox": lambda: new.size,
        }

    def output(self, state: State) -> Array:
        return state.X

    def multiplier(self, state: State) -> Array:
        """Return -sym(X'(grad l + Lam)) / 2, as Lam is the subgradient of g."""
        return -sym(state.X.mT @ (state.D + state.Lam)) / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"penalty": state.s, "unit": state.unit}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a larger penalty, twice {state.s:.2g} or more."
