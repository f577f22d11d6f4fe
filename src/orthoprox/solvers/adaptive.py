"""LSALM without a parameter to choose: it measures the problem while it runs, and leaves slow ground to Newton's method."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._adaptive import first_order, smoothing_newton, working_set
from orthoprox._adaptive.polish import polish
from orthoprox._adaptive.primal_dual import PrimalDual, subgradient
from orthoprox._adaptive.smoothing_newton import NARROW, WIDE
from orthoprox._adaptive.stagnation import StagnationMonitor
from orthoprox._adaptive.workspace import FullSpace
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import Evaluator, is_worse
from orthoprox._linalg import stiefel
from orthoprox._linalg.norms import norm
from orthoprox._linalg.products import support
from orthoprox.nonsmooth.zero import Zero
from orthoprox.problems.problem import Problem
from orthoprox.solvers.base import Facts, Residuals, Solver

_DIVERGENCES = 3  # of the manifold, after which Newton's method takes over
_COMPARED = 1e-3  # the residual at which f(X) is compared with f(X0)
_SLACK = 1e-4  # relative: X is not yet where it is going
_POLISHED, _AGAIN = 3e-4, 0.1  # the residual at which polishing is tried, and the share of it at which it is tried again
_ROUGH = 1e-2  # the residual at which a slow run is polished before Newton's method takes over


@dataclass(frozen=True)
class State:
    """The iterates of LSALM, and the point of Newton's method while that is at work."""

    lsalm: first_order.Iterate
    newton: smoothing_newton.Point | None
    start: Array  # X0
    value: float  # f(X0)
    curvature: float  # of l around X0
    evaluator: Evaluator  # by which a polished point is measured
    divergences: int = 0  # of the manifold
    visited: bool = False  # Newton's method has been at work
    stay: bool = False  # and goes on to the end
    compared: bool = False  # f(X) has been compared with f(X0)
    untried: float = _POLISHED  # the residual at which polishing is tried next


