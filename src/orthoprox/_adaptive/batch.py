"""Many first-order runs at once: the iterates as one stack of matrices, each with parameters of its
own.

A small matrix costs NumPy as much as a stack of small matrices, so a step of many runs takes little
longer than a step of one. Each run makes the iterates that it would make alone.
"""

from collections.abc import Sequence
from functools import cache
from typing import Self

import numpy as np

from orthoprox._adaptive import rules
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate, StagnationMonitor, dual_weights
from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import FLOOR
from orthoprox._linalg.stiefel import defect, multiplier
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import is_quadratic, lipschitz


class Stack:
    """The iterates of several runs, field by field: matrices of shape (b, m, n), numbers of shape
    (b,). It holds the last iterates also if a step is interrupted.

    Parameters
    ----------
    now : dict
        The fields by their names.
    memories : sequence of Memory
        What each run has learnt.
    """

    def __init__(self, now: dict[str, Array], memories: Sequence[Memory]) -> None:
        self.now, self.memories = now, list(memories)

    @classmethod
    def of(cls, runs: Sequence[Iterate]) -> Self:
        """Return the stack of some iterates."""
        now = {name: np.stack([getattr(run, name) for run in runs]) for name in MATRICES}
        now |= {name: np.array([float(getattr(run, name)) for run in runs]) for name in NUMBERS}
        now |= {name: np.array([float(getattr(run.monitor, name)) for run in runs]) for name in MONITOR}
        return cls(now, [run.memory for run in runs])

    @classmethod
    def first(cls, phase: FirstOrder, problem: Problem, P: Array) -> Self:
        """Return what ``FirstOrder.first`` returns, for a stack of points of the manifold; a
        quadratic l has the same curvature everywhere, and knows it.
        """
        curvature = lipschitz(problem.smooth, P[0]) if is_quadratic(problem.smooth) else 0.0
        if curvature == 0:
            return cls.of([phase.first(problem, X) for X in P])
        D, S = problem.grad(P), curvature * (P - problem.prox(P, 1 / curvature))
        Y = multiplier(P, D + S)
        c = np.maximum(rules.initial_curvature(phase.settings, curvature, Y, phase.rule), phase.least(problem))
        bounds, values, floors = rules.divergence_bound(problem.prox(P, 1 / _wide(c))), problem.value(P), FLOOR * _norm(D)
        known = zip(zip(P, Y, D, S, strict=True), values.tolist(), floors.tolist(), bounds.tolist(), strict=True)
        return cls(
            _begun(phase, P, Y, D, c),
            [
                Memory(PrimalDual(*point), value, curvature, floor, 1 / curvature, bound, phase.settings.identified)
                for point, value, floor, bound in known
            ],
        )

    def __len__(self) -> int:
        return len(self.memories)

    @property
    def runs(self) -> list[Iterate]:
        """The iterates, one by one."""
        return [self.run(i) for i in range(len(self))]

    @property
    def residual(self) -> Array:
        """The larger of the two residuals of each run."""
        return np.maximum(self.now["stationarity"], self.now["feasibility"])

    def run(self, i: int) -> Iterate:
        """Return one of the iterates."""
        return _single(self.memories[i], self.now, i)

    def take(self, which: Array) -> Self:
        """Return the stack of some of the runs, by their numbers."""
        return type(self)({name: values[which] for name, values in self.now.items()}, [self.memories[i] for i in which])

    def advance(self, phase: FirstOrder, problem: Problem, iterations: int, tol: float) -> None:
        """Advance all runs by so many iterations; one whose residual is at most ``tol``, or whose
        step rules have all stagnated, ends before.
        """
        index = np.arange(len(self))
        part = self.take(index)  # the runs that go on
        try:
            for _ in range(iterations):
                going = np.flatnonzero((part.residual > tol) & (part.now["step_rule"] < len(phase.settings.margins)))
                if len(going) < len(index):
                    self._hold(index, part)
                    index, part = index[going], part.take(going)
                if not len(index):
                    break
                part.now, part.memories = _step(phase, problem, part)
        finally:
            self._hold(index, part)

    def _hold(self, index: Array, part: "Stack") -> None:
        """Hold the iterates of some runs."""
        for name, values in part.now.items():
            self.now[name] = self.now[name].copy()
            self.now[name][index] = values
        for i, memory in zip(index, part.memories, strict=True):
            self.memories[i] = memory


def _begun(phase: FirstOrder, P: Array, Y: Array, D: Array, c: Array) -> dict[str, Array]:
    """Return the fields of first iterates, before any step."""
    G, gap, scale = defect(P), c * P.shape[-1] ** 0.5, _norm(D)
    now = {"X": P, "E": P, "Y": Y, "Z": P, "D": D, "G": G, "EY": P @ Y, "EG": P @ G, "good": P}
    stationarity = gap / np.where(scale > 0, scale, 1.0)
    now |= {"c": c, "near_curvature": c, "gap": gap, "stationarity": stationarity, "feasibility": _norm(G)}
    monitor = phase.monitor()
    fixed = {"t": 1.0, "theta": 0.0, "vanished": 0.0} | {name: float(getattr(monitor, name)) for name in MONITOR}
    return now | {name: np.full(len(P), value) for name, value in fixed.items()}


def _single(memory: Memory, now: dict[str, Array], i: int) -> Iterate:
    """Return one run of a stack."""
    return Iterate.of({name: now[name][i] for name in MATRICES}, {name: now[name][i] for name in NUMBERS + MONITOR}, memory)


