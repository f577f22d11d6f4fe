"""LSALM without a parameter to choose: it measures the problem as it runs, and turns to Newton's
method if it stagnates.
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.polish import Polish
from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox._adaptive.small import SMALL, Small
from orthoprox._adaptive.smoothing_newton import SmoothingNewton
from orthoprox._adaptive.wide import WIDE
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm
from orthoprox._arrays.words import shown
from orthoprox._certify.evaluator import Evaluator, is_worse
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.problems.single import in_single, with_single_curvature
from orthoprox.smooth.curvature import is_quadratic
from orthoprox.solvers.base import Auto, Facts, Residuals, Solver
from orthoprox.solvers.rpncg import ProximalNewton
from orthoprox.stopping.rules import Stop

BACK = "the phase before"
FIRST = "first order", "small first order", "narrow first order"  # the phases that may go in single precision

_TO_PROXIMAL_NEWTON = {
    Verdict.STAGNATED: "proximal Newton",
    Verdict.LOST: "proximal Newton",
    Verdict.WORSE: "descent",
    Verdict.NEAR: "small polish",
}

# The phases: which one follows a verdict. With any other verdict a phase goes on.
TRANSITIONS: dict[str, dict[Verdict, str]] = {
    "first order": {
        Verdict.STAGNATED: "smoothing Newton",
        Verdict.LOST: "smoothing Newton",
        Verdict.WORSE: "descent",
        Verdict.NEAR: "polish",
    },
    "small first order": _TO_PROXIMAL_NEWTON,
    "narrow first order": _TO_PROXIMAL_NEWTON,
    "proximal Newton": {Verdict.STAGNATED: "first order", Verdict.NEAR: "small polish"},
    "small polish": {Verdict.POLISHED: "proximal Newton", Verdict.REFUSED: BACK},
    "smoothing Newton": {Verdict.IDENTIFIED: "late first order"},
    "late first order": {
        Verdict.STAGNATED: "late first order",
        Verdict.WORSE: "descent",
        Verdict.NEAR: "polish",
    },
    "polish": {Verdict.POLISHED: "late first order", Verdict.REFUSED: BACK},
    "descent": {},
    "first order alone": {Verdict.STAGNATED: "first order alone"},
}


@dataclass(frozen=True)
class State:
    """The phase at work and its state; the phase before, while a polish is tried."""

    phase: str
    now: Any
    before: "State | None" = None


@dataclass(frozen=True)
class Adaptive(Solver[State]):
    """LSALM with parameters that follow the problem, for any l and g, at any scale.

    An iteration is one of LSALM at an extrapolated point E, with one gradient, one prox and one
    product E'E:

        X+ = prox_{g/(c+r)}((cE + rZ - grad l(E) - 2E (Y + rho (E'E - I))) / (c + r))
        E+ = X+ + theta (X+ - X)       Z+ = Z + beta (X+ - Z)       Y+ = Y + alpha (E+'E+ - I)

    c is the curvature of the Lagrangian measured along the last step; rho and alpha are c / 5, r =
    c / 20 and beta = .9. theta is Nesterov's; it restarts after a step in the wrong direction. If
    progress stagnates, the step rule gives up inertia. If this stagnates as well, the method
    switches to a trust-region Newton method on the Moreau-smoothed problem l + e_nu and drives nu
    to 0, or to a proximal Newton method if X is small or narrow and l quadratic; a smooth problem
    starts with the former. A run that diverges restarts from its last good point with more
    curvature. Where X is large and sparse, l quadratic and g separable, an iteration is followed by
    up to thirty on a working set, the entries that are nonzero or near to it. Near the end a large
    sparse X is polished: with its zeros kept, the problem is smooth, and Newton's method gives all
    digits. The table ``TRANSITIONS`` says which phase follows which. The page ``docs/automatic.md``
    derives each rule.

    Parameters
    ----------
    newton : bool
        Whether Newton's method, polish and working-set epochs may be used; without them each
        iteration is one of LSALM with one gradient.
    settings : Settings
        Every tuned number, for studies such as ``replace(SETTINGS, inertia=0.0)``.
    small : Small
        The numbers of what is done differently if X is small.

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
    units: ClassVar = {"rho": 1, "lam": -1, "r": 1, "alpha": 1, "nu": -1}
    auto: ClassVar = Auto(start="search", polish=True)

    newton: bool = True
    settings: Settings = SETTINGS
    small: Small = SMALL

    def __post_init__(self) -> None:
        inputs.flag(self.newton, "newton")
        if not isinstance(self.settings, Settings):
            raise TypeError(
                f"settings is {shown(self.settings)}; it needs a Settings, such as dataclasses.replace("
                "orthoprox.solvers.Adaptive().settings, inertia=0.0)."
            )
        if not isinstance(self.small, Small):
            raise TypeError(
                f"small is {shown(self.small)}; it needs a Small, such as dataclasses.replace("
                "orthoprox.solvers.Adaptive().small, entries=100)."
            )

    @cached_property
    def phases(self) -> dict[str, Phase[Any]]:
        """The phases by name."""
        k = self.settings
        return {
            "first order": FirstOrder(k),
            "small first order": FirstOrder(replace(k, slow=self.small.hasty), small=True),
            "narrow first order": FirstOrder(k),
            "proximal Newton": ProximalNewton(k),
            "smoothing Newton": SmoothingNewton(k, k.widths[0]),
            "late first order": FirstOrder(k, rule=1),
            "polish": Polish(k),
            "small polish": Polish(k),
            "descent": SmoothingNewton(k, k.identified, until_end=True),
            "first order alone": FirstOrder(k, alone=True),
        }

    def init(self, problem: Problem, X0: Array) -> State:
        return self._first(problem, X0, None)

    def _first(self, problem: Problem, X0: Array, multiplier: Array | None) -> State:
        first = FirstOrder(self.settings).first(problem, X0, multiplier)
        if not self.newton:
            return State("first order alone", first)
        if isinstance(problem.nonsmooth, Zero):  # no support to find
            return State("descent", self.phases["descent"].start(problem, first.memory.start, first.memory))
        small, quadratic = problem.is_small(self.small.entries), is_quadratic(problem.smooth)
        if not (small and quadratic):  # differences of gradients are too rough
            narrow = quadratic and problem.shape[1] <= self.small.stack and problem.is_small(WIDE.entries)
            return State("narrow first order" if narrow else "first order", first)
        point, fast = first.memory.start, problem.loop is not None and problem.loop.newton
        if fast or float(norm(point.S)) <= self.small.weak * float(norm(point.D)):
            return State("proximal Newton", self.phases["proximal Newton"].start(problem, point, first.memory))
        return State("small first order", first)

    def begin(self, problem: Problem, X0: Array, evaluator: Evaluator, multiplier: Array | None = None) -> State:
        """Return the first state; the polish within the run measures with this evaluator."""
        state = self._first(problem, X0, multiplier)
        memory = replace(state.now.memory, step=evaluator.step, floor=evaluator.floor)
        return replace(state, now=replace(state.now, memory=memory))

    def step(self, problem: Problem, state: State) -> State:
        phase = self.phases[state.phase]
        new = phase.step(problem, state.now)
        verdict = phase.verdict(problem, state.now, new)
        following = TRANSITIONS[state.phase].get(verdict)
        if following is None:
            return replace(state, now=new)
        if following == BACK and state.before is not None:
            return replace(state.before, now=self.phases[state.before.phase].resume(state.before.now))
        if following == state.phase:
            return replace(state, now=phase.resume(new))
        point = new.memory.start if verdict is Verdict.WORSE else phase.point(problem, new)
        before = replace(state, now=new) if isinstance(self.phases[following], Polish) else None
        return State(following, self.phases[following].start(problem, point, new.memory), before)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return ``step``, ``constraint`` and ``prox``.

        For LSALM these are |X+ - X|, |E'E - I| and (c + r) |X+ - E|; for Newton's method, with P
        the prox point that it reports, |P+ - P|, |P'P - I|, and the gradient of the smoothed
        problem plus |X - P| in units of l.
        """
        residuals = self.phases[new.phase].residuals
        return {
            "step": lambda: norm(self.output(new) - self.output(old)),
            "constraint": lambda: residuals(new.now)[0],
            "prox": lambda: residuals(new.now)[1],
        }

    def failure(self, state: State) -> str:
        return str(state.now.failed)

    def conclude(self, problem: Problem, first: State, last: State) -> tuple[State, str]:
        """Return the last state, or the first if f is higher at the last than its residual
        explains.
        """
        k, memory = self.settings, last.now.memory
        constraint, prox = self.phases[last.phase].residuals(last.now)
        residual = max(constraint, prox / (max(float(norm(memory.start.D)), memory.floor) or 1.0))
        slack = max(k.goal, residual if residual <= k.identified else 0.0)
        if is_worse(problem, self.output(last), memory.value, slack=slack):
            return first, "No point better than the start was found; this is the start."
        return last, ""

    def default_stop(self, certified: Stop, budget: Stop) -> Stop:
        """Return the rule without divergence, after which the method restarts by itself."""
        return certified | budget

    def output(self, state: State) -> Array:
        return self.phases[state.phase].output(state.now)[0]

    def multiplier(self, state: State) -> Array:
        return self.phases[state.phase].output(state.now)[1]

    def parameters(self, state: State) -> dict[str, Any]:
        unknown = dict.fromkeys(("rho", "lam", "r", "alpha", "beta", "theta", "step_rule"), float("nan"))
        phase = {
            "divergences": state.now.memory.divergences,
            "newton": "Newton" in state.phase or state.phase == "descent",
            "nu": 0.0,
        }
        return unknown | {name: float(v) for name, v in (phase | self.phases[state.phase].parameters(state.now)).items()}


@dataclass(frozen=True)
class Mixed(Adaptive):
    """The same on wide dense data, which are read in single precision while X is far from a
    solution: an iteration of the first phase takes half the time. Then the state goes on in double
    precision, as which it is always shown.
    """

    single: Problem | None = None  # the problem in single precision

    def _first(self, problem: Problem, X0: Array, multiplier: Array | None) -> State:
        state = super()._first(problem, X0, multiplier)
        return _cast(state, np.float32) if state.phase in FIRST else state

    def step(self, problem: Problem, state: State) -> State:
        if self.single is not None and _is_single(state):
            new = super().step(self.single, state)
            if new.phase == state.phase:
                return new if new.now.residual > WIDE.rough else _cast(new, np.float64)
            state = _cast(state, np.float64)  # whether this phase ends is told by the data as they are
        if self.single is not None and state.phase == "proximal Newton":
            return super().step(with_single_curvature(problem, self.single), state)
        return super().step(problem, state)

    def output(self, state: State) -> Array:
        return _cast(super().output(state), np.float64)

    def multiplier(self, state: State) -> Array:
        return _cast(super().multiplier(state), np.float64)


def mixed(solver: Any, problem: Problem, X: Array) -> Any:
    """Return the method for a run on all rows of wide data: in single precision at first, if the
    data are dense in double precision and g keeps the precision of X; otherwise as it is.
    """
    single = in_single(problem)
    if type(solver) is not Adaptive or single is problem or X.dtype != np.float64:
        return solver
    problem.count(gradients=0, proxes=1)
    if uncounted(problem)[1].prox(X.astype(np.float32), 1.0).dtype != np.float32:
        return solver
    return Mixed(**{field.name: getattr(solver, field.name) for field in fields(solver)}, single=single)


def _is_single(state: State) -> bool:
    return state.phase in FIRST and state.now.X.dtype == np.float32


def _cast(value: Any, dtype: Any) -> Any:
    """Return a state with its arrays in another precision."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype, copy=False)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _cast(getattr(value, field.name), dtype) for field in fields(value)})
    return value
