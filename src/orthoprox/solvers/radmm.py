"""RADMM, the Riemannian alternating direction method of multipliers."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.solvers._shared.admm import ManifoldADMM, State
from orthoprox.solvers.base import Facts, check_positive

_SMOOTHING = 1e-12  # gamma rho


@dataclass(frozen=True)
class RADMM(ManifoldADMM):
    """ADMM for X = Z with one Riemannian gradient step in X and the Moreau envelope of g in Z.

        X+ = polar(X - eta P_T(grad l(X) + Lam + rho (X - Z)))
        W  = prox_{(1/rho + gamma) g}(X+ + Lam/rho)
        Z+ = (W + gamma (Lam + rho X+)) / (1 + gamma rho)
        Lam+ = Lam + rho (X+ - Z+)

    Parameters
    ----------
    rho : float, optional
        The penalty; by default max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l, L^-
        and m the weak convexity moduli of l and of g.
    eta : float, optional
        The step; by default 1 / (max(L, |grad l(X0)|_2) + rho).
    gamma : float, optional
        The smoothing parameter of g; by default 1e-12 / rho, as small as the precision allows.

    References
    ----------
    J. Li, S. Ma and T. Srivastava, A Riemannian alternating direction method of multipliers, Math.
    Oper. Res. (2025).
    """

    facts: ClassVar = Facts(
        "RADMM",
        nonsmooth=True,
        single_loop=True,
        complexity="O(eps^-4)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
    )

    units: ClassVar = ManifoldADMM.units | {"gamma": -1}

    gamma: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "gamma")

    def step(self, problem: Problem, state: State) -> State:
        Lam, p, gamma = state.Lam, state.p, self._gamma(state)
        X = stiefel.polar(state.X - p.eta * state.xi)
        W = problem.nonsmooth.prox(X + Lam / p.rho, 1 / p.rho + gamma)
        Z = (W + gamma * (Lam + p.rho * X)) / (1 + gamma * p.rho)  # (W/gamma + ...) would overflow
        return State(X, Z, Lam + p.rho * (X - Z), problem.smooth.grad(X), p)

    def parameters(self, state: State) -> dict[str, Any]:
        return super().parameters(state) | {"gamma": self._gamma(state)}

    def _gamma(self, state: State) -> float:
        return _SMOOTHING / state.p.rho if self.gamma is None else self.gamma
