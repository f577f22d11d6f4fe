"""Sparse principal component analysis."""

from typing import Any

from orthoprox._arrays import inputs
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem
from orthoprox.smooth.variance import Variance


def sparse_pca(A: Any, n: int, mu: Any, *, center: Any = False, scale: Any = False) -> Problem:
    """Return the problem  min -|AX|_F^2 + mu |X|_1  subject to  X'X = I_n.

    Parameters
    ----------
    A : array, np.memmap, scipy.sparse matrix or LinearOperator, shape (p, m)
        The data, one row for each observation.
    n : int
        The number of components, at most m.
    mu : float or array of shape (m, n)
        The weight of the l1 norm: the larger, the sparser.
    center, scale : bool or array of shape (m,)
        What to subtract from the columns of A, and what to divide them by: True for their means, if
        the components should describe variance, and for their standard deviations; see
        ``orthoprox.smooth.Variance``.
    """
    penalty, variance = L1(mu), Variance(A, center=center, scale=scale)
    m = variance.A.shape[-1]
    return Problem(variance, penalty, (m, inputs.columns(n, m)))