@dataclass(frozen=True)
class Adaptive(Solver[State]):
    """LSALM with parameters that follow the problem, for any l and g, at any scale.

    An iteration is one of LSALM at an extrapolated point E, with one gradient, one prox and one product E'E:

        X+ = prox_{g/(c+r)}((cE + rZ - grad l(E) - 2E (Y + rho (E'E - I))) / (c + r))
        E+ = X+ + theta (X+ - X)       Z+ = Z + beta (X+ - Z)       Y+ = Y + alpha (E+'E+ - I)

    c is the curvature that the last step met; rho and alpha are c / 5, rho more where l and g pull X off the manifold;
    r = c / 20 and beta = .9; theta is Nesterov's, and starts anew after a step in the wrong direction and when columns tilt
    towards each other. Where the run gets slow it walks more carefully, and at last goes over to Newton's method for the
    smoothed problem l + e_nu, whose smoothing vanishes on the way; a smooth problem starts with it. A run that loses the
    manifold returns to it and goes on with more curvature. Where X is large and sparse, l quadratic and g separable, an
    iteration is followed by up to thirty on the entries that are nonzero or near to it, which cost little. Near the end
    such an X is polished: with its zeros kept, what is left is smooth, and Newton's method gives all digits.
    The page ``docs/automatic.md`` derives each rule.

    Parameters
    ----------
    newton : bool
        Whether Newton's method may take over or polish, and steps on some entries may follow an iteration; without all of
        this, each iteration is one of LSALM with one gradient.

    References
    ----------
    Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with Orthogonality Constraints,
    arXiv:2604.04130 (2026), for Algorithm 1; the adaptation is this package's own.
    """

    facts: ClassVar = Facts(
        "Adaptive LSALM",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "gram": 1, "right": 2},
        remark="a single loop without retraction until Newton's method takes over",
    )
    recovers: ClassVar = True

    newton: bool = True

    def __post_init__(self) -> None:
        inputs.flag(self.newton, "newton")

    def init(self, problem: Problem, X0: Array) -> State:
        lsalm, curvature = first_order.first(problem, X0)
        state = State(lsalm, None, X0, float(problem.value(X0)), curvature, Evaluator(problem, X0, step=1 / curvature))
        smooth = isinstance(problem.nonsmooth, Zero)  # no support to find
        return _to_newton(problem, state, X0, WIDE, stay=True) if smooth and self.newton else state

    def step(self, problem: Problem, state: State) -> State:
        if state.newton is not None:
            return _newton_step(problem, state, state.newton)
        lsalm = first_order.step(FullSpace(problem), state.lsalm)
        if lsalm.diverged:
            return self._recover(problem, state, lsalm)
        state = replace(state, lsalm=working_set.epoch(problem, lsalm) if self.newton else lsalm)
        return self._judge(problem, state) if self.newton else _again(state)

    def _recover(self, problem: Problem, state: State, diverged: first_order.Iterate) -> State:
        """Go on from the last point before the loss; by Newton's method, if this happens too often."""
        lsalm = first_order.restarted(problem, replace(state.lsalm, vanished=diverged.vanished), state.start)
        state = replace(state, lsalm=lsalm, divergences=state.divergences + 1, compared=False)
        often = self.newton and state.divergences >= _DIVERGENCES and not state.visited
        return _to_newton(problem, state, lsalm.X, WIDE, stay=False) if often else state

    def _judge(self, problem: Problem, state: State) -> State:
        """Go over to Newton's method where LSALM has got worse than the start, or slow with every gait; or polish X."""
        lsalm, residual = state.lsalm, max(state.lsalm.stationarity, state.lsalm.feasibility)
        if not state.compared and residual <= _COMPARED:
            state = replace(state, compared=True)
            if is_worse(problem, lsalm.X, state.value, slack=_SLACK):
                return _to_newton(problem, state, state.start, NARROW, stay=True)  # which stays near and goes down
        if residual <= (_ROUGH if lsalm.monitor.exhausted else state.untried) and support(lsalm.X) is not None:
            return _again(_polished(problem, state, residual))  # many cheap steps instead of few that are dear
        if not lsalm.monitor.exhausted:
            return state
        if not state.visited:
            return _to_newton(problem, state, lsalm.X, WIDE, stay=False)
        return _again(state, StagnationMonitor.later())

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step``, ``constraint`` and ``prox``.

        For LSALM these are |X+ - X|, |E'E - I| and (c + r) |X+ - E|; for Newton's method, with P the prox point that it
        reports, |P+ - P|, |P'P - I|, and the gradient of the smoothed problem plus |X - P| in units of l.
        """
        point = new.newton

        def prox() -> Array:
            if point is None:
                return new.lsalm.gap
            return norm(point.residual) + norm(point.D) * point.width

        return {
            "step": lambda: norm(self.output(new) - self.output(old)),
            "constraint": lambda: norm(new.lsalm.G if point is None else stiefel.defect(point.e.point)),
            "prox": prox,
        }

    def output(self, state: State) -> Array:
        return state.lsalm.X if state.newton is None else state.newton.e.point

    def multiplier(self, state: State) -> Array:
        return state.lsalm.Y if state.newton is None else state.newton.multiplier

    def parameters(self, state: State) -> dict[str, Any]:
        smoothing = 0.0 if state.newton is None else state.newton.nu
        story = {"divergences": state.divergences, "newton": state.newton is not None, "nu": smoothing}
        return state.lsalm.parameters | {name: float(value) for name, value in story.items()}


def _to_newton(problem: Problem, state: State, X: Array, width: float, *, stay: bool) -> State:
    """Let Newton's method begin near X."""
    return replace(state, visited=True, stay=stay, newton=smoothing_newton.begin(problem, X, width, state.lsalm.scale))


def _newton_step(problem: Problem, state: State, point: smoothing_newton.Point) -> State:
    """Take one step of Newton's method, and go back to LSALM once the supports are found."""
    new = smoothing_newton.step(problem, point)
    if state.stay or new.nu == point.nu or new.width > NARROW:
        return replace(state, newton=new)
    P = new.e.point
    found = PrimalDual(P, new.multiplier, problem.smooth.grad(P), new.e.gradient)
    lsalm = first_order.restarted_from(problem, state.lsalm, found, state.curvature)
    return replace(state, newton=None, lsalm=lsalm, compared=False)


def _polished(problem: Problem, state: State, residual: float) -> State:
    """Go on from the polished point, if polishing helps."""
    found = polish(problem, state.lsalm.X, state.lsalm.Y, state.evaluator)
    if found is None:
        return replace(state, untried=_AGAIN * residual)
    X, Y = found
    point = PrimalDual(X, Y, problem.smooth.grad(X), subgradient(problem, X, state.curvature))
    return replace(state, untried=0.0, lsalm=first_order.restarted_from(problem, state.lsalm, point, state.curvature))


def _again(state: State, monitor: StagnationMonitor | None = None) -> State:
    """Begin with the gaits again, from the first or as the watch says, and with more care, where all have turned out slow."""
    lsalm = state.lsalm
    if not lsalm.monitor.exhausted:
        return state
    return replace(state, lsalm=replace(lsalm, safety=min(1.25 * lsalm.safety, 3.0), monitor=monitor or StagnationMonitor()))
