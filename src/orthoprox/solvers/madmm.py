"""MADMM, the manifold alternating direction method of multipliers."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox import _inputs, stiefel
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


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    Z: Array  # Z^k, the copy that carries g
    Lam: Array  # multiplier of X = Z, an element of dg(Z)
    D: Array  # grad l(X^k)
    cycles: int  # gradient steps of the last iteration
    p: Parameters  # rho, eta in force


@dataclass(frozen=True)
class MADMM(Solver[State]):
    """ADMM for X = Z with X on the manifold and g(Z), in which a few Riemannian gradient steps find X:

        X+ ~ argmin l(X) + rho/2 |X - Z + Lam/rho|^2  over X'X = I,
             by  X <- polar(X - eta xi),   xi = P_T(grad l(X) + Lam + rho (X - Z))
        Z+ = prox_{g/rho}(X+ + Lam/rho),   Lam+ = Lam + rho (X+ - Z+)

    No convergence is proved; too small a penalty oscillates.

    Parameters
    ----------
    rho : float, optional
        The penalty; by default max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l, L^- and m the weak convexity
        moduli of l and of g.
    eta : float, optional
        The step; by default 1 / (max(L, |grad l(X0)|_2) + rho).
    accuracy : float
        No more steps are taken where |xi| <= accuracy rho.
    max_cycles : int
        The most gradient steps of one iteration. Three do about as well as many.

    References
    ----------
    A. Kovnatsky, K. Glashoff and M. M. Bronstein, MADMM: a generic algorithm for non-smooth optimization on manifolds,
    ECCV (2016).
    """

    facts: ClassVar = Facts(
        "MADMM", nonsmooth=True, single_loop=False, complexity="", sequential=False, retraction_free=False,
        work={"gradient": 3, "prox": 1, "polar": 3, "gram": 3, "right": 3},
        remark="counted with the default of three inner steps",
    )  # fmt: skip

    rho: float | None = None
    eta: float | None = None
    accuracy: float = 1e-12
    max_cycles: int = 3

    def __post_init__(self) -> None:
        settle(self, "rho", "eta", "accuracy")
        _inputs.integer(self.max_cycles, "max_cycles")

    @property
    def needs(self) -> tuple[Ability, ...]:
        return ()

    def init(self, problem: Problem, X0: Array) -> State:
        rho = splitting_penalty(problem, X0) if self.rho is None else float(self.rho)
        D = problem.smooth.grad(X0)
        eta = 1 / (steepness(problem.smooth, X0, D) + rho) if self.eta is None else float(self.eta)
        return State(X0, X0, 0 * X0, D, 0, Parameters(rho, eta))

    def step(self, problem: Problem, state: State) -> State:
        X, Z, Lam, D, p = state.X, state.Z, state.Lam, state.D, state.p
        cycles = 0
        while cycles < self.max_cycles:
            xi = stiefel.tangent(X, D + Lam + p.rho * (X - Z))
            if float(norm(xi)) <= self.accuracy * p.rho:
                break
            X, cycles = stiefel.polar(X - p.eta * xi), cycles + 1
            D = problem.smooth.grad(X)
        Z = problem.nonsmooth.prox(X + Lam / p.rho, 1 / p.rho)
        return State(X, Z, Lam + p.rho * (X - Z), D, cycles, p)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - Z| relative, and ``prox``, the mean length of |xi|."""
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.Z),
            "prox": lambda: norm(new.X - old.X) / (max(1, new.cycles) * new.p.eta),
        }

    def output(self, state: State) -> Array:
        return state.X

    def multiplier(self, state: State) -> Array:
        """Return Y = -sym(X'(grad l + Lam)) / 2, as Lam is the subgradient of g."""
        return -sym(state.X.mT @ (state.D + state.Lam)) / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"rho": state.p.rho, "eta": state.p.eta}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller eta, half of {state.p.eta:.2g} or less."
