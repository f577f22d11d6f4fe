"""The start from coordinate vectors."""

import numpy as np
import pytest
from scipy.linalg import qr

import orthoprox as op
from cases import normal, symmetric
from orthoprox.nonsmooth import L1
from orthoprox.smooth import Function, Variance
from orthoprox.starts import coordinates
from orthoprox.starts.points import _highest


def test_coordinates_are_those_of_a_pivoted_qr_factorisation():
    A = normal(0, 40, 15) @ np.diag(np.linspace(1, 3, 15)) @ (np.eye(15) + 0.3 * normal(1, 15, 15))
    X = coordinates(op.Problem(Variance(A), L1(0.1), (15, 6)), np.random.default_rng(0))
    assert set(np.unique(X)) == {0.0, 1.0}
    assert list(np.argmax(X, axis=0)) == list(qr(A, pivoting=True)[2][:6])


def test_coordinates_find_the_curvature_of_a_function_of_ones_own():
    A = normal(0, 40, 15)
    own = Function(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X))
    for n in (1, 4, 15):
        built_in = coordinates(op.Problem(Variance(A), L1(0.1), (15, n)), np.random.default_rng(0))
        np.testing.assert_array_equal(built_in, coordinates(op.Problem(own, L1(0.1), (15, n)), np.random.default_rng(0)))


def test_coordinates_need_a_finite_gradient():
    log = Function(lambda X: -np.sum(np.log(X**2)), lambda X: -2 / X)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="not finite at 0"):
        coordinates(op.Problem(log, L1(0.1), (6, 2)), np.random.default_rng(0))


@pytest.mark.parametrize("shift", [-20.0, 0.0, 20.0], ids=["negative", "indefinite", "positive"])
def test_the_highest_eigenvalue_or_zero(shift):
    C = symmetric(0, 12) + shift * np.eye(12)
    assert _highest(C) == pytest.approx(max(0.0, np.linalg.eigvalsh(C)[-1]))
