"""Compiled loops for small problems: which problems they take, when they are used, and first-order
runs by one of them.

``walk.py`` has the loop of first-order iterations, ``solvers/_shared/newton_loop.py`` that of
Newton steps. numba is imported with them, at the first use and not with the library.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.kept import INSTALL, has_numba, is_kept, process_choice
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance

_LOADING = 2.0  # seconds, more than loading numba takes on a slow machine


@dataclass(frozen=True)
class Loop:
    """The data of the compiled loops for one problem."""

    rows: tuple[Array, Array, Array]  # of the Hessian of l: where they begin, columns and values
    mu: Array  # the weights of g, one for each entry, transposed
    B: Array  # the linear part of l, transposed
    newton: bool  # whether X has so few columns that Newton steps have a loop, too

    @property
    def flops(self) -> float:
        """About the operations of a first-order iteration."""
        n, m = self.mu.shape
        return float(2 * (2 * n * (len(self.rows[1]) + 2 * m * n)))


def loop(problem: Problem) -> Loop | None:
    """Return the compiled loop for a small problem with a quadratic l that shows its matrix and
    g = L1, in double precision; None for another problem.
    """
    (ell, g), smooth = uncounted(problem), cast(Any, problem.smooth)
    if type(ell) not in (Variance, Quadratic) or type(g) is not L1 or g.bound < inf or not problem.is_small(SMALL.entries):
        return None
    H = ell.A if type(ell) is Quadratic and sp.issparse(ell.A) else smooth.hessian
    B = getattr(ell, "B", None)
    if not all(_is_double(part) for part in (H, g.mu, 0.0 if B is None else B)):
        return None
    mu, B = (np.array(np.broadcast_to(part, problem.shape).T, order="C") for part in (g.mu, 0.0 if B is None else B))
    return Loop(_rows(H), mu, B, newton=problem.shape[1] <= SMALL.stack)


def _is_double(part: Any) -> bool:
    plain = isinstance(part, np.ndarray) or sp.issparse(part)
    return bool(plain and part.ndim <= 2 and part.dtype == np.float64) or isinstance(part, float)


def _rows(H: Any) -> tuple[Array, Array, Array]:
    if sp.issparse(H):
        H = sp.csr_array(H, copy=True)
        H.sum_duplicates()  # which sorts them as well
        return H.indptr.astype(np.int64), H.indices.astype(np.int64), np.array(H.data)
    m = len(H)
    return m * np.arange(m + 1), np.tile(np.arange(m), m), np.array(H).ravel()


def chosen_loop(problem: Problem, wanted: bool | None, seconds: float = inf) -> Loop | None:
    """Return the compiled loop for a problem if a call is to use it.

    Parameters
    ----------
    problem : Problem
        Whether there is a loop for it, see :func:`loop`.
    wanted : bool, optional
        What the user asked for; None lets the process choose, see :func:`process_choice`.
    seconds : float
        The time of the call. A short one does not wait for the code to be loaded, and none with an
        end for it to be compiled.
    """
    chosen = process_choice() if wanted is None else wanted
    way = loop(problem) if chosen else None
    if way is not None and not has_numba():
        raise ValueError(f"Compiled loops were asked for, but numba is not installed; {INSTALL}, or pass compiled=False.")
    return way if seconds == inf or (seconds >= _LOADING and is_kept()) else None


class Walks:
    """First-order runs one after the other, each with the iterates that ``FirstOrder.step`` makes,
    to rounding.

    Parameters
    ----------
    runs : sequence of Iterate
        The first iterates.
    """

    def __init__(self, runs: Sequence[Iterate]) -> None:
        self.runs = list(runs)  # the last iterates, also if a walk is interrupted

    def advance(self, phase: FirstOrder, problem: Problem, iterations: int, tol: float) -> None:
        """Advance all runs by so many iterations; one whose residual is at most ``tol``, or whose
        step rules have all stagnated, ends before.
        """
        from orthoprox._adaptive import walk

        way = problem.loop
        chunk = max(1, int(SMALL.chunk / way.flops))
        for i in range(len(self.runs)):
            left, reason = iterations, walk.GOING
            while left and reason != walk.ENDED:
                problem.heed()
                run = self.runs[i]
                arrays, numbers, settings = _packed(phase, way, run, tol)
                done, reason = walk.walk(way.rows, arrays, numbers, settings, min(chunk, left))
                problem.count(gradients=done, proxes=done)
                run = _unpacked(run, arrays, numbers)
                self.runs[i] = phase.restarted(problem, run) if reason == walk.LOST else run
                left -= done


def _packed(phase: FirstOrder, way: Loop, run: Iterate, tol: float) -> tuple[Any, Array, Any]:
    """Return an iterate as what the loop works on, and its settings."""
    from orthoprox._adaptive.walk import CONSTANTS, MEMORY

    k = phase.settings
    arrays = (
        *(np.array(getattr(run, name).T, order="C") for name in MATRICES),
        way.mu,
        way.B,
        np.empty_like(way.mu),
        np.empty_like(run.Y),
    )
    numbers = [*(getattr(run, name) for name in NUMBERS), *(getattr(run.monitor, name) for name in MONITOR)]
    constants = tuple(float(getattr(k, name)) for name in CONSTANTS)
    memory = *(float(getattr(run.memory, name)) for name in MEMORY), tol
    return arrays, np.array(numbers, float), (constants, memory, k.margins, k.decays)


def _unpacked(run: Iterate, arrays: Any, numbers: Array) -> Iterate:
    """Return the iterate that the loop has left."""
    matrices = {name: np.array(M.T, order="C") for name, M in zip(MATRICES, arrays, strict=False)}
    return run.holding(matrices, dict(zip(NUMBERS + MONITOR, numbers.tolist(), strict=True)))
