"""Quadratics with an l1 norm."""

from typing import Any

from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem
from orthoprox.smooth.quadratic import Quadratic


def quadratic(A: Any, B: Any, mu: Any) -> Problem:
    """Return the problem  min tr(X'AX)/2 + tr(B'X) + mu |X|_1  subject to  X'X = I_n.

    Parameters
    ----------
    A : array, scipy.sparse matrix or LinearOperator, shape (m, m)
        Symmetric.
    B : array of shape (m, n)
    mu : float or array of shape (m, n)
        The weight of the l1 norm, nonnegative.
    """
    penalty, smooth = L1(mu), Quadratic(A, B)
    if smooth.B is None:
        raise TypeError("B is None; it needs an array of shape (m, n), zeros if there is no linear part.")
    m, n = smooth.B.shape[-2:]
    return Problem(smooth, penalty, (m, n))
