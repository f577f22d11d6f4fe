"""SOC, the splitting of orthogonality constraints."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.stiefel import sym
from orthoprox.problems.problem import Problem
from orthoprox.smooth.resolvent import Resolvent, resolvent
from orthoprox.solvers._shared.splitting import relative_gap, splitting_penalty
from orthoprox.solvers.base import Facts, Residuals, Solver, check_positive


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, the free copy
    P: Array  # P^k, the orthonormal copy
    Q: Array  # Q^k, the sparse copy
    U: Array  # scaled multiplier of X = P
    V: Array  # scaled multiplier of X = Q; b V lies in dg(Q)
    b: float  # the penalty of both splittings
    solve: Resolvent  # of grad l(X) + 2b X = R


@dataclass(frozen=True)
class SOC(Solver[State]):
    """The splitting of orthogonality constraints: a three-block ADMM for X = P with P'P = I and
    X = Q with g(Q).

        X+ = argmin l(X) + b/2 |X - P + U|^2 + b/2 |X - Q + V|^2
        Q+ = prox_{g/b}(X+ + V),   P+ = polar(X+ + U),   U+ = U + X+ - P+,   V+ = V + X+ - Q+

    The first line is a linear system with one matrix for all iterations where l is quadratic, and a
    few gradient steps elsewhere. The output is P. No convergence is proved; too small a penalty
    oscillates.

    Parameters
    ----------
    penalty : float, optional
        b; by default max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l, L^- and m the
        weak convexity moduli of l and of g.

    References
    ----------
    R. Lai and S. Osher, A splitting method for orthogonality constrained problems, J. Sci. Comput.
    58 (2014).
    """

    facts: ClassVar = Facts(
        "SOC",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"resolvent": 1, "prox": 1, "polar": 1},
    )
    units: ClassVar = {"penalty": 1}

    penalty: float | None = None

    def __post_init__(self) -> None:
        check_positive(self, "penalty")

    def init(self, problem: Problem, X0: Array) -> State:
        b = splitting_penalty(problem, X0) if self.penalty is None else float(self.penalty)
        zero = 0 * X0
        return State(X0, X0, X0, zero, zero, b, resolvent(problem.smooth, 2 * b, X0))

    def step(self, problem: Problem, state: State) -> State:
        P, Q, U, V, b = state.P, state.Q, state.U, state.V, state.b
        X = state.solve(b * (P - U + Q - V), state.X)
        Q = problem.nonsmooth.prox(X + V, 1 / b)
        P = stiefel.polar(X + U)
        return State(X, P, Q, U + X - P, V + X - Q, b, state.solve)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |P+ - P|, ``constraint`` (both gaps, relative) and ``prox``, the dual
        residual.
        """
        return {
            "step": lambda: norm(new.P - old.P),
            "constraint": lambda: relative_gap(new.Q, new.P) + relative_gap(new.X, new.P),
            "prox": lambda: new.b * norm(new.P - old.P + new.Q - old.Q),
        }

    def output(self, state: State) -> Array:
        return state.P

    def multiplier(self, state: State) -> Array:
        """Return Y = b sym(P'U) / 2: U is normal to the manifold at P, and grad l + bV + bU = 0 in
        the limit.
        """
        return state.b * sym(state.P.mT @ state.U) / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"penalty": state.b}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a larger penalty, twice {state.b:.2g} or more."
