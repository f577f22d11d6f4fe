"""Quadratics with an l1 penalty."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel

X = stiefel.random_point(12, 3, 5)


def test_quadratic():
    """tr(X'AX)/2 + tr(B'X) + mu |X|_1."""
    A, B = op.datasets.random_quadratic(12, 3, seed=1)
    expected = np.trace(X.T @ A @ X) / 2 + np.trace(B.T @ X) + 0.4 * np.abs(X).sum()
    assert op.problems.quadratic(A, B, 0.4).value(X) == pytest.approx(expected)
