"""MADMM, the manifold alternating direction method of multipliers."""

from dataclasses import dataclass, replace
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.solvers._shared.admm import ManifoldADMM, State
from orthoprox.solvers.base import Facts, check_positive


@dataclass(frozen=True)
class MADMM(ManifoldADMM):
    """ADMM for X = Z with X on the manifold and g(Z), in which a few Riemannian gradient steps find
    X:

        X+ ~ argmin l(X) + rho/2 |X - Z + Lam/rho|^2  subject to  X'X = I,
             by  X <- polar(X - eta xi),   xi = P_T(grad l(X) + Lam + rho (X - Z))
        Z+ = prox_{g/rho}(X+ + Lam/rho),   Lam+ = Lam + rho (X+ - Z+)

    No convergence is proved; too small a penalty oscillates.

    Parameters
    ----------
    rho : float, optional
        The penalty; by default max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l, L^-
        and m the weak convexity moduli of l and of g.
    eta : float, optional
        The step; by default 1 / (max(L, |grad l(X0)|_2) + rho).
    accuracy : float
        No more steps are taken where |xi| <= accuracy rho.
    max_cycles : int
        The most gradient steps of one iteration. Three do about as well as many.

    References
    ----------
    A. Kovnatsky, K. Glashoff and M. M. Bronstein, MADMM: a generic algorithm for non-smooth
    optimization on manifolds, ECCV (2016).
    """

    facts: ClassVar = Facts(
        "MADMM",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 3, "prox": 1, "polar": 3, "gram": 3, "right": 3},
        remark="counted with the default of three inner steps",
    )

    accuracy: float = 1e-12
    max_cycles: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "accuracy")
        inputs.integer(self.max_cycles, "max_cycles")

    def step(self, problem: Problem, state: State) -> State:
        Lam, p, cycles = state.Lam, state.p, 0
        while cycles < self.max_cycles:
            xi = state.xi
            if float(norm(xi)) <= self.accuracy * p.rho:
                break
            X, cycles = stiefel.polar(state.X - p.eta * xi), cycles + 1
            state = replace(state, X=X, D=problem.smooth.grad(X))
        Z = problem.nonsmooth.prox(state.X + Lam / p.rho, 1 / p.rho)
        return State(state.X, Z, Lam + p.rho * (state.X - Z), state.D, p, cycles)
