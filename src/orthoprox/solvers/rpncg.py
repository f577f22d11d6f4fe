"""RPN-CG, the Riemannian proximal Newton-CG method, its hybrid RPN-CGH, and the phase that it is in
the default method if X is small or has few columns.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.settings import Settings
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, norm, rounding
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import Step, backtrack
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers._shared import proximal_newton
from orthoprox.solvers._shared.compiled_newton import compiled_steps
from orthoprox.solvers._shared.proximal_gradient import Point, ProximalGradient, ProximalState, visit
from orthoprox.solvers._shared.proximal_newton import NEAR_BY, Exit, NewtonStep, newton_step, reach
from orthoprox.solvers._shared.tangent_prox import TangentProx, inner_tolerance, tangent_prox
from orthoprox.solvers.base import KINKS, PROX_DERIVATIVE, Facts, check_positive

_UNCHECKED = {"superlinear": Exit.SUPERLINEAR, "linear": Exit.LINEAR}
_UNIT = 1 / 300  # of 1/t
_LARGE = 20_000  # entries of X: a polish is tried near the end alone
_GROWTH = 1.01  # of t after steps along V alone


@dataclass(frozen=True)
class Unchecked:
    """A full step that was taken without looking at F."""

    start: Point
    U: Array
    size: float  # |V| at the start


@dataclass(frozen=True)
class State(ProximalState):
    """The iterates."""

    here: Point  # X^k with F and grad l
    t0: float  # the first prox step
    unit: float  # the size of curvatures
    unchecked: Unchecked | None  # the last step, if F is still to be compared
    trials: int  # of the last line search
    proxes: int  # of the last subproblem
    newton: NewtonStep  # the last one; of no cost where none was computed

    @property
    def products(self) -> int:
        """Products with l'' in the last iteration."""
        return self.newton.products


@dataclass(frozen=True)
class RPNCG(ProximalGradient[State]):
    """The Riemannian proximal Newton method: in each iteration

        V  = argmin <grad l(X), V> + |V|^2 / 2t + g(X + V)  subject to  X'V + V'X = 0
        W ~ argmin <B[V] - V/t, W> + <W, B[W] + g''[W]> / 2  subject to  X'W + W'X = 0, W = 0 off F
        X+ = polar(X + a U),   U = V + W

    F are the entries that no kink of g is near: X + V is on none, and X no nearer than |V|. B is
    the Hessian of the Lagrangian, U -> l''[U] - 2 U Lam, with the multiplier Lam of the first line.
    Projected conjugate gradients find W. They end early where the curvature is too small or a model
    of f with B does not fall along V + W; then little or nothing of W is used. a = 1, 1/2, 1/4, 1/8
    until F falls by a |U|^2 unit / 1000. If conjugate gradients come to their superlinear end, the
    full step is taken, and one more; if F has not fallen by then, the method goes back and searches
    along U. Near a solution that is nondegenerate the steps are those of Newton's method.

    Parameters
    ----------
    step_size : float, optional
        The first t, and its least value; by default 1/L with L the Lipschitz constant of grad l.
    hybrid : bool
        Whether steps along V alone, as in ManPG-Ada, replace Newton steps while |V| > ``far``: the
        method RPN-CGH.
    far : float
        As above.
    unchecked : {"superlinear", "linear"}
        The ends of conjugate gradients after which the full step is taken; "linear" are both, as in
        the authors' hybrid for compressed modes.
    near : {"frobenius", "largest", "own"}
        The norm |V| with which entries of X are compared. The largest entry of V leaves more of a
        large X free; the authors have the Frobenius norm. "own" compares each entry with five times
        its own entry of V, if that is less and g separable.
    unit : float, optional
        The size of curvatures, in terms of which the other constants are; by default 1/300t, which
        makes the method scale invariant. The authors' constants are absolute, ``unit=1``.

    References
    ----------
    W. Huang and W. Si, A Riemannian proximal Newton-CG method, arXiv:2405.08365 (2024).
    """

    facts: ClassVar = Facts(
        "RPN-CG",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
        per="trial",
        remark="not counting the work of its subproblem solver and one gradient for each product in its Newton equations",
    )
    needs = (PROX_DERIVATIVE, KINKS)
    units: ClassVar = {"step_size": -1, "unit": 1}

    hybrid: bool = True
    far: float = 0.01
    unchecked: str = "superlinear"
    unit: float | None = None
    near: str = "frobenius"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "hybrid", inputs.flag(self.hybrid, "hybrid"))
        check_positive(self, "far", "unit")
        inputs.choice(self.unchecked, "unchecked", _UNCHECKED)
        inputs.choice(self.near, "near", NEAR_BY)

    def init(self, problem: Problem, X0: Array) -> State:
        t = 1 / (lipschitz(problem.smooth, X0) or 1.0) if self.step_size is None else float(self.step_size)
        first = begun(problem, X0, t)
        return first if self.unit is None else replace(first, unit=self.unit)

    def step(self, problem: Problem, state: State) -> State:
        here, t = state.here, state.t
        prox = self._tangent_prox(problem, state)
        V, size = prox.V, float(norm(prox.V))
        state = replace(state, Lam=prox.Lam, size=size, used=t, proxes=prox.proxes)
        if self.hybrid and size > self.far:
            found = _search(problem, here, V, state.unit)
            t = _GROWTH * t if found.trials == 1 else t / _GROWTH
            return _moved(replace(state, newton=NewtonStep(V, state.newton.exit)), found.point, found.trials, t)

        newton = newton_step(problem, here.X, here.D, prox, t, unit=state.unit, near=reach(problem.nonsmooth, V, self.near))
        U, end = newton.U, newton.exit
        state = replace(state, newton=replace(newton, exit=int(end)))
        if (proximal_newton.NEAR + 1 / (t * state.unit)) * float(norm(U)) < size or end == Exit.ASCENT:
            t = proximal_newton.LOWER * t
        elif end != Exit.SUPERLINEAR:
            t = proximal_newton.RAISE * t

        if state.unchecked is None and end < _UNCHECKED[self.unchecked]:
            found = _search(problem, here, U, state.unit)
            return _moved(state, found.point, found.trials, t)
        point, before = visit(problem, stiefel.polar(here.X + U)), state.unchecked
        if before is None:
            return _moved(replace(state, unchecked=Unchecked(here, U, size)), point, 1, t)
        state = replace(state, unchecked=None)
        if _falls(before.start, point, state.unit * before.size**2):
            return _moved(state, point, 1, t)
        found = _search(problem, before.start, before.U, state.unit)
        return _moved(state, found.point, 1 + found.trials, t)

    def _tangent_prox(self, problem: Problem, state: State) -> TangentProx:
        """Return the proximal step V and its multiplier."""
        here, tol = state.here, inner_tolerance(state.size)
        return tangent_prox(problem.nonsmooth, here.X, here.D, state.t, state.Lam, tol=tol, dual=True)

    def parameters(self, state: State) -> dict[str, Any]:
        return super().parameters(state) | {"unit": state.unit}


_PLAIN, _LARGE_X = RPNCG(hybrid=False), RPNCG(hybrid=False, near="own")


def advanced(problem: Problem, state: State, steps: int, least: float = 0.0) -> State:
    """Return the state after so many steps of RPN-CG, or fewer if the residual, |V| / t over |grad
    l|, is at most ``least``; they go through the compiled loop if the call uses it.
    """
    if problem.loop is None or not problem.loop.newton:
        method = _PLAIN if problem.is_small(SMALL.entries) else _LARGE_X
        for _ in range(steps):
            state = method.step(problem, state)
            if state.size / state.used <= least * float(norm(state.here.D)):
                break
        return state
    here, before = state.here, state.unchecked or Unchecked(state.here, 0 * state.X, 0.0)
    given = {"X": here.X, "D": here.D, "Lam": state.Lam, "X0": before.start.X, "U0": before.U}
    numbers = {name: getattr(state, name) for name in ("t", "t0", "unit", "size", "used")} | {"F": here.F}
    numbers |= {"unchecked": state.unchecked is not None, "F0": before.start.F, "size0": before.size}
    new = compiled_steps(problem, given, numbers | {"steps": steps, "least": least})
    unchecked = Unchecked(Point(new["X0"], new["F0"], here.D), new["U0"], new["size0"]) if new["unchecked"] else None
    same = {name: new[name] for name in ("X", "Lam", "size", "t", "used")}
    same |= {"here": Point(new["X"], new["F"], new["D"]), "trials": int(new["moves"]), "proxes": int(new["proxes"])}
    step = NewtonStep(new["V"] + new["N"], *(int(new[name]) for name in ("exit", "products", "projections")))
    return replace(state, **same, unchecked=unchecked, newton=step)


def begun(problem: Problem, X: Array, t: float) -> State:
    """Return the first state of RPN-CG with the step size t."""
    value, D = problem.value_and_grad(X)
    return State(
        X=X,
        Lam=0 * (X.mT @ X),
        size=float(norm(X)),
        t=t,
        used=t,
        here=Point(X, float(value + problem.nonsmooth.value(X)), D),
        t0=t,
        unit=_UNIT / t,
        unchecked=None,
        trials=0,
        proxes=0,
        newton=NewtonStep(0 * X, int(Exit.ASCENT)),
    )


@dataclass(frozen=True)
class Attempt:
    """The iterates of RPN-CG within a run of the default method."""

    newton: State
    memory: Memory
    steps: int = 0
    failed: str = ""

    @property
    def gap(self) -> float:
        """|V| / t, the residual of the last proximal step."""
        return self.newton.size / self.newton.used

    @property
    def residual(self) -> float:
        """The same, relative to the gradient."""
        return self.gap / (max(float(norm(self.newton.here.D)), self.memory.floor) or 1.0)


@dataclass(frozen=True)
class ProximalNewton(Phase[Attempt]):
    """The Riemannian proximal Newton method (Huang and Si 2024), from the nearest point of the
    manifold.
    """

    settings: Settings

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Attempt:
        fast = problem.loop is not None and problem.loop.newton
        if fast or not problem.is_small(_LARGE):  # a polish costs more than many steps
            memory = replace(memory, polish_at=min(memory.polish_at, self.settings.goal))
        on_manifold = float(norm(stiefel.defect(point.X))) <= rounding(point.X)  # a projection would fill zeros
        X = point.X if on_manifold else stiefel.polar(point.X)
        return Attempt(replace(begun(problem, X, memory.step), Lam=-point.Y), memory)

    def step(self, problem: Problem, state: Attempt) -> Attempt:
        return replace(state, newton=advanced(problem, state.newton, 1), steps=state.steps + 1)

    def verdict(self, problem: Problem, old: Attempt, new: Attempt) -> Verdict:
        if new.residual <= new.memory.polish_at:
            return Verdict.NEAR
        return Verdict.STAGNATED if new.steps % int(self.settings.slow) == 0 else Verdict.GOING

    def point(self, problem: Problem, state: Attempt) -> PrimalDual:
        X, Y, D = state.newton.X, -state.newton.Lam, state.newton.here.D
        return PrimalDual(X, Y, D, -(D + 2 * (X @ Y)))  # S by stationarity

    def resume(self, state: Attempt) -> Attempt:
        """Go on; the next polish is due at a tenth of this residual."""
        polish_at = min(state.memory.polish_at, self.settings.gain * state.residual)
        return replace(state, memory=replace(state.memory, polish_at=polish_at))

    def output(self, state: Attempt) -> tuple[Array, Array]:
        return state.newton.X, -state.newton.Lam

    def residuals(self, state: Attempt) -> tuple[float, float]:
        return float(norm(stiefel.defect(state.newton.X))), state.gap

    def parameters(self, state: Attempt) -> dict[str, Any]:
        return {}


def _search(problem: Problem, here: Point, U: Array, unit: float) -> Step[Point]:
    """Try polar(X + a U), a = 1, 1/2, 1/4, 1/8, until F falls."""
    square = float(norm(U)) ** 2
    return backtrack(
        lambda a: visit(problem, stiefel.polar(here.X + a * U)),
        lambda a, point: _falls(here, point, a * unit * square),
        1.0,
        shortest=proximal_newton.SHORTEST_MOVE,
    )


def _falls(old: Point, new: Point, square: float) -> bool:
    """Whether F is lower at the new point, by a thousandth of ``square``."""
    return new.F <= old.F - proximal_newton.DECREASE * square + proximal_newton.ROUNDING * abs(old.F)


def _moved(state: State, point: Point, trials: int, t: float) -> State:
    """Return the state at the new point, with the next t within its bounds."""
    t = min(max(t, state.t0), proximal_newton.LONGEST * state.t0)
    return replace(state, X=point.X, here=point, trials=trials, t=t)
