"""Compiled loops for small problems: which problems they take, when they are used, and first-order
runs by one of them.

``walk.py`` has the loop of first-order iterations, ``solvers/_shared/newton_loop.py`` that of
Newton steps. numba is imported with them, at the first use and not with the library.
"""

import os
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from math import inf
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from orthoprox._adaptive.batch import Stack
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.kept import is_kept
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox._arrays.words import short
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance

INSTALL = 'install it with pip install "orthoprox[fast]"'
_LOADING = 2.0  # seconds, more than loading numba takes on a slow machine


@dataclass(frozen=True)
class Loop:
    """The data of the compiled loops for one problem."""

    rows: tuple[Array, Array, Array]  # of the Hessian of l: where they begin, columns and values
    mu: Array  # the weights of g, one for each entry, transposed
    B: Array  # the linear part of l, transposed
    newton: bool  # whether X has so few columns that Newton steps have a loop, too

    @cached_property
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
        The time of the call. A short one does not wait for the code to be loaded, if no other call
        has loaded it, and none with an end for it to be compiled.
    """
    chosen = process_choice() if wanted is None else wanted
    way = loop(problem) if chosen else None
    if way is not None and not has_numba():
        raise ValueError(f"Compiled loops were asked for, but numba is not installed; {INSTALL}, or pass compiled=False.")
    return way if seconds == inf or is_loaded() or (seconds >= _LOADING and is_kept()) else None


@cache
def process_choice() -> bool:
    """Whether this process uses the compiled loop where nothing else is asked for. It chooses once:
    as the environment variable ORTHOPROX_COMPILED says, 0 or 1, or else if the code is kept.
    """
    told = os.environ.get("ORTHOPROX_COMPILED", "")
    if told not in ("", "0", "1"):
        raise ValueError(f"The environment variable ORTHOPROX_COMPILED is {short(told)}; it needs 0, 1 or nothing.")
    return told == "1" if told else has_numba() and is_kept()


def is_loaded() -> bool:
    """Whether this process has loaded the loops."""
    return "orthoprox._adaptive.walk" in sys.modules and "orthoprox.solvers._shared.newton_loop" in sys.modules


def has_numba() -> bool:
    """Whether numba is installed; it is not imported."""
    return sys.modules["numba"] is not None if "numba" in sys.modules else find_spec("numba") is not None


class Walks(Stack):
    """First-order runs one after the other, each with the iterates that ``FirstOrder.step`` makes,
    to rounding.
    """

    def advance(self, phase: FirstOrder, problem: Problem, iterations: int, tol: float) -> None:
        """Advance all runs by so many iterations; one whose residual is at most ``tol``, or whose
        step rules have all stagnated, ends before.
        """
        from orthoprox._adaptive import walk

        way, k = problem.loop, phase.settings
        chunk, places = max(1, int(SMALL.chunk / way.flops)), NUMBERS + MONITOR
        constants = tuple(float(getattr(k, name)) for name in walk.CONSTANTS)
        matrices, numbers = _transposed(self.now), np.stack([self.now[name] for name in places], axis=1)
        room = way.mu, way.B, np.empty_like(way.mu), np.empty_like(self.now["Y"][0])
        try:
            for i in range(len(self)):
                left, reason = iterations, walk.GOING
                while left and reason != walk.ENDED:
                    problem.heed()
                    memory = *(float(getattr(self.memories[i], name)) for name in walk.MEMORY), tol
                    arrays, settings = (*(M[i] for M in matrices), *room), (constants, memory, k.margins, k.decays)
                    done, reason = walk.walk(way.rows, arrays, numbers[i], settings, min(chunk, left))
                    problem.count(gradients=done, proxes=done)
                    left -= done
                    if reason == walk.LOST:
                        held = {name: M[i].T for name, M in zip(MATRICES, matrices, strict=True)}
                        run = Iterate.of(held, dict(zip(places, numbers[i], strict=True)), self.memories[i])
                        run = phase.restarted(problem, run)
                        self.memories[i] = run.memory
                        for name, M in zip(MATRICES, matrices, strict=True):
                            M[i] = getattr(run, name).T
                        numbers[i] = [getattr(run.monitor if name in MONITOR else run, name) for name in places]
        finally:
            fields = zip(MATRICES, (np.array(np.swapaxes(M, 1, 2), order="C") for M in matrices), strict=True)
            self.now = dict(fields) | dict(zip(places, numbers.T.copy(), strict=True))


def _transposed(now: dict[str, Array]) -> list[Array]:
    """Return the matrices of a stack as the loop works on them."""
    return [np.array(np.swapaxes(now[name], 1, 2), order="C") for name in MATRICES]
