"""What PLAM and PCAL share: gradient steps on the augmented Lagrangian, with the multiplier in
closed form.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._arrays.library import Array, namespace, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import barzilai_borwein
from orthoprox._linalg.stiefel import sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers.base import SMOOTH, Residuals, Solver, check_positive


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k; X'X = I only in the limit
    G: Array  # X^k'X^k - I
    D: Array  # grad l(X^k)
    Lam: Array  # sym(D'X), the multiplier in closed form
    V: Array  # the direction at X^k
    b: float  # penalty
    tau: float  # the next step


@dataclass(frozen=True)
class LinearisedLagrangian(Solver[State]):
    """A method with the step  X+ = X - tau V(X),  V an augmented gradient with the multiplier
    Lam = sym(grad l(X)'X).

    The parameters are described in PLAM.
    """

    needs = (SMOOTH,)
    units: ClassVar = {"penalty": 1, "step_size": -1, "first": -1, "smallest": -1}

    penalty: float | None = None
    step_size: float | None = None
    first: float | None = None
    smallest: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "penalty", "step_size", "first", "smallest")

    def init(self, problem: Problem, X0: Array) -> State:
        b = _penalty(problem, X0) if self.penalty is None else float(self.penalty)
        tau = self.step_size or self.first or 1 / (4 * b)
        return self._state(problem, X0, b, tau)

    def step(self, problem: Problem, state: State) -> State:
        new = self._state(problem, self._point(state.X - state.tau * state.V), state.b, state.tau)
        if self.step_size is not None:
            return new
        smallest = self.smallest or 0.01 * (self.first or 1 / (4 * state.b))
        tau = max(barzilai_borwein(new.X - state.X, new.V - state.V), smallest)
        return replace(new, tau=tau)

    @abstractmethod
    def _point(self, X: Array) -> Array:
        """Return the new iterate for the result X of a gradient step."""

    @abstractmethod
    def _factor(self, K: Array, G: Array, DX: Array) -> Array:
        """Return the n x n matrix F of the direction D - XF, given K = Lam - b G of the augmented
        Lagrangian and D'X.
        """

    def _state(self, problem: Problem, X: Array, b: float, tau: float) -> State:
        D, G = problem.smooth.grad(X), stiefel.defect(X)
        DX = D.mT @ X
        Lam = sym(DX)
        return State(X, G, D, Lam, D - X @ self._factor(Lam - b * G, G, DX), b, tau)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X'X - I|, ``prox`` |V| and ``kkt`` |grad
        l(X) - X Lam|.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: norm(new.G),
            "prox": lambda: norm(new.V),
            "kkt": lambda: norm(new.D - new.X @ new.Lam),
        }

    def multiplier(self, state: State) -> Array:
        return -state.Lam / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"penalty": state.b, "step_size": state.tau}

    def advice(self, problem: Problem, state: State) -> str:
        shorter = min(state.tau, 1 / state.b) / 4
        return f"Set a larger penalty (now {state.b:.2g}), or a constant step_size below {shorter:.2g}."


def _penalty(problem: Problem, X0: Array) -> float:
    D = problem.smooth.grad(X0)
    w = namespace(D).linalg.eigvalsh(sym(X0.mT @ D))
    return max(steepness(problem.smooth, X0, D) / 4, 1.1 * float(w[..., -1])) or 1.0
