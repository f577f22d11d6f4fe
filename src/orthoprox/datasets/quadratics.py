"""Random quadratics with a known spectrum."""

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet


@quiet()
def random_quadratic(m: int, n: int, seed: int | np.random.Generator = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return A (m x m, symmetric) and B (m x n) of the paper's random quadratic problems.

    A = P diag(1.01^(1-i)) P' with P the orthogonal factor of a matrix of uniform numbers; the
    columns of B are uniform numbers scaled to the norms 1.01^(j-1).

    Reference: B. Gao, X. Liu and Y. Yuan, Parallelizable algorithms for optimization problems with
    orthogonality constraints, SIAM J. Sci. Comput. 41 (2019).
    """
    m = inputs.integer(m, "m")
    n = inputs.columns(n, m)
    rng = inputs.generator(seed)
    P, _ = np.linalg.qr(rng.random((m, m)))
    A = (P * 1.01 ** -np.arange(m)) @ P.T
    Q = rng.random((m, n))
    return (A + A.T) / 2, Q / np.linalg.norm(Q, axis=0) * 1.01 ** np.arange(n)
