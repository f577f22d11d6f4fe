"""RPG, the Riemannian proximal gradient method."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, inner, norm
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import Step, backtrack
from orthoprox._linalg.stiefel import tangent
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers._shared.proximal_gradient import Point, ProximalGradient, ProximalState, visit
from orthoprox.solvers._shared.retraction import Retracted, retract
from orthoprox.solvers._shared.tangent_prox import inner_tolerance, tangent_prox
from orthoprox.solvers.base import Facts

_GROWTH = 1.05  # of t after a success
_DECREASE = 1e-4  # of F, in terms of |V|^2 / t
_MODEL_DECREASE = 1e-3  # of the model, likewise
_SMALL = 0.1  # the last correction, against V: what is left is some of its square
_TINY = 1e-3  # a correction that is not worth a step
_SHORTEST = 2**-10  # of both line searches, relative to the first trial
_LEAST = 1e-10  # t in terms of the last one that succeeded


@dataclass(frozen=True)
class Work:
    """What a step has cost."""

    cycles: int = 0  # corrections of V
    retractions: int = 0  # points R_X(V)
    proxes: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.cycles + other.cycles, self.retractions + other.retractions, self.proxes + other.proxes)


@dataclass(frozen=True)
class State(ProximalState):
    """The iterates."""

    V: Array  # the last step
    here: Point  # X^k with F and grad l
    Lam_ahead: Array  # multiplier of the last subproblem at R_X(V), where the next one there starts
    trials: int  # prox steps tried by the last iteration
    work: Work  # and what it has cost


@dataclass(frozen=True)
class _Step:
    """A minimiser of the model, nearly, and where it leads."""

    point: Point
    V: Array
    solved: bool  # whether V is tangent by itself; its subproblem can be hopeless where g dwarfs l and t is long
    Lam: Array
    Lam_ahead: Array
    work: Work


@dataclass(frozen=True)
class _Candidate:
    """A step V and what follows from it."""

    V: Array
    to: Retracted  # R_X(V)
    model: float  # <grad l(X), V> + |V|^2 / 2t + g(R_X(V))


@dataclass(frozen=True)
class RPG(ProximalGradient[State]):
    """The Riemannian proximal gradient method, whose model knows that the step is retracted: in
    each iteration

        X+ = R_X(V),   V a stationary point of  <grad l(X), V> + |V|^2 / 2t + g(R_X(V))
                       subject to  X'V + V'X = 0

    with R the polar retraction. V starts as the step of ManPG. It is corrected by U, the tangent
    proximal step at Y = R_X(V):

        U  = argmin <W, U> + |U|^2 / 2t + g(Y + U)  subject to  Y'U + U'Y = 0,
             W = T^-# (grad l(X) + V/t),   T = DR_X(V)
        V+ = V + a T^-1 U,   a = 1, 1/2, 1/4, ... until the model falls

    until |U| <= |V| / 10, which leaves about a hundredth. t is halved until
    F(X+) <= F(X) - |V|^2 / 10000t, and grows by 1.05 afterwards.

    Parameters
    ----------
    step_size : float, optional
        The first t; by default 1/L with L the Lipschitz constant of grad l.
    max_cycles : int
        The most corrections of one V.

    References
    ----------
    W. Huang and K. Wei, Riemannian proximal gradient methods, Math. Program. 194 (2022).
    """

    facts: ClassVar = Facts(
        "RPG",
        nonsmooth=True,
        single_loop=False,
        complexity="O(eps^-2)",
        sequential=True,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
        per="trial",
        remark="not counting the work of its subproblem solver, to which further retractions belong",
    )

    max_cycles: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.integer(self.max_cycles, "max_cycles")

    def init(self, problem: Problem, X0: Array) -> State:
        t = 1 / (lipschitz(problem.smooth, X0) or 1.0) if self.step_size is None else float(self.step_size)
        Lam = 0 * stiefel.defect(X0)
        return State(X0, Lam, float(norm(X0)), t, t, X0, visit(problem, X0), Lam, 0, Work())

    def step(self, problem: Problem, state: State) -> State:
        here, spent = state.here, Work()

        def at(t: float) -> _Step:
            nonlocal spent
            step = self._minimise(problem, state, t)
            spent += step.work
            return step

        def good(t: float, step: _Step) -> bool:
            enough = here.F - _DECREASE * float(norm(step.V)) ** 2 / t + 1e-14 * abs(here.F)
            return step.solved and not step.point.F > enough  # a value that is not a number ends the run

        found = backtrack(at, good, state.t, shortest=_SHORTEST * state.t)
        step, t = found.point, found.length
        if found.accepted:
            X, size, t_next = step.point.X, float(norm(step.V)), _GROWTH * t
            return State(X, step.Lam, size, t_next, t, step.V, step.point, step.Lam_ahead, found.trials, spent)
        return replace(state, t=max(t / 2, _LEAST * state.used), trials=found.trials, work=spent)

    def _minimise(self, problem: Problem, state: State, t: float) -> _Step:
        """Return a step V that is nearly stationary for the model with the prox step t."""
        g, X, D = problem.nonsmooth, state.here.X, state.here.D

        def candidate(V: Array) -> _Candidate:
            to = retract(X, V)
            return _Candidate(V, to, float(inner(D, V) + inner(V, V) / (2 * t) + g.value(to.Y)))

        first = tangent_prox(g, X, D, t, state.Lam, tol=_tolerance(state.size), dual=True)
        now, Lam, spent = candidate(tangent(X, first.V)), state.Lam_ahead, Work(0, 1, first.proxes)
        solved = not float(norm(first.V - now.V)) > max(float(norm(now.V)), 1e-8)
        for _ in range(self.max_cycles if solved else 0):
            Y, W = now.to.Y, now.to.adjoint_back(D + now.V / t)
            correction = tangent_prox(g, Y, W, t, Lam, tol=_tolerance(float(norm(now.V))), dual=True)
            U, Lam, spent = tangent(Y, correction.V), correction.Lam, spent + Work(1, 0, correction.proxes)
            ratio = float(norm(U)) / (float(norm(now.V)) or 1.0)
            if not ratio > _TINY:
                break
            found = _lower(candidate, now, now.to.back(U), t)
            now, spent = found.point if found.accepted else now, spent + Work(retractions=found.trials)
            if ratio <= _SMALL or not found.accepted:
                break
        return _Step(visit(problem, now.to.Y), now.V, solved, first.Lam, Lam, spent)


def _lower(at: Callable[[Array], _Candidate], now: _Candidate, U: Array, t: float) -> Step[_Candidate]:
    """Try V + a U, a = 1, 1/2, 1/4, ... until the model falls by a |U|^2 / 1000t."""
    drop = _MODEL_DECREASE * float(norm(U)) ** 2 / t
    return backtrack(lambda a: at(now.V + a * U), lambda a, then: then.model < now.model - a * drop, 1.0, shortest=_SHORTEST)


def _tolerance(size: float) -> float:
    """Return the bound of |X'U + U'X|_F^2 for a step or a correction U near a V of this size.

    It is that of ManPG, but never finer than what tells corrections apart.
    """
    return max(inner_tolerance(size), (_TINY * size) ** 2)
