"""Ready-made problems evaluate to the formula in their docstring."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox._linalg.stiefel import random_point

RNG = np.random.default_rng(0)
X = random_point(12, 3, 5)


def test_sparse_pca():
    """-|AX|^2 + mu |X|_1."""
    A = RNG.standard_normal((7, 12))
    expected = -(np.linalg.norm(A @ X) ** 2) + 0.7 * np.abs(X).sum()
    assert op.problems.sparse_pca(A, 3, 0.7).value(X) == pytest.approx(expected)
    assert op.problems.sparse_pca(sp.csr_array(A), 3, 0.7).value(X) == pytest.approx(expected)


def test_quadratic():
    """tr(X'AX)/2 + tr(B'X) + mu |X|_1."""
    A, B = op.datasets.random_quadratic(12, 3, seed=1)
    expected = np.trace(X.T @ A @ X) / 2 + np.trace(B.T @ X) + 0.4 * np.abs(X).sum()
    assert op.problems.quadratic(A, B, 0.4).value(X) == pytest.approx(expected)


@pytest.mark.parametrize("m", [3, 4, 12])
def test_compressed_modes(m):
    """tr(X'HX) + mu |X|_1 with H the circulant second difference over 2 dx^2."""
    n = min(3, m)
    dx = 50 / m
    H = 2 * np.eye(m) - np.roll(np.eye(m), 1, axis=0) - np.roll(np.eye(m), -1, axis=0)
    H /= 2 * dx**2
    P = random_point(m, n, 5)
    expected = np.trace(P.T @ H @ P) + 0.1 * np.abs(P).sum()
    problem = op.problems.compressed_modes(m, n, 0.1)
    assert problem.value(P) == pytest.approx(expected)
    assert problem.smooth.lipschitz >= 2 * np.linalg.norm(H, 2)


def test_graph_matching_prefers_the_true_matching():
    """Against itself, a point set is best matched by the identity among permutations."""
    points = op.datasets.synthetic_house(1, noise=0)[0]
    problem = op.problems.graph_matching(points, points, 2.0)
    n = len(points)
    truth = problem.value(np.eye(n))
    assert all(truth < problem.value(np.eye(n)[RNG.permutation(n)]) for _ in range(20))


def test_graph_matching_of_different_sizes():
    """Fewer points on the second side: X has as many rows as the first has points."""
    points = op.datasets.synthetic_house(2)
    assert op.problems.graph_matching(points[0], points[1][:20], 2.0).shape == (30, 20)


def test_registry_names_every_problem():
    assert set(op.PROBLEMS) == {name for name in op.problems.__all__ if name != "PROBLEMS"}
    assert all(op.PROBLEMS[name] is getattr(op.problems, name) for name in op.PROBLEMS)
