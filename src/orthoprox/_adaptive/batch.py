"""Many first-order runs at once: the iterates as one stack of matrices, each with parameters of its
own.

A small matrix costs NumPy as much as a stack of small matrices, so a step of many runs takes little
longer than a step of one. Each run makes the iterates that it would make alone.
"""

from collections.abc import Sequence

import numpy as np

from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate, StagnationMonitor, dual_weights
from orthoprox._adaptive.settings import Settings
from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem


class Stack:
    """The iterates of several runs, field by field: matrices of shape (b, m, n), numbers of shape
    (b,). It holds the last iterates also if a step is interrupted.

    Parameters
    ----------
    runs : sequence of Iterate
        The first iterates.
    """

    def __init__(self, runs: Sequence[Iterate]) -> None:
        self._runs = list(runs)  # as they were last seen one by one
        self._index = np.arange(len(runs))  # the runs that go on
        self._now = _stacked(runs)

    @property
    def runs(self) -> list[Iterate]:
        """The iterates, one by one."""
        self._keep()
        return list(self._runs)

    def advance(self, phase: FirstOrder, problem: Problem, iterations: int, tol: float) -> None:
        """Advance all runs by so many iterations; one whose residual is at most ``tol``, or whose
        step rules have all stagnated, ends before.
        """
        for _ in range(iterations):
            residual = np.maximum(self._now["stationarity"], self._now["feasibility"])
            going = (residual > tol) & (self._now["step_rule"] < len(phase.settings.margins))
            if not np.all(going):
                self._keep()  # those that end
                self._index, self._now = self._index[going], {name: values[going] for name, values in self._now.items()}
            if not len(self._index):
                break
            runs = [self._runs[i] for i in self._index]
            self._now = _step(phase, problem, self._now, runs)
            for i, run in zip(self._index, runs, strict=True):
                self._runs[i] = run

    def _keep(self) -> None:
        """Keep the last iterates of the runs that go on, one by one."""
        for at, i in enumerate(self._index):
            self._runs[i] = _single(self._runs[i], self._now, at)


def _stacked(runs: Sequence[Iterate]) -> dict[str, Array]:
    now = {name: np.stack([getattr(run, name) for run in runs]) for name in MATRICES}
    now |= {name: np.array([float(getattr(run, name)) for run in runs]) for name in NUMBERS}
    return now | {name: np.array([float(getattr(run.monitor, name)) for run in runs]) for name in MONITOR}


def _single(run: Iterate, now: dict[str, Array], at: int) -> Iterate:
    """Return one run with its fields of a stack."""
    return run.holding(*({name: now[name][at] for name in names} for names in (MATRICES, NUMBERS + MONITOR)))


def _step(phase: FirstOrder, problem: Problem, s: dict[str, Array], runs: list[Iterate]) -> dict[str, Array]:
    """Return what ``FirstOrder.step`` returns, for all runs; a run that restarts changes in
    ``runs``, too.
    """
    k, memories = phase.settings, [run.memory for run in runs]
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
    G = Et @ E - np.eye(E.shape[-1])
    EY, EG = E @ s["Y"], E @ G
    move, change = _norm(E - s["E"]), _norm(D - s["D"] + 2 * (EY - s["EY"]))
    measured = np.divide(change, move, out=np.zeros_like(move), where=move > 0)

    # Algorithm 1, line 4
    dual = alpha * G
    near = np.maximum(s["stationarity"], s["feasibility"]) <= k.identified
    if np.any(near):
        M = np.swapaxes(X**2, 1, 2) @ (X != 0)
        most = np.where(s["feasibility"] > k.weight * s["stationarity"], k.weight**2, k.weight)
        weights = dual_weights(M + np.swapaxes(M, 1, 2), np.eye(M.shape[-1]) > 0, _wide(most))
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
    good = np.where(_wide(vanished), s["good"], X)
    vanishing = np.where(vanished, s["vanished"] + 1, 0)
    near_curvature = np.where(feasibility <= 0.5, c, s["near_curvature"])
    new = {"X": X, "E": E, "Y": s["Y"] + dual, "Z": Z, "D": D, "G": G, "EY": EY, "EG": EG, "good": good}
    new |= {"c": c, "near_curvature": near_curvature, "gap": gap, "stationarity": stationarity}
    new |= {"feasibility": feasibility, "t": t, "theta": theta, "vanished": vanishing} | monitor
    for i in np.flatnonzero(lost | (vanishing >= k.vanished)):
        runs[i] = phase.restarted(problem, _single(runs[i], s, int(i)))
        for name, values in _stacked([runs[i]]).items():
            new[name][i] = values[0]
    return new


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


def _wide(numbers: Array) -> Array:
    return numbers[:, None, None]


def _norm(M: Array) -> Array:
    return np.sqrt(np.einsum("bij,bij->b", M, M))
