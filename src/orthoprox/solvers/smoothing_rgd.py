"""Smoothing RGD, Riemannian gradient descent on Moreau envelopes that come closer to g."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm, precision
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import averaged, backtrack, barzilai_borwein
from orthoprox.problems.problem import Problem
from orthoprox.problems.smoothed import Envelope, envelope
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers._shared.splitting import relative_gap
from orthoprox.solvers.base import Facts, Residuals, Solver, check_positive

_RULES = ("two-phase", "dynamic")
_WIDTH = 0.5  # how far, over sqrt(n), the prox with the first nu moves the start
_PATIENCE = 5000  # steps with one nu, after which it shrinks in any case
_DECREASE = 1e-4  # of the line search
_SHORTEST = 1e-12  # its shortest step, over nu


@dataclass(frozen=True)
class Parameters:
    """The parameters in force."""

    nu: float  # the first smoothing
    curvature: float  # max(L, |grad l(X0)|_2)


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, on the manifold
    f: float  # l(X^k)
    D: Array  # grad l(X^k)
    nu: float  # the smoothing
    e: Envelope  # of g at X^k, with its gradient S
    xi: Array  # the Riemannian gradient of the smoothed objective, P_T(D + S)
    t: float  # the next step, or the one that the line search tries first
    C: float  # what it has to undercut: an average of the last smoothed objectives
    q: float  # the weight of that average
    p: Parameters
    k: int = 0  # iterations done
    steps: int = 0  # with this nu
    trials: int = 1  # of the last line search
    accepted: bool = True  # whether it succeeded


@dataclass(frozen=True)
class SmoothingRGD(Solver[State]):
    """Riemannian gradient steps on l + e, with e the Moreau envelope of g and nu its smoothing,
    which vanishes on the way:

        X+ = polar(X - t P_T(grad l(X) + S)),   S = (X - P) / nu,   P = prox_{nu g}(X)

    The two-phase rule keeps nu until the smoothed problem is solved, up to the error that the
    smoothing makes,

        |P_T(grad l(X) + S)| <= accuracy |X - P| / sqrt(n) max(|grad l(X)|, |S|),

    and then multiplies it by ``factor``; its steps are those of Barzilai and Borwein, shortened
    until l + e undercuts an average of past values (Zhang and Hager). The dynamic rule has no line
    search: nu_k = nu / (k + 1)^power and t_k = 1 / (S0 + 1 / nu_k) with S0 = max(L, |grad
    l(X0)|_2), L the Lipschitz constant of grad l.

    The dynamic rule is the one whose complexity is known, but P approaches X only as fast as nu_k
    falls: at (100, 10), from random starts and with the defaults, X is after 30,000 iterations
    still 8e-3 short of a certificate on sparse PCA, 3e-2 to 5e-2 on compressed modes. The two-phase
    rule reaches 1e-4 there in 600 to 8,000 iterations.

    Parameters
    ----------
    rule : {"two-phase", "dynamic"}
    nu : float, optional
        The first smoothing; by default the prox with it moves X0 by sqrt(n) / 2, or it is
        sqrt(n) / |grad l(X0)| where g is an indicator; less where a weakly convex g asks for it.
    power : float
        Of the dynamic rule.
    factor, accuracy : float
        Of the two-phase rule.

    References
    ----------
    A. Beck and I. Rosset, A dynamic smoothing technique for a class of nonsmooth optimization
    problems on manifolds, SIAM J. Optim. 33 (2023), for the dynamic rule; Z. Peng, W. Wu, J. Hu and
    K. Deng, Riemannian smoothing gradient type algorithms for nonsmooth optimization problem on
    compact Riemannian submanifold embedded in Euclidean space, Appl. Math. Optim. 88 (2023), for
    the two-phase rule.
    """

    facts: ClassVar = Facts(
        "Smoothing RGD",
        nonsmooth=True,
        single_loop=True,
        complexity="O(eps^-3)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
        per="trial",
        remark="for the dynamic rule",
    )
    units: ClassVar = {"nu": -1, "step_size": -1}

    rule: str = "two-phase"
    nu: float | None = None
    power: float = 1 / 3
    factor: float = 0.3
    accuracy: float = 0.1

    def __post_init__(self) -> None:
        inputs.choice(self.rule, "rule", _RULES)
        check_positive(self, "nu", "power", "factor", "accuracy")
        if self.factor >= 1:
            raise ValueError(f"factor = {self.factor:g}; it needs a number between 0 and 1, the smoothing shrinks.")

    def init(self, problem: Problem, X0: Array) -> State:
        value, D = problem.smooth.value_and_grad(X0)
        nu = problem.smoothing(X0, D, _WIDTH) if self.nu is None else float(self.nu)
        return _smoothed(problem, X0, float(value), D, nu=nu, p=Parameters(nu, steepness(problem.smooth, X0, D)))

    def step(self, problem: Problem, state: State) -> State:
        if self.rule == "dynamic":
            X, k = stiefel.polar(state.X - state.t * state.xi), state.k + 1
            value, D = problem.smooth.value_and_grad(X)
            return replace(_smoothed(problem, X, float(value), D, nu=state.p.nu * (k + 1) ** -self.power, p=state.p), k=k)
        finest = precision(state.X) ** 0.5 * state.p.nu  # S is rounded to eps |X| / nu
        if state.nu > finest and self._solved(state):
            nu = max(self.factor * state.nu, finest)
            state = replace(_smoothed(problem, state.X, state.f, state.D, nu=nu, p=state.p), t=state.t, k=state.k)
        return _descend(problem, state)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X - P| relative, and ``prox``, the Riemannian
        gradient of l + e.
        """
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: relative_gap(new.X, new.e.point),
            "prox": lambda: norm(new.xi),
        }

    def multiplier(self, state: State) -> Array:
        """Return Y = -sym(X'(grad l + S)) / 2, as S is a subgradient of g at P."""
        return stiefel.multiplier(state.X, state.D + state.e.gradient)

    def parameters(self, state: State) -> dict[str, Any]:
        return {"nu": state.nu, "step_size": state.t}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a larger nu, ten times {state.p.nu:.2g} or more."

    def _solved(self, state: State) -> bool:
        """Whether the two-phase rule has done with this nu: solved, or out of reach."""
        error = float(norm(state.X - state.e.point)) / state.X.shape[-1] ** 0.5
        scale = max(float(norm(state.D)), float(norm(state.e.gradient)))
        solved = float(norm(state.xi)) <= self.accuracy * error * scale
        return solved or not state.accepted or state.steps >= _PATIENCE


