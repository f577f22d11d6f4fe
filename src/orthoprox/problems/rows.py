"""A problem on some rows of X, the others 0."""

from typing import Any

import numpy as np

from orthoprox._arrays.library import Array, is_array
from orthoprox.nonsmooth.base import HasSubdifferential
from orthoprox.problems.problem import Problem, counted, uncounted


def has_rows(problem: Problem) -> bool:
    """Whether both terms tell what they are on some rows of X, and g what holds a row at 0, for
    data of NumPy or SciPy. A subclass may be another function.
    """
    ell, g = uncounted(problem)
    told = all("at_rows" in vars(term.__class__) for term in (ell, g))
    return told and isinstance(g, HasSubdifferential) and (isinstance(ell.A, np.ndarray) or not is_array(ell.A))


def on_rows(problem: Problem, rows: Array, *columns: float) -> Problem | None:
    """Return the problem of the X that are 0 outside of these rows; its evaluations are counted
    where those of the problem are. None if it cannot be formed.

    ``columns`` is handed to a variance: the column products that are to come.
    """
    ell, g = uncounted(problem)
    few = ell.at_rows(rows, *columns)
    if few is None:
        return None
    part = Problem(few, g.at_rows(rows), (len(rows), problem.shape[1]))
    counting: Any = problem
    return part if not hasattr(problem, "work") else counted(part, counting.work, counting.caller)


def extended(X: Array, rows: Array, m: int) -> Array:
    """Return the matrix with m rows that is X in these rows and 0 in the others."""
    whole = np.zeros((m, X.shape[1]), X.dtype)
    whole[rows] = X
    return whole


def leaving(problem: Problem, X: Array, D: Array, slope: float = 1.0) -> Array:
    """Return the mask of the rows of X that are not 0, or would leave 0 if grad l = D were longer
    by ``slope``.

    In a zero row XY = 0, so that 0 in D + dg is the whole condition of stationarity.
    """
    held = problem.nonsmooth.min_norm_subgradient(np.zeros_like(X), slope * D)  # type: ignore[attr-defined]
    return np.any((X != 0) | (held != 0), axis=1)
