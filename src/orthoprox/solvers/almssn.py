"""ALMSSN, the augmented Lagrangian method on the manifold with a semismooth Newton method
inside.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, largest, norm, precision
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz, weak_convexity
from orthoprox.solvers._shared.alm import AugmentedLagrangian, SplitState
from orthoprox.solvers._shared.augmented import Lagrangian, newton
from orthoprox.solvers._shared.rgbb import canonical, rgbb
from orthoprox.solvers.base import PROX_DERIVATIVE, Facts, check_positive

_SEARCHES = ("value", "gradient")
_FIRST = 1e-3  # the first Barzilai-Borwein step, over the unit
_DECREASE, _SHRINK, _TRIALS = 1e-4, 0.1, 5  # of its line search
_MAX_STEPS = 300  # of Barzilai-Borwein in one iteration
_SHARE = 5.0  # the inner tolerance over |X - Y|, from the third iteration on
_LINEAR = 1e-5  # the largest tolerance of the Newton equations, in terms of the unit
_LOW, _HIGH = 0.04, 2.5  # |X - Y| over the gradient, both relative, which allow and demand a larger penalty
_ROUNDING = 2  # machine epsilons
_FINEST = 1e-3  # the least share of ``coarse`` that failures leave


@dataclass(frozen=True)
class State(SplitState):
    """The iterates."""

    most: float  # the penalty stays below this
    shift: float  # of the Newton equations
    coarse: float  # the |gradient| at which Newton's method takes over
    products: int  # with the Hessian, in the last iteration


@dataclass(frozen=True)
class ALMSSN(AugmentedLagrangian[State]):
    """The augmented Lagrangian method for X = Y with X on the manifold and g(Y). With e the Moreau
    envelope of g for 1/s,

        X+ ~ argmin F(X) = l(X) + e(X + Lam/s)  subject to  X'X = I
        Y+ = prox_{g/s}(X+ + Lam/s),   Lam+ = Lam + s (X+ - Y+)

    The inner problem is solved by Barzilai-Borwein steps until |P_T(F')| <= coarse, and then by
    Newton steps

        X <- qr(X + a Z),   (H + shift) Z = -P_T(F'),   H[V] = P_T(l''[V] + e''[V] - V sym(X'F'))

    with a generalised second derivative of e, to the tolerance min(accuracy^k, 5 |X - Y|). s grows
    where max |X - Y| does not shrink, or is large against the gradient that is left. The shift
    rises where H + shift is not positive, and falls after each step.

    Parameters
    ----------
    penalty : float, optional
        The first s; by default 1.5 max(L^-, L/4), with L the Lipschitz constant of grad l and L^-
        the weak convexity modulus of l.
    growth, ratio : float
        s is multiplied by ``growth``, and at least |Lam|, after an iteration in which max |X - Y|
        exceeds ``ratio`` times its last value.
    accuracy, coarse, shift : float
        As above, ``shift`` the first one; all in terms of ``unit``.
    search : {"value", "gradient"}
        What has to fall in the line search of a Newton step: F, or |P_T(F')|.
    unit : float, optional
        By default the largest entry of the gradient at the start, which makes the method scale
        invariant; the authors' constants are absolute, ``unit=1``, with ``shift=3``.

    References
    ----------
    Y. Zhou, C. Bao, C. Ding and J. Zhu, A semismooth Newton based augmented Lagrangian method for
    nonsmooth optimization on matrix manifolds, Math. Program. 201 (2023).
    """

    facts: ClassVar = Facts(
        "ALMSSN",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
        per="trial",
        remark="not counting one gradient for each product in its Newton equations",
    )
    needs = (PROX_DERIVATIVE,)

    penalty: float | None = None
    growth: float = 1.25
    ratio: float = 0.99
    accuracy: float = 0.95
    coarse: float = 8e-4
    shift: float = 0.1
    search: str = "value"
    unit: float | None = None

    def __post_init__(self) -> None:
        inputs.choice(self.search, "search", _SEARCHES)
        check_positive(self, "penalty", "growth", "ratio", "accuracy", "coarse", "shift", "unit")
        inputs.number(self.growth, "growth", minimum=1.0, strict=False)
        if self.accuracy > 1:
            raise ValueError(f"accuracy = {self.accuracy:g}; it needs a number of at most 1, the inner tolerance shrinks.")

    def init(self, problem: Problem, X0: Array) -> State:
        f, D = problem.smooth.value_and_grad(X0)
        unit = self.unit or largest(D) or 1.0
        s = 1.5 * max(weak_convexity(problem.smooth, X0), lipschitz(problem.smooth, X0) / 4) or unit
        s = s if self.penalty is None else float(self.penalty)
        most = 0.01 * s / precision(X0) ** 0.5  # above, rounding errors of X would spoil Lam
        return State(
            X=X0,
            Y=X0,
            Lam=0 * X0,
            f=float(f),
            D=D,
            s=s,
            gap=float("inf"),
            size=float("inf"),
            k=0,
            trials=0,
            unit=unit,
            most=most,
            shift=self.shift * unit,
            coarse=self.coarse * unit,
            products=0,
        )

    def step(self, problem: Problem, state: State) -> State:
        s, unit = state.s, state.unit
        F, tol = Lagrangian(problem, state.Lam, s), self._tolerance(state)
        now = F.known(state.X, state.f, state.D)
        size = canonical(now.X, now.gradient)[1]
        trials, products, coarse, shift = 0, 0, state.coarse, state.shift
        if not size <= coarse:  # with NaN as well, and the run ends
            descent = rgbb(
                F.at,
                now,
                first=_FIRST / unit,
                tol=max(tol, coarse),
                max_steps=_MAX_STEPS,
                decrease=_DECREASE,
                shrink=_SHRINK,
                trials=_TRIALS,
                direction=canonical,
                retraction="qr",
            )
            now, size, trials = descent.point, descent.size, descent.trials

        if size <= coarse:
            accuracy = min(_LINEAR * unit, tol)
            last = newton(F, now, tol=tol, accuracy=accuracy, shift=shift, by_value=self.search == "value")
            now, size, shift = last.point, last.size, last.shift
            trials, products = trials + last.trials, last.products
            coarse = coarse if size <= tol else max(coarse / 2, _FINEST * self.coarse * unit)

        X, Y, Lam = now.X, now.more.e.point, now.more.e.gradient
        gap = largest(X - Y)
        balance = unit * float(norm(X - Y)) * (1 + float(norm(X)))  # to be compared with the gradient
        if (gap >= self.ratio * state.gap and balance > _LOW * size) or balance > _HIGH * size:
            s = min(max(self.growth * s, float(norm(Lam))), state.most)
        point = replace(state, X=X, Y=Y, Lam=Lam, f=now.more.f, D=now.more.D, s=s, gap=gap, size=size)
        return replace(point, k=state.k + 1, trials=trials, shift=shift, coarse=coarse, products=products)

    def _tolerance(self, state: State) -> float:
        """Return the inner tolerance: it shrinks with k and with |X - Y|, but not below rounding
        errors.
        """
        tol = self.accuracy ** (state.k + 1)
        if state.k >= 2:
            tol = min(tol, _SHARE * float(norm(state.X - state.Y)))
        rounding = _ROUNDING * precision(state.X) * float(norm(state.D) + state.s * norm(state.X))
        return max(tol * state.unit, rounding)

    def parameters(self, state: State) -> dict[str, Any]:
        return super().parameters(state) | {"shift": state.shift / state.unit}
