"""The start from principal components."""

import numpy as np

import orthoprox as op
from cases import normal, symmetric
from orthoprox.nonsmooth import L1, Zero
from orthoprox.smooth import Quadratic, Variance
from orthoprox.starts import pca


def test_pca_is_near_the_principal_components():
    """With a clear gap the subspace is that of the largest eigenvectors, but for the jitter of a
    tenth.
    """
    A = normal(0, 50, 12) * np.array([9.0, 8, 7, *[1.0] * 9])
    X = pca(op.Problem(Variance(A), L1(0.1), (12, 3)), np.random.default_rng(0))
    V = np.linalg.eigh(A.T @ A)[1][:, -3:]
    assert np.linalg.norm(V.T @ X, 2) <= 1 + 1e-12
    assert np.linalg.svd(V.T @ X)[1].min() > 0.97
    assert np.linalg.norm(np.abs(V[:, ::-1].T @ X) - np.eye(3)) < 0.4  # the eigenvectors themselves, not a rotation


def test_pca_goes_down_where_the_power_method_would_not():
    """For a convex quadratic with a linear part, the minimiser of l on the manifold is near."""
    C = symmetric(1, 8)
    ell = Quadratic(C @ C + np.eye(8), 5 * normal(2, 8, 2))
    X = pca(op.Problem(ell, L1(0.1), (8, 2)), np.random.default_rng(0))
    best = op.minimize(op.Problem(ell, Zero(), (8, 2)), "random").objective
    start = float(ell.value(op.stiefel.random_point(8, 2, seed=0)))
    assert float(ell.value(X)) < best + 0.2 * (start - best)
