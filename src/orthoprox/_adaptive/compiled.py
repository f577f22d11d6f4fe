"""First-order runs by a compiled loop: which problems it takes, when it is used, and the runs.

``walk.py`` has the loop. numba is imported with it, at the first use and not with the library.
"""

import hashlib
import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS, Iterate
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox._arrays.words import short
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.smooth.variance import Variance

_LOADING = 2.0  # seconds, more than loading numba takes on a slow machine
_CODE = Path(__file__).with_name("walk.py")


@dataclass(frozen=True)
class Loop:
    """The data of the compiled loop for one problem."""

    rows: tuple[Array, Array, Array]  # of the Hessian of l: where they begin, columns and values
    mu: Array  # the weights of g, one for each entry, transposed
    B: Array  # the linear part of l, transposed

    @property
    def flops(self) -> float:
        """About the operations of an iteration."""
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
    return Loop(_rows(H), mu, B)


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


def use_compiled(problem: Problem, wanted: bool | None, seconds: float = inf) -> bool:
    """Whether first-order runs of the search go through the compiled loop.

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
    if not chosen or loop(problem) is None:
        return False
    if not has_numba():
        raise ValueError(f"Compiled loops were asked for, but numba is not installed; {INSTALL}, or pass compiled=False.")
    return seconds == inf or (seconds >= _LOADING and is_kept())


@cache
def process_choice() -> bool:
    """Whether this process uses the compiled loop where nothing else is asked for. It chooses once:
    as the environment variable ORTHOPROX_COMPILED says, 0 or 1, or else if the code is kept.
    """
    told = os.environ.get("ORTHOPROX_COMPILED", "")
    if told not in ("", "0", "1"):
        raise ValueError(f"The environment variable ORTHOPROX_COMPILED is {short(told)}; it needs 0, 1 or nothing.")
    return told == "1" if told else has_numba() and is_kept()


INSTALL = 'install it with pip install "orthoprox[fast]"'


def has_numba() -> bool:
    """Whether numba is installed; it is not imported."""
    return sys.modules["numba"] is not None if "numba" in sys.modules else find_spec("numba") is not None


def is_kept() -> bool:
    """Whether numba has kept the machine code of the loop on disk: its index names its own version
    and the source. Nothing is imported for this.
    """
    folder = f"{_CODE.parent.name}_{hashlib.sha1(str(_CODE.parent).encode()).hexdigest()}"
    chosen, user = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = [Path(chosen, folder)] if chosen else [_CODE.parent / "__pycache__", Path(user, "numba", folder)]
    files = f"{_CODE.stem}.walk-*.py{sys.version_info[0]}{sys.version_info[1]}*.nbi"
    try:
        release, source = version("numba").encode(), _CODE.read_bytes()
        stamps = hashlib.sha256(source).digest(), struct.pack(">d", _CODE.stat().st_mtime)  # of new and of older versions
        indexes = [file.read_bytes() for place in places for file in place.glob(files)]
        return any(release in index and any(stamp in index for stamp in stamps) for index in indexes)
    except (OSError, RuntimeError, PackageNotFoundError):  # RuntimeError: there is no home
        return False


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

        way = loop(problem)
        if way is None:
            raise TypeError(f"{problem} has no compiled loop.")
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
