"""Compressed modes: localised solutions of a Schroedinger equation."""

from typing import Any

import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem
from orthoprox.smooth.quadratic import Quadratic

_LENGTH = 50.0


def compressed_modes(m: int, n: int, mu: Any) -> Problem:
    """Return the problem  min tr(X'HX) + mu |X|_1  subject to  X'X = I_n.

    H = -Laplacian/2 on the periodic interval [0, 50] with m grid points: the circulant matrix with
    rows (-1, 2, -1) / (2 dx^2), dx = 50 / m.

    Parameters
    ----------
    m : int
        The number of grid points, at least 3.
    n : int
        The number of modes.
    mu : float or array of shape (m, n)
        The weight of the l1 norm: the larger, the more localised the modes.

    References
    ----------
    V. Ozolins, R. Lai, R. Caflisch and S. Osher, Compressed modes for variational problems in
    mathematics and physics, PNAS 110 (2013).
    """
    m = inputs.integer(m, "m", minimum=3)
    n, penalty = inputs.columns(n, m), L1(mu)
    dx = _LENGTH / m
    # tr(X'HX) = tr(X'AX)/2 with A = 2H
    A = sp.diags_array([2.0, -1.0, -1.0, -1.0, -1.0], offsets=[0, 1, -1, m - 1, 1 - m], shape=(m, m)) / dx**2
    return Problem(Quadratic(A), penalty, (m, n))
