"""Rotations of principal components as starts."""

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox.starts.points import rotations


@pytest.mark.parametrize(("mu", "many"), [(1e-4, 4), (20.0, 1)], ids=["weak", "strong"])
def test_under_a_weak_penalty_rotations_are_the_lowest_of_more(monkeypatch, mu, many):
    """Four times as many begin, and half of them go after each width; V is the first of all."""
    problem, seen, prox = gaussian_pca(m=12, n=3, mu=mu), [], op.nonsmooth.L1.prox
    monkeypatch.setattr(op.nonsmooth.L1, "prox", lambda self, X, t: seen.append(X.shape) or prox(self, X, t))
    points = list(rotations(problem, np.random.default_rng(0), 4))
    assert len(points) == 1 + 4
    for X in points:
        np.testing.assert_allclose(X.T @ X, np.eye(3), atol=1e-12)
    stacks = [shape[0] for shape in seen if len(shape) == 3 and shape[0] > 2]  # a stack of two shows what the terms take
    assert stacks[0] == many * 4
    assert stacks[-1] == 4
    assert stacks == sorted(stacks, reverse=True)
