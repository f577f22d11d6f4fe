"""Many small problems at once: one loop over LSALM's own step, with the problems stacked along the
first axis.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import orthoprox as op
from orthoprox._arrays.library import norm, rounding_length
from orthoprox._run.ending import STALLED_STEPS

DIVERGED_STEP = 1e6  # |X|_F beyond which a run has diverged
_CHUNK = 2000  # problems in the loop at a time
_FULL = 0.9  # finished problems make room for waiting ones once fewer than this share still runs

Real = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Quadratic problems tr(X'AX)/2 + tr(B'X) + mu |X|_1 with their starts and the parameters of
    their runs.
    """

    A: Real  # (instances, m, m)
    B: Real  # (instances, m, n)
    X0: Real  # (instances, m, n)
    mu: float
    instance: Numbers  # of each run
    varied: Mapping[str, Real]  # parameters that differ from run to run, one value for each
    fixed: Mapping[str, float]  # and those that do not

    def problem(self, runs: Numbers) -> op.Problem:
        """Return the problems of some runs."""
        chosen = self.instance[runs]
        return op.Problem(op.smooth.Quadratic(self.A[chosen], self.B[chosen]), op.nonsmooth.L1(self.mu), self.X0.shape[-2:])

    def solver(self, runs: Numbers) -> op.LSALM:
        """Return LSALM with the parameters of some runs."""
        varied: dict[str, Any] = {name: values[runs, None, None] for name, values in self.varied.items()}
        return op.LSALM(**self.fixed, **varied)


@dataclass(frozen=True)
class Ends:
    """How the runs of a batch ended."""

    status: list[op.Status]
    iterations: Numbers
    X: Real  # the last points
    Y: Real  # and multipliers
    trace: dict[str, Real] = field(default_factory=dict)  # residuals at the recorded iterations; NaN after the end of a run


def run(batch: Batch, below: Mapping[str, float], cap: int, *, record: Sequence[int] = ()) -> Ends:
    """Run LSALM on all problems, each until its residuals are at or below their bounds, as
    ``solve`` would.

    A run also ends after ``cap`` iterations, when |X|_F exceeds 1e6, or when X has not moved for
    100 steps. Without bounds all runs go on to the cap or until they stand still. ``update`` and
    ``constraint`` are kept at the iterations ``record``.
    """
    loop = _Loop(batch, cap, record)
    names = sorted({*below, "step"})
    with np.errstate(over="ignore", invalid="ignore"):
        while loop.refill():
            old, loop.state = loop.state, loop.solver.step(loop.problem, loop.state)
            loop.k += 1
            residuals = loop.solver.residuals(loop.problem, old, loop.state)
            now = {name: np.asarray(residuals[name]()) for name in names}
            loop.keep(residuals)
            loop.still = np.where(now["step"] <= loop.rounding_length, loop.still + 1, 0)
            loop.end(op.Status.DIVERGED, ~(norm(loop.state.X) <= DIVERGED_STEP))
            if below:
                loop.end(op.Status.CONVERGED, np.all([now[name] <= bound for name, bound in below.items()], axis=0))
            loop.end(op.Status.ITERATIONS, loop.k >= cap)
            loop.end(op.Status.STALLED, loop.still >= STALLED_STEPS)
    return loop.ends


class _Loop:
    """The runs that are in the loop, and the ends of those that were."""

    def __init__(self, batch: Batch, cap: int, record: Sequence[int]) -> None:
        self.batch, self.record = batch, np.array(record, dtype=np.int64)
        count, shape = len(batch.instance), batch.X0.shape[-2:]
        self.rounding_length = rounding_length(batch.X0)
        self.waiting = np.arange(count)
        self.runs = np.arange(0)  # those in the loop
        self.alive = np.ones(0, dtype=bool)  # and which of them still run
        self.k, self.still = np.zeros((2, 0), dtype=np.int64)  # steps of each, and how many of the last did not move
        self.state: Any = None
        self.ends = Ends(
            status=[op.Status.ITERATIONS] * count,
            iterations=np.full(count, cap),
            X=np.zeros((count, *shape)),
            Y=np.zeros((count, shape[1], shape[1])),
            trace={name: np.full((count, len(record)), np.nan) for name in ("update", "constraint")} if record else {},
        )

    def refill(self) -> bool:
        """Replace finished runs by waiting ones when there are many; return whether any run is
        left.
        """
        alive = self.alive
        if alive.size and np.mean(alive) >= _FULL:
            return True
        left = int(np.sum(alive))
        new, self.waiting = np.split(self.waiting, [min(_CHUNK - left, len(self.waiting))])
        if left == 0 and len(new) == 0:
            return False
        parts = [_take(self.state, alive)] if left else []
        if len(new):
            parts.append(self.batch.solver(new).init(self.batch.problem(new), self.batch.X0[self.batch.instance[new]]))
        zeros = np.zeros(len(new), dtype=np.int64)
        self.runs = np.concatenate([self.runs[alive], new])
        self.k, self.still = np.concatenate([self.k[alive], zeros]), np.concatenate([self.still[alive], zeros])
        self.alive = np.ones(len(self.runs), dtype=bool)
        self.state = parts[0] if len(parts) == 1 else _joined(*parts)
        self.problem, self.solver = self.batch.problem(self.runs), self.batch.solver(self.runs)
        return True

    def keep(self, residuals: Mapping[str, Any]) -> None:
        """Note the residuals of the runs whose iteration is to be recorded."""
        if not self.ends.trace or not np.any(due := self.alive & np.isin(self.k, self.record)):
            return
        columns = np.searchsorted(self.record, self.k[due])
        for name, values in self.ends.trace.items():
            values[self.runs[due], columns] = np.asarray(residuals[name]())[due]

    def end(self, status: op.Status, which: NDArray[np.bool_]) -> None:
        """End those of the runs that still run."""
        over = which & self.alive
        if not np.any(over):
            return
        runs = self.runs[over]
        for i in runs:
            self.ends.status[i] = status
        self.ends.iterations[runs] = self.k[over]
        self.ends.X[runs], self.ends.Y[runs] = self.state.X[over], self.state.Y[over]
        self.alive &= ~over


def _take(state: Any, kept: NDArray[np.bool_]) -> Any:
    """Return the state of some of the runs: each stacked array in it, and in what it holds, is
    cut.
    """
    if isinstance(state, np.ndarray):
        return state[kept]
    return replace(state, **{name: _take(value, kept) for name, value in _parts(state)})


def _joined(first: Any, second: Any) -> Any:
    """Return two states as one, the runs of the first before those of the second."""
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    return replace(first, **{name: _joined(value, getattr(second, name)) for name, value in _parts(first)})


def _parts(state: Any) -> list[tuple[str, Any]]:
    """Return the stacked arrays of a state and the dataclasses it holds, by name."""
    held = [(item.name, getattr(state, item.name)) for item in fields(state)]
    return [(name, value) for name, value in held if is_dataclass(value) or (isinstance(value, np.ndarray) and value.ndim > 2)]
