"""RSM, the Riemannian subgradient method."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.stiefel import RETRACTIONS
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers.base import SUBGRADIENT, Facts, Residuals, Solver, check_positive

_RULES = ("diminishing", "geometric")


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    xi: Array  # a tangent subgradient at X^k
    t0: float  # the step size in force
    k: int  # iterations done


@dataclass(frozen=True)
class RSM(Solver[State]):
    """Steps along the projected subgradient:  X+ = R_X(-t_k P_T(xi)),  xi in grad l(X) + dg(X) of
    minimum norm in dg.

    Parameters
    ----------
    rule : {"geometric", "diminishing"}
        t_k = step_size decay^k, or t_k = step_size / (k + offset)^power, k = 0, 1, ...
    step_size : float, optional
        By default 1/L with L the Lipschitz constant of grad l (geometric), or 1 (diminishing).
    decay : float
        The factor of the geometric rule; the default shrinks the step by 1e-5 over 20,000
        iterations.
    power, offset : float
        Of the diminishing rule.
    retraction : {"polar", "qr"}

    References
    ----------
    X. Li, S. Chen, Z. Deng, Q. Qu, Z. Zhu and A. M.-C. So, Weakly convex optimization over Stiefel
    manifold using Riemannian subgradient-type methods, SIAM J. Optim. 31 (2021).
    """

    facts: ClassVar = Facts(
        "RSM",
        nonsmooth=True,
        single_loop=True,
        complexity="O(eps^-4)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1, "gram": 1, "right": 1},
    )
    units: ClassVar = {"step_size": -1}
    needs = (SUBGRADIENT,)

    rule: str = "geometric"
    step_size: float | None = None
    decay: float = 1e-5 ** (1 / 20_000)
    power: float = 0.75
    offset: float = 1.0
    retraction: str = "polar"

    def __post_init__(self) -> None:
        inputs.choice(self.rule, "rule", _RULES)
        inputs.choice(self.retraction, "retraction", RETRACTIONS)
        check_positive(self, "step_size", "decay", "power", "offset")
        if self.decay > 1:
            raise ValueError(f"decay = {self.decay:g}; it needs a number of at most 1, the steps must not grow.")

    def init(self, problem: Problem, X0: Array) -> State:
        if self.step_size is not None:
            t0 = float(self.step_size)
        else:
            t0 = 1.0 if self.rule == "diminishing" else 1 / (lipschitz(problem.smooth, X0) or 1.0)
        return State(X0, _subgradient(problem, X0), t0, 0)

    def step(self, problem: Problem, state: State) -> State:
        X = RETRACTIONS[self.retraction](state.X - self._length(state) * state.xi)
        return State(X, _subgradient(problem, X), state.t0, state.k + 1)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` 0 and ``prox``, the length of the
        subgradient.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: 0.0,
            "prox": lambda: norm(new.xi),
        }

    def parameters(self, state: State) -> dict[str, Any]:
        return {"step_size": state.t0, "decay": self.decay, "power": self.power, "offset": self.offset}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller step_size, half of {state.t0:.2g} or less."

    def _length(self, state: State) -> float:
        if self.rule == "geometric":
            return float(state.t0 * self.decay**state.k)
        return float(state.t0 * (state.k + self.offset) ** -self.power)


def _subgradient(problem: Problem, X: Array) -> Array:
    """Return P_T(grad l(X) + s) with s the element of dg(X) of minimum norm."""
    g = problem.nonsmooth
    s = g.min_norm_subgradient(X, 0 * X)  # type: ignore[attr-defined]
    return stiefel.tangent(X, problem.smooth.grad(X) + s)
