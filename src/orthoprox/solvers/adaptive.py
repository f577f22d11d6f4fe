"""LSALM without a parameter to choose: it measures the problem as it runs, and turns to Newton's
method if it stagnates.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._adaptive import first_order, smoothing_newton, working_set
from orthoprox._adaptive.polish import polish
from orthoprox._adaptive.primal_dual import PrimalDual, subgradient
from orthoprox._adaptive.smoothing_newton import NARROW, WIDE
from orthoprox._adaptive.stagnation import StagnationMonitor
from orthoprox._adaptive.workspace import FullSpace
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._certify.evaluator import Evaluator, is_worse
from orthoprox._linalg import stiefel
from orthoprox._linalg.products import support
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem
from orthoprox.solvers.base import Auto, Facts, Residuals, Solver
from orthoprox.stopping.rules import Stop

_DIVERGENCES = 3  # after which Newton's method takes over
_COMPARED = 1e-3  # the residual at which f(X) is compared with f(X0)
_CONVERGED = 1e-6  # the least relative slack of f at the end
_SLACK = 1e-4  # relative slack of f, since X has not converged
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
    divergences: int = 0  # how often the run has left the neighbourhood of X'X = I
    newton_used: bool = False  # Newton's method has been at work
    newton_until_end: bool = False  # and goes on to the end
    compared_with_start: bool = False  # f(X) has been compared with f(X0)
    next_polish: float = _POLISHED  # the residual at which polishing is tried next


@dataclass(frozen=True)
class Adaptive(Solver[State]):
    """LSALM with parameters that follow the problem, for any l and g, at any scale.

    An iteration is one of LSALM at an extrapolated point E, with one gradient, one prox and one
    product E'E:

        X+ = prox_{g/(c+r)}((cE + rZ - grad l(E) - 2E (Y + rho (E'E - I))) / (c + r))
        E+ = X+ + theta (X+ - X)       Z+ = Z + beta (X+ - Z)       Y+ = Y + alpha (E+'E+ - I)

    c is the curvature measured along the last step. rho and alpha are c / 5; rho is larger where l
    and g drive X off the manifold. r = c / 20 and beta = .9. theta is Nesterov's; it restarts after
    a step in the wrong direction and when columns lose their orthogonality. If progress stagnates,
    the step rule becomes more conservative. If all three step rules stagnate, the method switches
    to a trust-region Newton method on the Moreau-smoothed problem l + e_nu and drives nu to 0; a
    smooth problem starts with it. A run that diverges restarts from its last good point with more
    curvature. Where X is large and sparse, l quadratic and g separable, an iteration is followed by
    up to thirty on a working set, the entries that are nonzero or near to it. Near the end such an
    X is polished: with its zeros kept, the problem is smooth, and Newton's method gives all digits.
    The page ``docs/automatic.md`` derives each rule.

    Parameters
    ----------
    newton : bool
        Whether Newton's method, polish and working-set epochs may be used; without them each
        iteration is one of LSALM with one gradient.

    References
    ----------
    Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with
    Orthogonality Constraints, arXiv:2604.04130 (2026), for Algorithm 1; the adaptation is this
    package's own.
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
    auto: ClassVar = Auto(start="search", polish=True)

    newton: bool = True

    def __post_init__(self) -> None:
        inputs.flag(self.newton, "newton")

    def init(self, problem: Problem, X0: Array) -> State:
        lsalm, curvature = first_order.first(problem, X0)
        state = State(lsalm, None, X0, float(problem.value(X0)), curvature, Evaluator.at(problem, X0, step=1 / curvature))
        smooth = isinstance(problem.nonsmooth, Zero)  # no support to find
        return _to_newton(problem, state, X0, WIDE, newton_until_end=True) if smooth and self.newton else state

    def step(self, problem: Problem, state: State) -> State:
        if state.newton is not None:
            return _newton_step(problem, state, state.newton)
        lsalm = first_order.step(FullSpace(problem), state.lsalm)
        if lsalm.diverged:
            return self._restart(problem, state, lsalm)
        state = replace(state, lsalm=working_set.epoch(problem, lsalm) if self.newton else lsalm)
        return self._judge(problem, state) if self.newton else _restart_step_rules(state)

    def _restart(self, problem: Problem, state: State, diverged: first_order.Iterate) -> State:
        """Restart from the last good point; by Newton's method, if the run has diverged too
        often.
        """
        lsalm = first_order.restarted(problem, replace(state.lsalm, vanished=diverged.vanished), state.start)
        state = replace(state, lsalm=lsalm, divergences=state.divergences + 1, compared_with_start=False)
        often = self.newton and state.divergences >= _DIVERGENCES and not state.newton_used
        return _to_newton(problem, state, lsalm.X, WIDE, newton_until_end=False) if often else state

    def _judge(self, problem: Problem, state: State) -> State:
        """Switch to Newton's method where LSALM is worse than the start or stagnates with every
        step rule; or polish X.
        """
        lsalm, residual = state.lsalm, max(state.lsalm.stationarity, state.lsalm.feasibility)
        if not state.compared_with_start and residual <= _COMPARED:
            state = replace(state, compared_with_start=True)
            if is_worse(problem, lsalm.X, state.value, slack=_SLACK):
                return _to_newton(problem, state, state.start, NARROW, newton_until_end=True)  # which stays near and goes down
        if residual <= (_ROUGH if lsalm.monitor.exhausted else state.next_polish) and support(lsalm.X) is not None:
            return _restart_step_rules(
                _polished(problem, state, residual)
            )  # sparse first-order steps are cheaper than Newton steps
        if not lsalm.monitor.exhausted:
            return state
        if not state.newton_used:
            return _to_newton(problem, state, lsalm.X, WIDE, newton_until_end=False)
        return _restart_step_rules(state, StagnationMonitor.later())

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step``, ``constraint`` and ``prox``.

        For LSALM these are |X+ - X|, |E'E - I| and (c + r) |X+ - E|; for Newton's method, with P
        the prox point that it reports, |P+ - P|, |P'P - I|, and the gradient of the smoothed
        problem plus |X - P| in units of l.
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

    def conclude(self, problem: Problem, first: State, last: State) -> tuple[State, str]:
        """Return the last state, or the first if f is higher at the last. If that is stationary
        nearly, its residual may explain so much.
        """
        residual = _relative_residual(last)
        slack = residual if residual <= _COMPARED else 0.0
        if is_worse(problem, self.output(last), first.value, slack=max(slack, _CONVERGED)):
            return first, "No point better than the start was found; this is the start."
        return last, ""

    def default_stop(self, certified: Stop, budget: Stop) -> Stop:
        """Return the rule without divergence, after which the method restarts by itself."""
        return certified | budget

    def output(self, state: State) -> Array:
        return state.lsalm.X if state.newton is None else state.newton.e.point

    def multiplier(self, state: State) -> Array:
        return state.lsalm.Y if state.newton is None else state.newton.multiplier

    def parameters(self, state: State) -> dict[str, Any]:
        smoothing = 0.0 if state.newton is None else state.newton.nu
        phase = {"divergences": state.divergences, "newton": state.newton is not None, "nu": smoothing}
        return state.lsalm.parameters | {name: float(value) for name, value in phase.items()}


def _relative_residual(state: State) -> float:
    lsalm, point = state.lsalm, state.newton
    if point is None:
        return max(lsalm.stationarity, lsalm.feasibility)
    return float(norm(point.residual)) / (max(float(norm(point.D)), lsalm.scale) or 1.0) + point.width


def _to_newton(problem: Problem, state: State, X: Array, width: float, *, newton_until_end: bool) -> State:
    """Let Newton's method begin near X."""
    return replace(
        state,
        newton_used=True,
        newton_until_end=newton_until_end,
        newton=smoothing_newton.begin(problem, X, width, state.lsalm.scale),
    )


def _newton_step(problem: Problem, state: State, point: smoothing_newton.Point) -> State:
    """Take one step of Newton's method, and go back to LSALM once the supports are found."""
    new = smoothing_newton.step(problem, point)
    if state.newton_until_end or new.nu == point.nu or new.width > NARROW:
        return replace(state, newton=new)
    P = new.e.point
    found = PrimalDual(P, new.multiplier, problem.smooth.grad(P), new.e.gradient)
    lsalm = first_order.restarted_from(problem, state.lsalm, found, state.curvature)
    return replace(state, newton=None, lsalm=lsalm, compared_with_start=False)


def _polished(problem: Problem, state: State, residual: float) -> State:
    """Go on from the polished point, if polishing helps."""
    found = polish(problem, state.lsalm.X, state.lsalm.Y, state.evaluator)
    if found is None:
        return replace(state, next_polish=_AGAIN * residual)
    X, Y = found
    point = PrimalDual(X, Y, problem.smooth.grad(X), subgradient(problem, X, state.curvature))
    return replace(state, next_polish=0.0, lsalm=first_order.restarted_from(problem, state.lsalm, point, state.curvature))


def _restart_step_rules(state: State, monitor: StagnationMonitor | None = None) -> State:
    """Begin with the step rules again, with a larger safety factor, if all of them have
    stagnated.
    """
    lsalm = state.lsalm
    if not lsalm.monitor.exhausted:
        return state
    return replace(state, lsalm=replace(lsalm, safety=min(1.25 * lsalm.safety, 3.0), monitor=monitor or StagnationMonitor()))
