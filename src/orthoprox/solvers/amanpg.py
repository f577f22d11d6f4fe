"""AManPG, the accelerated manifold proximal gradient method."""

from dataclasses import dataclass, replace
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._linalg import stiefel
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import steepness
from orthoprox.solvers._shared.proximal_gradient import Point, ProximalGradient, ProximalState, descend, visit
from orthoprox.solvers._shared.retraction import inverse
from orthoprox.solvers._shared.tangent_prox import inner_tolerance, tangent_prox
from orthoprox.solvers.base import Facts


@dataclass(frozen=True)
class State(ProximalState):
    """The iterates; ``Lam`` belongs to the subproblems at Y."""

    Y: Array  # Y^k, the extrapolated point where the next step starts
    D: Array  # grad l(Y^k)
    s: float  # s_k of the extrapolation
    safe: Point  # the last point that passed the safeguard
    Lam_safe: Array  # multiplier of the last subproblem there
    k: int  # iterations done
    trials: int  # of the safeguard's line search; 0 where there was none
    proxes: int  # of the subproblems


@dataclass(frozen=True)
class AManPG(ProximalGradient[State]):
    """ManPG with Nesterov's extrapolation and a safeguard: in each iteration

        V  = argmin <grad l(Y), V> + |V|^2 / 2t + g(Y + V)  subject to  Y'V + V'Y = 0
        X+ = polar(Y + V)
        Y+ = R((1 - s) / s+ R^-1(X)),   s+ = (1 + sqrt(1 + 4 s^2)) / 2,   s = 1 at first

    with R the polar retraction at X+; Y+ = X+ where X is too far away for R^-1. After every few
    iterations, a ManPG step with its line search is made from the point where the last safeguard
    ended. Where it leads to a lower F than X+, it takes the place of X+, and s = 1 again.

    Parameters
    ----------
    step_size : float, optional
        t; by default 1 / max(L, |grad l(X0)|_2) with L the Lipschitz constant of grad l. The
        extrapolated steps have no line search, and on the manifold the gradient changes as fast as
        both allow.
    safeguard : int
        The number of iterations from one safeguard to the next. F falls from one to the next; in
        between it need not.

    References
    ----------
    W. Huang and K. Wei, An extension of fast iterative shrinkage-thresholding algorithm to
    Riemannian optimization for sparse principal component analysis, Numer. Linear Algebra Appl. 29
    (2022).
    """

    facts: ClassVar = Facts(
        "AManPG",
        nonsmooth=True,
        single_loop=False,
        complexity="O(eps^-2)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 2},
        remark="not counting the work of its subproblem solver; a safeguard adds a gradient and the trials of ManPG",
    )

    safeguard: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.integer(self.safeguard, "safeguard")

    def init(self, problem: Problem, X0: Array) -> State:
        safe, Lam = visit(problem, X0), 0 * stiefel.defect(X0)
        t = 1 / (steepness(problem.smooth, X0, safe.D) or 1.0) if self.step_size is None else float(self.step_size)
        return State(X0, Lam, float(norm(X0)), t, t, X0, safe.D, 1.0, safe, Lam, 0, 0, 0)

    def step(self, problem: Problem, state: State) -> State:
        V, Lam, proxes = self._tangent_prox(problem, state, state.Y, state.D, state.Lam)
        X = stiefel.polar(state.Y + V)
        new = replace(state, X=X, Lam=Lam, size=float(norm(V)), k=state.k + 1, trials=0, proxes=proxes)
        if new.k % self.safeguard == 0:
            new = self._guard(problem, new)
            if new.X is not X:
                return replace(new, Y=new.X, D=new.safe.D, s=1.0)

        s = (1 + (1 + 4 * state.s**2) ** 0.5) / 2
        back = inverse(X, state.X) if state.s > 1 else None
        Y = X if back is None else stiefel.polar(X + (1 - state.s) / s * back)
        return replace(new, Y=Y, D=problem.smooth.grad(Y), s=s)

    def _guard(self, problem: Problem, state: State) -> State:
        """Compare X with a step of ManPG from the last safe point, and take the better one; X is
        safe from now on.
        """
        safe, here = state.safe, visit(problem, state.X)
        V, Lam, proxes = self._tangent_prox(problem, state, safe.X, safe.D, state.Lam_safe)
        found = descend(problem, safe, V, state.t)
        new = replace(state, safe=here, Lam_safe=Lam, trials=found.trials, proxes=state.proxes + proxes)
        best = found.point if found.accepted else safe
        return replace(new, X=best.X, safe=best, size=float(norm(V))) if best.F < here.F else new

    def _tangent_prox(self, problem: Problem, state: State, X: Array, D: Array, Lam: Array) -> tuple[Array, Array, int]:
        found = tangent_prox(problem.nonsmooth, X, D, state.t, Lam, tol=inner_tolerance(state.size), dual=True)
        return found.V, found.Lam, found.proxes
