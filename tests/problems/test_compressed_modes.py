"""Compressed modes."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import stiefel


@pytest.mark.parametrize("m", [3, 4, 12])
def test_compressed_modes(m):
    """tr(X'HX) + mu |X|_1 with H the circulant second difference over 2 dx^2."""
    n = min(3, m)
    dx = 50 / m
    H = 2 * np.eye(m) - np.roll(np.eye(m), 1, axis=0) - np.roll(np.eye(m), -1, axis=0)
    H /= 2 * dx**2
    P = stiefel.random_point(m, n, 5)
    expected = np.trace(P.T @ H @ P) + 0.1 * np.abs(P).sum()
    problem = op.problems.compressed_modes(m, n, 0.1)
    assert problem.value(P) == pytest.approx(expected)
    assert problem.smooth.lipschitz >= 2 * np.linalg.norm(H, 2)


@pytest.mark.parametrize("m", [3, 16, 17, 64, 501])
def test_lipschitz_of_compressed_modes(m):
    """The circulant matrix (-1, 2, -1) / dx^2 has the largest eigenvalue  (2 - 2 cos(2 pi [m/2] /
    m)) / dx^2.
    """
    problem = op.problems.compressed_modes(m, 2, 0.1)
    true = (2 - 2 * np.cos(2 * np.pi * (m // 2) / m)) / (50 / m) ** 2
    assert true <= problem.smooth.lipschitz <= 1.02 * true


def test_value_of_compressed_modes():
    """tr(X'HX) is the sum of (x_i+1 - x_i)^2 / (2 dx^2) around the circle."""
    problem, X = op.problems.compressed_modes(20, 3, 0.1), normal(0, 20, 3)
    energy = np.sum((np.roll(X, -1, axis=0) - X) ** 2) / (2 * (50 / 20) ** 2)
    assert problem.value(X) == pytest.approx(energy + 0.1 * np.sum(np.abs(X)), rel=1e-12)
