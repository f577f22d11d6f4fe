"""Dissolving, unconstrained minimisation of a function into which the constraint is dissolved."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, from_numpy, namespace, norm, to_numpy
from orthoprox._linalg import stiefel
from orthoprox._linalg.stiefel import sym
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers.base import SMOOTH, SUBGRADIENT, Ability, Facts, Residuals, Solver, check_positive

_INNER = ("auto", "gradient", "lbfgs", "subgradient")
_PAIRS = 10  # of changes that L-BFGS remembers
_NEAR = 1.0  # |X'X - I| at which L-BFGS meets a wall


@dataclass(frozen=True)
class Parameters:
    """The parameters in force."""

    inner: str  # the inner method
    b: float  # penalty
    t: float  # step


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k; X'X = I only in the limit
    G: Array  # X^k'X^k - I
    A: Array  # A(X^k)
    h: float  # h(X^k), less g(A(X^k))
    Lam: Array  # sym(X'W), W a subgradient of l + g at A
    V: Array  # the subgradient of h at X^k
    p: Parameters
    k: int = 0  # iterations done
    cycles: int = 1  # how often V was evaluated in the last iteration


@dataclass(frozen=True)
class Dissolving(Solver[State]):
    """Constraint dissolving: whatever minimises without constraints is applied to

        h(X) = l(A(X)) + g(A(X)) + b/4 |X'X - I|^2,   A(X) = X (3I - X'X) / 2,

    which agrees with l + g on the manifold and whose stationary points near it are those of the
    problem. With G = X'X - I and W in grad l(A(X)) + dg(A(X)) of minimum norm, a subgradient of h
    is

        V = W (I - G/2) - X sym(X'W) + b X G.

    Far from the manifold h may be unbounded; too small a penalty leads there.

    With g, steps of length t_k = step_size decay^k follow -V. They make no zeros: at (100, 10),
    from random starts and with the defaults, X is after 30,000 iterations still 2e-4 to 1e-2 short
    of a certificate on sparse PCA, 2e-2 to 4e-2 on compressed modes.

    Parameters
    ----------
    inner : {"auto", "gradient", "lbfgs", "subgradient"}
        Gradient steps of constant length, or SciPy's L-BFGS-B, both for smooth problems; or
        subgradient steps. By default L-BFGS where g = 0, and subgradient steps elsewhere.
    penalty : float, optional
        b; by default max(L, |W0|_2, 1.6 w), with L the Lipschitz constant of grad l, W0 = W at X0
        and w the largest eigenvalue of sym(X0'W0): below 1.5 w the manifold does not attract.
    step_size : float, optional
        By default 1/(4b), and 1/(3b) for the first subgradient step. L-BFGS begins its first line
        search with it.
    decay : float
        Of the subgradient steps; the default shrinks them by 1e-5 over 20,000 iterations.
    max_cycles : int
        The number of L-BFGS iterations that make one iteration of this method. The next one starts
        without their memory; where they fail, as they do at the limits of the precision, a gradient
        step is taken instead.

    References
    ----------
    X. Hu, N. Xiao, X. Liu and K.-C. Toh, A constraint dissolving approach for nonsmooth
    optimization over the Stiefel manifold, IMA J. Numer. Anal. 44 (2024).
    """

    facts: ClassVar = Facts(
        "Dissolving",
        nonsmooth=True,
        single_loop=True,
        complexity="",
        sequential=False,
        retraction_free=True,
        work={"gradient": 1, "gram": 2, "right": 3},
        per="cycle",
    )
    units: ClassVar = {"penalty": 1, "step_size": -1}

    inner: str = "auto"
    penalty: float | None = None
    step_size: float | None = None
    decay: float = 1e-5 ** (1 / 20_000)
    max_cycles: int = 50

    def __post_init__(self) -> None:
        inputs.choice(self.inner, "inner", _INNER)
        check_positive(self, "penalty", "step_size", "decay")
        if self.decay > 1:
            raise ValueError(f"decay = {self.decay:g}; it needs a number of at most 1, the steps must not grow.")
        inputs.integer(self.max_cycles, "max_cycles")

    @property
    def needs(self) -> tuple[Ability, ...]:  # type: ignore[override]
        return (SMOOTH,) if self.inner in ("gradient", "lbfgs") else (SUBGRADIENT,)

    def init(self, problem: Problem, X0: Array) -> State:
        inner = self.inner
        if inner == "auto":
            inner = "lbfgs" if isinstance(problem.nonsmooth, Zero) else "subgradient"
        b = _penalty(problem, X0) if self.penalty is None else float(self.penalty)
        t = self.step_size or 1 / ((3 if inner == "subgradient" else 4) * b)
        return _state(problem, X0, Parameters(inner, b, t), 0)

    def step(self, problem: Problem, state: State) -> State:
        if state.p.inner == "lbfgs":
            return _quasi_newton(problem, state, self.max_cycles)
        decay = self.decay if state.p.inner == "subgradient" else 1.0
        return _descend(problem, state, state.p.t * decay**state.k)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step`` |X+ - X|, ``constraint`` |X'X - I| and ``prox`` |V|."""
        return {
            "step": lambda: norm(new.X - old.X),
            "constraint": lambda: norm(new.G),
            "prox": lambda: norm(new.V),
        }

    def multiplier(self, state: State) -> Array | None:
        """Return -Lam / 2; None for subgradient steps, whose W need not be near the one that a
        stationary point has.
        """
        return None if state.p.inner == "subgradient" else -state.Lam / 2

    def parameters(self, state: State) -> dict[str, Any]:
        return {"penalty": state.p.b, "step_size": state.p.t}

    def advice(self, problem: Problem, state: State) -> str:
        return f"Set a larger penalty, twice {state.p.b:.2g} or more, or a smaller step_size, half of {state.p.t:.2g} or less."


def _subgradient(problem: Problem, X: Array) -> tuple[Array, Array]:
    """Return l(X), and the element of grad l(X) + dg(X) of minimum norm."""
    value, D = problem.smooth.value_and_grad(X)
    return value, problem.nonsmooth.min_norm_subgradient(X, D)  # type: ignore[attr-defined]


def _penalty(problem: Problem, X0: Array) -> float:
    W = _subgradient(problem, X0)[1]
    xp = namespace(W)
    w = xp.linalg.eigvalsh(sym(X0.mT @ W))
    return max(lipschitz(problem.smooth, X0), float(xp.linalg.matrix_norm(W, ord=2)), 1.6 * float(w[..., -1])) or 1.0


def _state(problem: Problem, X: Array, p: Parameters, k: int) -> State:
    """Return the state at X; with X'X = I + G both A(X) = X - XG/2 and V need few products."""
    G = stiefel.defect(X)
    A = X - X @ (G / 2)
    value, W = _subgradient(problem, A)
    Lam = sym(X.mT @ W)
    V = W - W @ (G / 2) - X @ (Lam - p.b * G)
    return State(X, G, A, float(value) + p.b / 4 * float(norm(G)) ** 2, Lam, V, p, k)


def _descend(problem: Problem, state: State, t: float) -> State:
    return _state(problem, state.X - t * state.V, state.p, state.k + 1)


def _quasi_newton(problem: Problem, state: State, iterations: int) -> State:
    """Run L-BFGS from X, in coordinates in which its first trial is the gradient step; take that
    step where it fails.

    Far from the manifold a line search would follow h to where it is unbounded. There it sees a
    wall, which turns it back.
    """
    p, shape, evaluations = state.p, tuple(state.X.shape), 0
    unit = p.t * float(norm(state.V))

    def at(u: np.ndarray) -> State:
        return _state(problem, state.X + unit * from_numpy(u.reshape(shape), like=state.X), p, state.k + 1)

    def both(u: np.ndarray) -> tuple[float, np.ndarray]:
        there = at(u)
        h, V = there.h / p.b, there.V / p.b
        if float(norm(there.G)) > _NEAR:
            h, V = state.h / p.b + float(norm(there.G)) ** 2, 8 * (there.X - there.A)  # 4 X G
        return h, unit * to_numpy(V).astype(np.float64).ravel()

    if unit > 0:
        from scipy.optimize import minimize

        options = {"maxiter": iterations, "maxfun": 3 * iterations, "maxcor": _PAIRS, "ftol": 0.0, "gtol": 0.0}
        found = minimize(both, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options=options)
        new, evaluations = at(found.x), found.nfev + 1
        if new.h < state.h and float(norm(new.G)) <= _NEAR:
            return replace(new, cycles=evaluations)
    return replace(_descend(problem, state, p.t), cycles=evaluations + 1)
