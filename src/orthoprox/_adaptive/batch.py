"""Many first-order runs at once: the iterates as one stack of matrices, each with parameters of its
own.

A small matrix costs NumPy as much as a stack of small matrices, so a step of many runs takes little
longer than a step of one. Each run makes the iterates that it would make alone.
"""

from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Self

import numpy as np

from orthoprox._adaptive import rules
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate, StagnationMonitor, dual_weights
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
        index, going = np.arange(len(self)), _Going(phase, problem, self)
        try:
            for _ in range(iterations):
                left = going.left(tol)
                if left is not None:
                    self._hold(index, going)
                    index, going = index[left], _Going(phase, problem, self.take(index[left]))
                if not len(index):
                    break
                going.step()
        finally:
            self._hold(index, going)

    def _hold(self, index: Array, going: "_Going") -> None:
        """Hold the iterates of some runs."""
        for name, values in going.held().items():
            if len(index) < len(self):
                self.now[name] = self.now[name].copy()
                self.now[name][index] = values
            else:
                self.now[name] = values
        for i, memory in zip(index, going.memories, strict=True):
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


class _Going:
    """The runs of a stack that go on, step by step. A small step is as long as the list of its
    operations: what changes only with a restart or another step rule is kept, and rare cases are
    looked for all at once.

    Parameters
    ----------
    phase : FirstOrder
        Whose steps these are.
    problem : Problem
        What is minimised.
    stack : Stack
        The runs.
    """

    def __init__(self, phase: FirstOrder, problem: Problem, stack: Stack) -> None:
        self.phase, self.problem, self.memories = phase, problem, list(stack.memories)
        self.now = dict(stack.now)
        self.L = self.now["D"] + 2 * self.now.pop("EY")  # the gradient of l(E) + <Y, E'E - I>
        self.residual = stack.residual
        self._settle()

    def _settle(self) -> None:
        """Keep what a step needs of memories and step rules."""
        k, memories, rule = self.phase.settings, self.memories, self.now["step_rule"].astype(int)
        known = np.minimum(rule, len(k.margins) - 1)  # a run that has used all rules takes no step
        self.floor = np.array([memory.floor for memory in memories])
        self.margins = np.array(k.margins)[known] * np.array([memory.safety for memory in memories])
        self.decays, self.inertia = np.array(k.decays)[known], np.where(rule > 0, 0.0, k.inertia)

    def held(self) -> dict[str, Array]:
        """Return the fields of the iterates."""
        return self.now | {"EY": (self.L - self.now["D"]) / 2}

    def left(self, tol: float) -> Array | None:
        """Return the numbers of the runs that have not ended, if any has."""
        rules, rule = len(self.phase.settings.margins), self.now["step_rule"]
        if min(self.residual.tolist(), default=inf) > tol and max(rule.tolist(), default=0) < rules:
            return None
        return np.flatnonzero((self.residual > tol) & (rule < rules))

    def step(self) -> None:
        """Do what ``FirstOrder.step`` does, for all runs."""
        k, s, problem = self.phase.settings, self.now, self.problem
        c, share = s["c"], 1 / (1 + k.smoothing)
        total = (1 + k.smoothing) * c
        over, alpha = _wide(1 / total), _wide(k.penalty * c)

        # Algorithm 1, lines 2 and 3
        W = share * s["E"]
        W += k.smoothing * share * s["Z"]
        W -= over * self.L
        W -= 2 * k.penalty * share * s["EG"]
        X = problem.prox(W, over)
        Z = (1 - k.centre) * s["Z"]
        Z += k.centre * X

        # extrapolation
        back, ahead = s["E"] - X, X - s["X"]
        length, opposed = _norm(back), _inner(back, ahead) > 0
        t = (1 + np.sqrt(1 + (2 * s["t"]) ** 2)) / 2
        theta = np.minimum((s["t"] - 1) / t, self.inertia)
        theta[opposed], t[opposed] = 0.0, 1.0
        ahead *= _wide(theta)
        E = X + ahead
        D = problem.grad(E)
        G = E.mT @ E.copy()  # NumPy takes X'X for a case of its own, which is slower where X is small
        G -= _identity(E.shape[-1])
        EG, L = E @ G, E @ (2 * s["Y"])
        L += D
        move, change = _norm(E - s["E"]), _norm(L - self.L)
        measured = np.divide(change, move, out=np.zeros(len(c)), where=move > 0)

        # Algorithm 1, line 4
        dual = alpha * G
        if min(self.residual.tolist()) <= k.identified:
            dual *= self._weights(X)
            L += E @ (2 * dual)
        else:
            L += 2 * alpha * EG

        # residuals, curvature, stagnation
        gap, scale, feasibility = total * length, np.maximum(_norm(D), self.floor), _norm(G)
        scale[scale == 0] = 1.0
        stationarity = gap / scale
        residual = np.maximum(stationarity, feasibility)
        c = np.maximum(np.maximum(self.margins * measured, self.decays * c), self.phase.least(problem))
        new = {"X": X, "E": E, "Y": s["Y"] + dual, "Z": Z, "D": D, "G": G, "EG": EG, "good": X, "c": c, "near_curvature": c}
        new |= {"gap": gap, "stationarity": stationarity, "feasibility": feasibility, "t": t, "theta": theta}
        new |= {name: s[name] for name in MONITOR} | {"iterations": s["iterations"] + 1, "vanished": np.zeros(len(c))}
        new["window_best"] = np.minimum(s["window_best"], residual)
        changed = 0 in (new["iterations"] % k.window).tolist()
        if changed:
            self._monitor(new, residual)
        if not residual.max() <= 0.5:
            changed = self._guard(new, L, residual, length) or changed
        self.now, self.L, self.residual = new, L, residual  # at once: an evaluation may have been the last
        if changed:
            self._settle()

    def _weights(self, X: Array) -> Array:
        """Return the weights of the dual step, which is weighted where the supports are
        identified.
        """
        k, s = self.phase.settings, self.now
        M = (X * X).mT @ (X != 0).astype(X.dtype)
        most = np.where(s["feasibility"] > k.weight * s["stationarity"], k.weight**2, k.weight)
        most[self.residual > k.identified] = 1.0
        return dual_weights(M + M.mT, _identity(X.shape[-1]) > 0, _wide(most))

    def _monitor(self, new: dict[str, Array], residual: Array) -> None:
        """Do what ``StagnationMonitor.update`` does, where a window ends."""
        k, s = self.phase.settings, self.now
        new |= {name: new[name].copy() for name in MONITOR}
        for i in np.flatnonzero(new["iterations"] % k.window == 0):
            after = StagnationMonitor.of({name: s[name][i] for name in MONITOR}).update(k, float(residual[i]))
            for name in MONITOR:
                new[name][i] = getattr(after, name)
        new["t"][new["step_rule"] != s["step_rule"]] = 1.0

    def _guard(self, new: dict[str, Array], L: Array, residual: Array, length: Array) -> bool:
        """Restart the runs that have diverged, or one of whose columns has vanished for too long;
        tell whether there are any.
        """
        k, s, feasibility = self.phase.settings, self.now, new["feasibility"]
        new["near_curvature"] = np.where(feasibility <= 0.5, new["c"], s["near_curvature"])
        vanished, lost = np.zeros(len(L), bool), ~(length < inf) | ~(feasibility < inf)
        for i in np.flatnonzero(~(feasibility <= k.near) & ~lost):
            w = np.linalg.eigvalsh(new["G"][i])
            lost[i], vanished[i] = w[-1] >= self.memories[i].bound, w[0] < -k.near
        new["good"] = np.where(_wide(vanished), s["good"], new["X"])
        new["vanished"] = np.where(vanished, s["vanished"] + 1, 0.0)
        again = np.flatnonzero(lost | (new["vanished"] >= k.vanished))
        if not len(again):
            return False
        held = self.held()
        stack = Stack.of([self.phase.restarted(self.problem, _single(self.memories[i], held, int(i))) for i in again])
        for name in new:
            new[name] = new[name].copy()  # which may be the array of another stack, or another field
            new[name][again] = stack.now[name]
        L[again], residual[again] = stack.now["D"] + 2 * stack.now["EY"], stack.residual
        for i, memory in zip(again, stack.memories, strict=True):
            self.memories[i] = memory
        return True


@cache
def _identity(n: int) -> Array:
    return np.eye(n)


def _wide(numbers: Array) -> Array:
    return numbers[:, None, None]


def _inner(M: Array, N: Array) -> Array:
    return np.vecdot(M.reshape(len(M), -1), N.reshape(len(N), -1))


def _norm(M: Array) -> Array:
    return np.sqrt(_inner(M, M))
