"""RADMM, the Riemannian alternating direction method of multipliers."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox import stiefel
from orthoprox._arrays import Array
from orthoprox.curvature import steepness
from orthoprox.problem import Problem
from orthoprox.snapshot import Residuals
from orthoprox.solvers.base import Ability, Facts, Solver, settle
from orthoprox.solvers.soc import relative_gap, splitting_penalty
from orthoprox.stiefel import norm, sym


@dataclass(frozen=True)
class Parameters:
    """The parameters in force."""

    rho: float  # penalty on |X - Z|^2
    eta: float  # step on the manifold
    gamma: float  # smoothing of g


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Z: Array  # Z^k, the copy that carries g
    Lam: Array  # multiplier of X = Z
    D: Array  # grad l(X^k)
    p: Parameters  # rho, eta, gamma in force


@dataclass(frozen=True)
class RADMM(Solver[State]):
    """ADMM for X = Z with one Riemannian gradient step in X and the Moreau envelope of g in Z.

        X+ = polar(X - eta P_T(grad l(X) + Lam + rho (X - Z)))
        W  = prox_{(1/rho + gamma) g}(X+ + Lam/rho),   Z+ = (W + gamma (Lam + rho X+)) / (1 + gamma rho)
        Lam+ = Lam + rho (X+ - Z+)

    Parameters
    ----------
    rho : float, optional
        The penalty; by default max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l, L^- and m the weak
        convexity moduli of l and of g.
    eta : float, optional
        The step; by default 1 / (max(L, |grad l(X0)|_2) + rho).
    gamma : float
        The smoothing parameter of g.

    References
    ----------
    J. Li, S. Ma and T. Srivastava, A Riemannian alternating direction method of multipliers, Math. Oper. Res. (2025).
    """

    facts: ClassVar = Facts(
        "RADMM", nonsmooth=True, single_loop=True, complexity="O(eps^-4)", sequential=False, retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
    )  # fmt: skip

    rho: float | None = None
    eta: float | None = None
    gamma: float = 1e-12

    def __post_init__(self) -> None:
        settle(self, "rho", "eta", "gamma")

    @property
    def needs(self) -> tuple[Ability, ...]:
        return ()

    def init(self, problem: Problem, X0: Array) -> State:
        rho = splitting_penalty(problem, X0) if self.rho is None else float(self.rho)
        D = problem.smooth.grad(X0)
        eta = 1 / (steepness(problem.smooth, X0, D) + rho) if self.eta is None else float(self.eta)
        return State(X0, X0, 0 * X0, D, Parameters(rho, eta, self.gamma))

    def step(self, problem: Problem, state: State) -> State:
        X, Z, Lam, D, p = state.X, state.Z, state.Lam, state.D, state.p
        X = stiefel.polar(X - p.eta * stiefel.tangent(X, D + Lam + p.rho * (X - Z)))
        W = problem.nonsmooth.prox(X + Lam / p.rho, 1 / p.rho + p.gamma)
        Z = (W + p.gamma * (Lam + p.rho * X)) / (1 + p.gamma * p.rho)  # (W/gamma + ...) would overflow
        Lam = Lam + p.rho * (X - Z)
        return State(X, Z, Lam, problem.smooth.grad(X), p)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - Z| relative, and ``prox``, the length of the gradient step over eta."""
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.Z),
            "prox": lambda: norm(new.X - old.X) / new.p.eta,
        }

    def output(self, state: State) -> Array:
        return state.X

    def multiplier(self, state: State) -> Array:
        """Return Y = -sym(X'(grad l + Lam)) / 2, as Lam is the subgradient of g."""
        return -sym(state.X.mT @ (state.D + state.Lam)) / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"rho": state.p.rho, "eta": state.p.eta, "gamma": state.p.gamma}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller eta, half of {state.p.eta:.2g} or less."