def _step(phase: FirstOrder, problem: Problem, stack: Stack) -> tuple[dict[str, Array], list[Memory]]:
    """Return what ``FirstOrder.step`` returns, for all runs: their fields and memories."""
    k, s, memories = phase.settings, stack.now, list(stack.memories)
    floor = np.array([memory.floor for memory in memories])
    c, rule = s["c"], s["step_rule"].astype(int)
    total = (1 + k.smoothing) * c
    over, alpha = 1 / _wide(total), _wide(k.penalty * c)

    # Algorithm 1, lines 2 and 3
    W = s["E"] / (1 + k.smoothing) + k.smoothing / (1 + k.smoothing) * s["Z"]
    W -= over * (s["D"] + 2 * s["EY"]) + 2 * k.penalty / (1 + k.smoothing) * s["EG"]
    X = problem.prox(W, over)
    Z = (1 - k.centre) * s["Z"] + k.centre * X

    # extrapolation
    back = s["E"] - X
    length, along = _norm(back), np.einsum("bij,bij->b", back, X - s["X"])
    following = (1 + np.sqrt(1 + (2 * s["t"]) ** 2)) / 2
    t = np.where(along > 0, 1.0, following)
    theta = np.where((along > 0) | (rule > 0), 0.0, np.minimum((s["t"] - 1) / following, k.inertia))
    E = X + _wide(theta) * (X - s["X"])
    D, Et = problem.grad(E), np.swapaxes(E, 1, 2)
    identity = _identity(E.shape[-1])
    G = Et @ E - identity
    EY, EG = E @ s["Y"], E @ G
    move, change = _norm(E - s["E"]), _norm(D - s["D"] + 2 * (EY - s["EY"]))
    measured = np.divide(change, move, out=np.zeros_like(move), where=move > 0)

    # Algorithm 1, line 4
    dual = alpha * G
    near = np.maximum(s["stationarity"], s["feasibility"]) <= k.identified
    if np.any(near):
        M = np.swapaxes(X**2, 1, 2) @ (X != 0)
        most = np.where(s["feasibility"] > k.weight * s["stationarity"], k.weight**2, k.weight)
        weights = dual_weights(M + np.swapaxes(M, 1, 2), identity > 0, _wide(most))
        dual = np.where(_wide(near), weights, 1.0) * dual
        EY = EY + E @ dual
    else:
        EY = EY + alpha * EG

    # residuals, curvature, stagnation
    gap = total * length
    scale = np.maximum(_norm(D), floor)
    stationarity, feasibility = gap / np.where(scale > 0, scale, 1.0), _norm(G)
    safety = np.array([memory.safety for memory in memories])
    margins, decays = np.array(k.margins)[rule], np.array(k.decays)[rule]
    c = np.maximum(np.maximum(margins * safety * measured, decays * c), k.margins[0] * problem.nonsmooth.modulus)
    monitor = _monitored(k, s, np.maximum(stationarity, feasibility))
    t = np.where(monitor["step_rule"] == rule, t, 1.0)

    # divergence
    vanished, lost = np.zeros(len(c), bool), ~(length < np.inf) | ~(feasibility < np.inf)
    for i in np.flatnonzero(~(feasibility <= k.near) & ~lost):
        w = np.linalg.eigvalsh(G[i])
        lost[i], vanished[i] = w[-1] >= memories[i].bound, w[0] < -k.near
    good = np.where(_wide(vanished), s["good"], X) if np.any(vanished) else X
    vanishing = np.where(vanished, s["vanished"] + 1, 0)
    near_curvature = np.where(feasibility <= 0.5, c, s["near_curvature"])
    new = {"X": X, "E": E, "Y": s["Y"] + dual, "Z": Z, "D": D, "G": G, "EY": EY, "EG": EG, "good": good}
    new |= {"c": c, "near_curvature": near_curvature, "gap": gap, "stationarity": stationarity}
    new |= {"feasibility": feasibility, "t": t, "theta": theta, "vanished": vanishing} | monitor
    for i in np.flatnonzero(lost | (vanishing >= k.vanished)):
        run = phase.restarted(problem, stack.run(int(i)))
        memories[i] = run.memory
        for name, values in Stack.of([run]).now.items():
            new[name] = new[name].copy()  # which may be the array of another stack
            new[name][i] = values[0]
    return new, memories


def _monitored(k: Settings, s: dict[str, Array], residual: Array) -> dict[str, Array]:
    """Return what ``StagnationMonitor.update`` returns, for all runs."""
    new = {name: s[name] for name in MONITOR}
    new |= {"iterations": s["iterations"] + 1, "window_best": np.minimum(s["window_best"], residual)}
    ends = np.flatnonzero(new["iterations"] % k.window == 0)
    if len(ends):
        new = {name: values.copy() for name, values in new.items()}
    for i in ends:
        after = StagnationMonitor.of({name: s[name][i] for name in MONITOR}).update(k, float(residual[i]))
        for name in MONITOR:
            new[name][i] = getattr(after, name)
    return new


@cache
def _identity(n: int) -> Array:
    return np.eye(n)


def _wide(numbers: Array) -> Array:
    return numbers[:, None, None]


def _norm(M: Array) -> Array:
    return np.sqrt(np.einsum("bij,bij->b", M, M))
