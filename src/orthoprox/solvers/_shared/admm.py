"""What RADMM and MADMM share: ADMM for X = Z, X on the manifold and g(Z), with Riemannian gradient
steps in X.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers._shared.splitting import relative_gap, splitting_penalty
from orthoprox.solvers.base import Residuals, Solver, check_positive


@dataclass(frozen=True)
class Parameters:
    """The parameters in force."""

    rho: float  # penalty on |X - Z|^2
    eta: float  # step on the manifold


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Z: Array  # Z^k, the copy that carries g
    Lam: Array  # multiplier of X = Z
    D: Array  # grad l(X^k)
    p: Parameters  # rho, eta in force
    cycles: int = 1  # gradient steps of the last iteration

    @property
    def xi(self) -> Array:
        """P_T(grad l(X) + Lam + rho (X - Z)), along which X goes."""
        return stiefel.tangent(self.X, self.D + self.Lam + self.p.rho * (self.X - self.Z))


@dataclass(frozen=True)
class ManifoldADMM(Solver[State]):
    """A method with the augmented Lagrangian  l(X) + g(Z) + <Lam, X - Z> + rho/2 |X - Z|^2.

    The parameters are described in RADMM.
    """

    units: ClassVar = {"rho": 1, "eta": -1}

    rho: float | None = None
    eta: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "rho", "eta")

    def init(self, problem: Problem, X0: Array) -> State:
        rho = splitting_penalty(problem, X0) if self.rho is None else float(self.rho)
        D = problem.smooth.grad(X0)
        eta = 1 / (steepness(problem.smooth, X0, D) + rho) if self.eta is None else float(self.eta)
        return State(X0, X0, 0 * X0, D, Parameters(rho, eta))

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - Z| relative, and ``prox``, the mean
        gradient step over eta.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.Z),
            "prox": lambda: norm(new.X - old.X) / (max(1, new.cycles) * new.p.eta),
        }

    def multiplier(self, state: State) -> Array:
        """Return Y = -sym(X'(grad l + Lam)) / 2, as Lam is the subgradient of g."""
        return stiefel.multiplier(state.X, state.D + state.Lam)

    def parameters(self, state: State) -> dict[str, Any]:
        return {"rho": state.p.rho, "eta": state.p.eta}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller eta, half of {state.p.eta:.2g} or less."