def _smoothed(problem: Problem, X: Array, f: float, D: Array, *, nu: float, p: Parameters) -> State:
    """Return the state at X with a new nu: one prox, and the average begins anew."""
    e = envelope(problem.nonsmooth, X, nu)
    xi = stiefel.tangent(X, D + e.gradient)
    return State(X, f, D, nu, e, xi, 1 / (p.curvature + 1 / nu), f + float(e.value), 1.0, p)


def _descend(problem: Problem, state: State) -> State:
    """Take one step of Barzilai and Borwein, shortened where it has to be."""
    size = float(norm(state.xi))
    slope = _DECREASE * (size * size)

    def at(t: float) -> tuple[Array, float, Array, Envelope]:
        X = stiefel.polar(state.X - t * state.xi)
        value, D = problem.smooth.value_and_grad(X)
        return X, float(value), D, envelope(problem.nonsmooth, X, state.nu)

    def good(t: float, point: tuple[Array, float, Array, Envelope]) -> bool:
        return point[1] + float(point[3].value) <= state.C - t * slope + 1e-14 * abs(state.C)

    found = backtrack(at, good, state.t, shortest=_SHORTEST * state.nu)
    X, f, D, e = found.point
    xi = stiefel.tangent(X, D + e.gradient)
    t = barzilai_borwein(X - state.X, xi - state.xi) or state.t
    C, q = averaged(state.C, state.q, f + float(e.value))
    return State(X, f, D, state.nu, e, xi, t, C, q, state.p, state.k + 1, state.steps + 1, found.trials, found.accepted)
