"""RGD, Riemannian gradient descent with a line search."""

from dataclasses import dataclass
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import averaged, backtrack, barzilai_borwein
from orthoprox._linalg.stiefel import RETRACTIONS
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers.base import SMOOTH, Facts, Residuals, Solver, check_positive

_TRIALS = ("grow", "restart", "barzilai-borwein")


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    f: float  # l(X^k)
    D: Array  # grad l(X^k)
    xi: Array  # the Riemannian gradient, P_T(D)
    t: float  # the step that the next line search tries first
    C: float  # what it has to undercut: l(X^k), or an average of the last values
    q: float  # the weight of that average
    t0: float  # the very first step
    trials: int  # of the last line search


@dataclass(frozen=True)
class RGD(Solver[State]):
    """Riemannian gradient descent  X+ = R_X(-t P_T(grad l(X)))  with backtracking: t shrinks until

        l(X+) <= l(X) - decrease t |P_T(grad l(X))|^2.

    Parameters
    ----------
    trial : {"grow", "restart", "barzilai-borwein"}
        The step tried first: twice the last one, always ``step_size``, or |<s, y>| / <y, y> with s
        and y the last changes of X and of its Riemannian gradient. The last compares with an
        average of past values (Zhang and Hager).
    step_size : float, optional
        The first step; by default 1/L with L the Lipschitz constant of grad l.
    shrink, decrease : float
        Of the line search; both between 0 and 1. For Barzilai-Borwein steps a decrease of 1e-4 is
        usual, the default.
    retraction : {"polar", "qr"}

    References
    ----------
    P.-A. Absil, R. Mahony and R. Sepulchre, Optimization Algorithms on Matrix Manifolds, Princeton
    (2008).
    """

    facts: ClassVar = Facts(
        "RGD",
        nonsmooth=False,
        single_loop=True,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1, "gram": 1, "right": 1},
        per="trial",
    )
    units: ClassVar = {"step_size": -1}
    needs = (SMOOTH,)

    trial: str = "grow"
    step_size: float | None = None
    shrink: float = 0.5
    decrease: float | None = None
    retraction: str = "polar"

    def __post_init__(self) -> None:
        inputs.choice(self.trial, "trial", _TRIALS)
        inputs.choice(self.retraction, "retraction", RETRACTIONS)
        check_positive(self, "step_size", "shrink", "decrease")
        for name in ("shrink", "decrease"):
            if (getattr(self, name) or 0.0) >= 1:
                raise ValueError(f"{name} = {getattr(self, name):g}; it needs a number between 0 and 1.")

    def init(self, problem: Problem, X0: Array) -> State:
        value, D = problem.smooth.value_and_grad(X0)
        t0 = 1 / (lipschitz(problem.smooth, X0) or 1.0) if self.step_size is None else float(self.step_size)
        f = float(value)
        return State(X0, f, D, stiefel.tangent(X0, D), t0, f, 1.0, t0, 0)

    def step(self, problem: Problem, state: State) -> State:
        X, xi, retract = state.X, state.xi, RETRACTIONS[self.retraction]
        slope = self._decrease * float(norm(xi)) ** 2

        def at(t: float) -> tuple[Array, float, Array]:
            trial = retract(X - t * xi)
            value, D = problem.smooth.value_and_grad(trial)
            return trial, float(value), D

        def good(t: float, point: tuple[Array, float, Array]) -> bool:
            return point[1] <= state.C - t * slope + 1e-14 * abs(state.C)

        found = backtrack(at, good, state.t, shrink=self.shrink, shortest=1e-12 * state.t0)
        X, f, D = found.point
        xi = stiefel.tangent(X, D)
        if self.trial == "barzilai-borwein":
            t = barzilai_borwein(X - state.X, xi - state.xi) or state.t0
            return State(X, f, D, xi, t, *averaged(state.C, state.q, f), state.t0, found.trials)
        t = state.t0 if self.trial == "restart" else 2 * found.length
        return State(X, f, D, xi, t, f, 1.0, state.t0, found.trials)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` 0, and ``kkt`` = ``prox``, the length of the
        Riemannian gradient.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: 0.0,
            "prox": lambda: norm(new.xi),
            "kkt": lambda: norm(new.xi),
        }

    def multiplier(self, state: State) -> Array:
        return stiefel.multiplier(state.X, state.D)

    def parameters(self, state: State) -> dict[str, Any]:
        return {"step_size": state.t0, "shrink": self.shrink, "decrease": self._decrease}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a smaller step_size, a tenth of {state.t0:.2g} or less."

    @property
    def _decrease(self) -> float:
        if self.decrease is not None:
            return self.decrease
        return 1e-4 if self.trial == "barzilai-borwein" else 0.5
