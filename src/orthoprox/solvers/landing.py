"""Landing, a method that moves towards the manifold instead of staying on it."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.stiefel import sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers.base import SMOOTH, Facts, Residuals, Solver, check_positive


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k; |X'X - I| stays below the safe distance
    G: Array  # X^k'X^k - I
    D: Array  # grad l(X^k)
    DX: Array  # D'X
    field: Array  # the landing field at X^k
    lam: float  # weight of the attraction to the manifold
    eta: float  # step


@dataclass(frozen=True)
class Landing(Solver[State]):
    """Steps along the landing field, a relative gradient plus the attraction of the manifold:

        X+ = X - eta (skew(grad l(X) X') X + lam X (X'X - I))

    With d = |X'X - I|_F and a = |field|_F the step is at most

        (lam d (1 - d) + sqrt((lam d (1 - d))^2 + a^2 (safe - d))) / a^2,   and 1 / (2 lam),

    which keeps |X'X - I|_F <= safe at all iterates.

    Parameters
    ----------
    attraction : float, optional
        lam; by default S/4 with S = max(L, |grad l(X0)|_2), L the Lipschitz constant of grad l.
    step_size : float, optional
        eta; by default 1/S.
    safe : float, optional
        The safe distance, 1/2 by default; None lets the step be as it is.

    References
    ----------
    P. Ablin and G. Peyre, Fast and accurate optimization on the orthogonal manifold without
    retraction, AISTATS (2022); P. Ablin, S. Vary, B. Gao and P.-A. Absil, Infeasible deterministic,
    stochastic, and variance-reduction algorithms for optimization under orthogonality constraints,
    J. Mach. Learn. Res. 25 (2024).
    """

    facts: ClassVar = Facts(
        "Landing",
        nonsmooth=False,
        single_loop=True,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=True,
        work={"gradient": 1, "gram": 2, "right": 2},
    )
    units: ClassVar = {"attraction": 1, "step_size": -1}
    needs = (SMOOTH,)

    attraction: float | None = None
    step_size: float | None = None
    safe: float | None = 0.5

    def __post_init__(self) -> None:
        check_positive(self, "attraction", "step_size")
        if self.safe is not None:
            check_positive(self, "safe")
        if self.safe is not None and self.safe >= 1:
            raise ValueError(f"safe = {self.safe:g}; it needs a distance between 0 and 1, or None.")

    def init(self, problem: Problem, X0: Array) -> State:
        scale = steepness(problem.smooth, X0, problem.smooth.grad(X0)) or 1.0
        lam = scale / 4 if self.attraction is None else float(self.attraction)
        return _state(problem, X0, lam, 1 / scale if self.step_size is None else float(self.step_size))

    def step(self, problem: Problem, state: State) -> State:
        return _state(problem, state.X - self._length(state) * state.field, state.lam, state.eta)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X'X - I|, ``prox`` |field| and ``kkt`` |grad l
        - X sym(X'grad l)|.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: norm(new.G),
            "prox": lambda: norm(new.field),
            "kkt": lambda: norm(new.D - new.X @ sym(new.DX)),
        }

    def multiplier(self, state: State) -> Array:
        return -sym(state.DX) / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"attraction": state.lam, "step_size": state.eta}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller step_size, half of {state.eta:.2g} or less, or leave safe at its default."

    def _length(self, state: State) -> float:
        if self.safe is None:
            return state.eta
        d, a = float(norm(state.G)), float(norm(state.field))
        attraction = state.lam * d * (1 - d)
        bound = (attraction + max(attraction**2 + a**2 * (self.safe - d), 0.0) ** 0.5) / a**2 if a > 0 else state.eta
        return min(state.eta, bound, 1 / (2 * state.lam))


def _state(problem: Problem, X: Array, lam: float, eta: float) -> State:
    """Return the state at X; with skew(DX')X = (D (X'X) - X (D'X)) / 2 and X'X = I + G the field
    needs two products.
    """
    D, G = problem.smooth.grad(X), stiefel.defect(X)
    DX = D.mT @ X
    field = (D + D @ G) / 2 - X @ (DX / 2 - lam * G)
    return State(X, G, D, DX, field, lam, eta)
