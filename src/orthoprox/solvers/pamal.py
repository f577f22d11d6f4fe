"""PAMAL, the proximal alternating minimised augmented Lagrangian method."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, largest, namespace, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz, weak_convexity
from orthoprox.smooth.resolvent import Resolvent, resolvents
from orthoprox.solvers._shared.splitting import relative_gap
from orthoprox.solvers.base import Facts, Residuals, Solver, check_positive


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, the free copy
    P: Array  # P^k, the orthonormal copy
    Q: Array  # Q^k, the sparse copy
    L1: Array  # multiplier of Q = X; -L1 lies in dg(Q)
    L2: Array  # multiplier of P = X
    rho: float  # the penalty
    gaps: tuple[float, float]  # max |Q - X| and max |P - X| after the last iteration
    cycles: int  # of the inner loop in the last iteration
    k: int  # iterations done
    unit: float  # the size of the gradient at the start
    solvers: Callable[[float], Resolvent]  # of grad l(X) + (c + 2 rho) X = R, for each c + 2 rho


@dataclass(frozen=True)
class PAMAL(Solver[State]):
    """The augmented Lagrangian method for X = P with P'P = I and X = Q with g(Q), its inner problem
    solved by cycles

        X+ = argmin l(X) + rho/2 (|Q - X|^2 + |P - X|^2) - <L1 + L2, X> + c/2 |X - X_old|^2
        Q+ = prox_{g/(rho+c)}((rho X+ - L1 + c Q) / (rho + c))
        P+ = polar((rho X+ - L2 + c P) / (rho + c))

    until the changes fall below max(floor, accuracy^k). Then L1 += rho (Q - X), L2 += rho (P - X),
    both clipped, and rho grows where a gap did not shrink enough. The output is P.

    Parameters
    ----------
    penalty : float, optional
        The first rho; by default 2.5 max(L^-, L/8, m), with L the Lipschitz constant of grad l, L^-
        and m the weak convexity moduli of l and of g.
    growth, ratio : float
        rho is multiplied by ``growth`` after an iteration in which one of the gaps exceeds
        ``ratio`` times its last value.
    proximal, clip, accuracy, floor : float
        c, the bound of the entries of the multipliers, and the inner tolerance as above, all in
        terms of ``unit``.
    unit : float, optional
        By default the largest entry of the gradient at the start, which makes the method scale
        invariant; the authors' constants are absolute, ``unit=1``.
    max_cycles : int
        The most cycles of one inner loop.

    References
    ----------
    W. Chen, H. Ji and Y. You, An augmented Lagrangian method for l1-regularized optimization
    problems with orthogonality constraints, SIAM J. Sci. Comput. 38 (2016).
    """

    facts: ClassVar = Facts(
        "PAMAL",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"resolvent": 1, "prox": 1, "polar": 1},
        per="cycle",
    )
    units: ClassVar = {"penalty": 1, "unit": 1}

    penalty: float | None = None
    growth: float = 1.001
    ratio: float = 0.999
    proximal: float = 0.5
    clip: float = 100.0
    accuracy: float = 0.996
    floor: float = 1e-6
    unit: float | None = None
    max_cycles: int = 101

    def __post_init__(self) -> None:
        check_positive(self, "penalty", "growth", "ratio", "proximal", "clip", "accuracy", "floor", "unit")
        inputs.number(self.growth, "growth", minimum=1.0, strict=False)
        if self.accuracy > 1:
            raise ValueError(f"accuracy = {self.accuracy:g}; it needs a number of at most 1, the inner tolerance shrinks.")
        inputs.integer(self.max_cycles, "max_cycles")

    def init(self, problem: Problem, X0: Array) -> State:
        L, m = lipschitz(problem.smooth, X0), problem.nonsmooth.modulus
        rho = 2.5 * max(weak_convexity(problem.smooth, X0), L / 8, m) or 1.0
        rho = rho if self.penalty is None else float(self.penalty)
        unit = self.unit or largest(problem.smooth.grad(X0)) or 1.0
        zero = 0 * X0
        return State(X0, X0, X0, zero, zero, rho, (0.0, 0.0), 0, 0, unit, resolvents(problem.smooth, X0))

    def step(self, problem: Problem, state: State) -> State:
        xp = namespace(state.X)
        X, P, Q, rho, unit = state.X, state.P, state.Q, state.rho, state.unit
        L1, L2, c, k = state.L1, state.L2, self.proximal * unit, state.k + 1
        tolerance, solve = max(self.floor, self.accuracy**k) * unit, state.solvers(c + 2 * rho)

        cycles, change = 0, float("inf")
        while cycles < self.max_cycles and change > tolerance:
            X_old, P_old, Q_old = X, P, Q
            X = solve(L1 + L2 + rho * (Q + P) + c * X, X)
            Q = problem.nonsmooth.prox((rho * X - L1 + c * Q) / (rho + c), 1 / (rho + c))
            P = stiefel.polar((rho * X - L2 + c * P) / (rho + c))
            residual = rho * (Q_old - Q + P_old - P) + c * (X_old - X)
            change = max(largest(residual), c * largest(Q_old - Q), c * largest(P_old - P))
            cycles += 1

        L1 = xp.clip(L1 + rho * (Q - X), -self.clip * unit, self.clip * unit)
        L2 = xp.clip(L2 + rho * (P - X), -self.clip * unit, self.clip * unit)
        gaps = (largest(Q - X), largest(P - X))
        if any(gap > self.ratio * before for gap, before in zip(gaps, state.gaps, strict=True)):
            rho = self.growth * rho
        return State(X, P, Q, L1, L2, rho, gaps, cycles, k, unit, state.solvers)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |P+ - P|, ``constraint`` (both gaps, relative) and ``prox``, the change
        of the copies times rho.
        """
        return {
            "step": lambda: norm(new.P - old.P),
            "constraint": lambda: relative_gap(new.Q, new.P) + relative_gap(new.X, new.P),
            "prox": lambda: new.rho * norm(new.P - old.P + new.Q - old.Q),
        }

    def output(self, state: State) -> Array:
        return state.P

    def multiplier(self, state: State) -> Array:
        """Return Y = -sym(P'L2) / 2: L2 is normal to the manifold at P, and grad l = L1 + L2 in the
        limit.
        """
        return stiefel.multiplier(state.P, state.L2)

    def parameters(self, state: State) -> dict[str, Any]:
        return {"penalty": state.rho, "unit": state.unit}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a larger penalty, twice {state.rho:.2g} or more."
