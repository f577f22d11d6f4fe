"""ManPG, the manifold proximal gradient method, with constant and with adaptive steps."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers._shared.proximal_gradient import Point, ProximalGradient, ProximalState, descend, visit
from orthoprox.solvers._shared.tangent_prox import inner_tolerance, tangent_prox
from orthoprox.solvers.base import Facts

_INNER = ("adaptive", "published")


@dataclass(frozen=True)
class State(ProximalState):
    """The iterates."""

    F: float  # l(X^k) + g(X^k)
    D: Array  # grad l(X^k)
    V: Array  # the last step, of which a part may have been taken
    t0: float  # the first prox step
    failures: int  # line searches that ended without success
    trials: int  # of the last line search
    proxes: int  # of the last subproblem


@dataclass(frozen=True)
class ManifoldProximalGradient(ProximalGradient[State]):
    """The proximal gradient method in tangent spaces: in each iteration

        V  = argmin <grad l(X), V> + |V|^2 / 2t + g(X + V)  subject to  X'V + V'X = 0
        X+ = polar(X + a V),   a = 1, 1/2, 1/4, ... until F(X+) < F(X) - a |V|^2 / 2t

    with the subproblem solved by a regularised semismooth Newton method.
    """

    inner: str = "adaptive"

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.choice(self.inner, "inner", _INNER)

    def init(self, problem: Problem, X0: Array) -> State:
        t = 1 / (lipschitz(problem.smooth, X0) or 1.0) if self.step_size is None else float(self.step_size)
        here = visit(problem, X0)
        return State(X0, 0 * stiefel.defect(X0), float(norm(X0)), t, t, here.F, here.D, 0 * X0, t, 0, 0, 0)

    def step(self, problem: Problem, state: State) -> State:
        tol, dual = self._inner_tolerance(state), self.inner == "adaptive"
        inner = tangent_prox(problem.nonsmooth, state.X, state.D, state.t, state.Lam, tol=tol, dual=dual)
        found = descend(problem, Point(state.X, state.F, state.D), inner.V, state.t)
        new, failures = found.point, state.failures + (not found.accepted)
        t, size = self._next_step(state.t, state.t0, found.trials == 1), float(norm(inner.V))
        return State(new.X, inner.Lam, size, t, state.t, new.F, new.D, inner.V, state.t0, failures, found.trials, inner.proxes)

    @abstractmethod
    def _next_step(self, t: float, t0: float, smooth: bool) -> float:
        """Return the prox step of the next subproblem; ``smooth`` if the line search accepted its
        first trial.
        """

    def _inner_tolerance(self, state: State) -> float:
        """Return the bound of |E|_F^2: small against the descent |V|^2 of the last step, or as in
        the authors' code.
        """
        if self.inner == "adaptive":
            return inner_tolerance(state.size)
        m, n = state.X.shape[-2:]
        outer: float = 1e-8 * m * n * state.t**2
        return max(1e-13, min(1e-11, 1e-3 * outer)) if state.failures == 0 else max(5e-16, min(1e-14, 1e-5 * outer))


@dataclass(frozen=True)
class ManPG(ManifoldProximalGradient):
    """The manifold proximal gradient method with a constant step: in each iteration

        V  = argmin <grad l(X), V> + |V|^2 / 2t + g(X + V)  subject to  X'V + V'X = 0
        X+ = polar(X + a V),   a = 1, 1/2, 1/4, ... until F(X+) < F(X) - a |V|^2 / 2t

    Parameters
    ----------
    step_size : float, optional
        t; by default 1/L with L the Lipschitz constant of grad l.
    inner : {"adaptive", "published"}
        The accuracy and the line search of the subproblem: adapted to the last step and
        safeguarded, or as in the authors' code, which does not support more than its own stopping
        rule |V/t|^2 <= 1e-8 m n.

    References
    ----------
    S. Chen, S. Ma, A. M.-C. So and T. Zhang, Proximal gradient method for nonsmooth optimization
    over the Stiefel manifold, SIAM J. Optim. 30 (2020).
    """

    facts: ClassVar = Facts(
        "ManPG",
        nonsmooth=True,
        single_loop=False,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
        per="trial",
        remark="not counting the work of its subproblem solver",
    )

    def _next_step(self, t: float, t0: float, smooth: bool) -> float:
        return t


@dataclass(frozen=True)
class ManPGAda(ManifoldProximalGradient):
    """ManPG with adaptive steps: t grows by 1.01 after an iteration without backtracking, and else
    shrinks by it, not below its first value.

    Parameters
    ----------
    step_size : float, optional
        The first t; by default 1/L with L the Lipschitz constant of grad l.
    inner : {"adaptive", "published"}
        As in ManPG.

    References
    ----------
    S. Chen, S. Ma, A. M.-C. So and T. Zhang, Proximal gradient method for nonsmooth optimization
    over the Stiefel manifold, SIAM J. Optim. 30 (2020).
    """

    facts: ClassVar = Facts(
        "ManPG-Ada",
        nonsmooth=True,
        single_loop=False,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
        per="trial",
        remark="not counting the work of its subproblem solver",
    )

    def _next_step(self, t: float, t0: float, smooth: bool) -> float:
        return 1.01 * t if smooth else max(t0, t / 1.01)
