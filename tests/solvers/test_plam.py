"""The gradient that PLAM follows."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers import PLAM
from orthoprox.solvers._shared import augmented
from small_problems import ELL, SMOOTH, X0, A, B, run

LAGRANGIANS = {"L1": L1(0.3), "L1 bounded": L1(0.3, bound=0.4), "L21": L21(0.5), "Zero": Zero()}


def lagrangian(name, s=2.0):
    """The augmented Lagrangian of a problem with a linear part, at a multiplier that is as large as the gradient."""
    return augmented.Lagrangian(op.Problem(ELL, LAGRANGIANS[name], (20, 3)), 0.2 * normal(5, 20, 3), s)


def test_plam_follows_the_gradient_of_the_augmented_lagrangian():
    """With Lam frozen, V is the gradient of  l(X) - <Lam, X'X - I>/2 + b/4 |X'X - I|^2,  and a fixed step follows -V."""
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
