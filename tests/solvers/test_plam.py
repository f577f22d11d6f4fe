"""The gradient that PLAM follows."""

from itertools import pairwise

import numpy as np
import pytest

from cases import normal
from orthoprox import stiefel
from orthoprox.solvers import PLAM
from small_problems import ELL, SMOOTH, X0, A, B, run


def test_plam_follows_the_gradient_of_the_augmented_lagrangian():
    """With Lam frozen, V is the gradient of  l(X) - <Lam, X'X - I>/2 + b/4 |X'X - I|^2,  and a
    fixed step follows -V.
    """
    b, tau, h = 0.7, 1e-3, 1e-5
    states = run(PLAM(penalty=b, step_size=tau), SMOOTH, X0, 50)
    for old, new in pairwise(states):
        np.testing.assert_array_equal(new.X, old.X - tau * old.V)
    X, V, Lam = states[-1].X, states[-1].V, states[-1].Lam
    np.testing.assert_allclose(Lam, stiefel.sym((A @ X + B).T @ X), atol=1e-14)

    def lagrangian(X):
        return ELL.value(X) - stiefel.inner(Lam, stiefel.defect(X)) / 2 + b / 4 * stiefel.norm(stiefel.defect(X)) ** 2

    for k in range(10):
        T = normal(k, 20, 3)
        slope = (lagrangian(X + h * T) - lagrangian(X - h * T)) / (2 * h)
        assert stiefel.inner(V, T) == pytest.approx(slope, abs=1e-7)
