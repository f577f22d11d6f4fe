"""The same problem in single precision, for searches: dense data are read in half the time."""

from typing import Any, cast

import numpy as np

from orthoprox.problems.problem import Problem, counted, uncounted

_LARGEST = 1e15  # of the squared lengths of features, and one over the least: single precision ends at 3e38


def with_single_curvature(problem: Problem, single: Problem) -> Problem:
    """Return a counted problem whose products with l'' are those of ``single``, the same problem in
    single precision: they tell directions, which need no more.
    """
    counting, curved = cast(Any, problem), cast(Any, single.smooth).second_derivative
    again = counted(problem, counting.work, counting.caller, loop=counting.loop)
    cast(Any, again.smooth).more["second_derivative"] = lambda V: curved(V.astype(np.float32)).astype(V.dtype)
    return again


def in_single(problem: Problem) -> Problem:
    """Return the problem with its dense data in single precision; its evaluations are counted where
    those of the problem are. Other data, and such of extreme size, stay as they are.
    """
    ell, g = uncounted(problem)
    if not isinstance(ell.A, np.ndarray) or ell.A.dtype != np.float64:
        return problem
    if not 1 / _LARGEST <= float(np.max(ell.squares)) <= _LARGEST:
        return problem
    part = Problem(ell.astype(np.float32), g, problem.shape)
    counting: Any = problem
    return part if not hasattr(problem, "work") else counted(part, counting.work, counting.caller)
