"""The covariance of wide data, through products with them: the same as the matrix."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from orthoprox.estimators.covariance import Formed, Products
from orthoprox.smooth.variance import Variance
from orthoprox.stopping.clock import Deadline

rng = np.random.default_rng(0)
A = np.where(rng.random((40, 600)) < 0.1, rng.standard_normal((40, 600)) + 1, 0.0)
A[0] = rng.standard_normal(600)  # no column is constant
KINDS = {"dense": A, "sparse": sp.csr_array(A), "operator": aslinearoperator(A)}


def pair(kind, center, scale):
    wide = Products(Variance(KINDS[kind], center=center, scale=scale), 39.0)
    B = A - A.mean(0) if center else A
    B = B / A.std(0, ddof=1) if scale else B
    return wide, Formed(B.T @ B / 39)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("center", "scale"), [(True, True), (True, False), (False, False)])
def test_products_are_those_of_the_matrix(kind, center, scale):
    wide, formed = pair(kind, center, scale)
    chosen = np.array([5, 599, 17])
    np.testing.assert_allclose(wide.variances, formed.variances, atol=1e-12)
    np.testing.assert_allclose(wide.rows(chosen), formed.rows(chosen), atol=1e-12)
    for penalty in ("l1", "l21"):
        np.testing.assert_allclose(wide.couplings(2, penalty), formed.couplings(2, penalty), rtol=1e-5)


def test_without_time_the_couplings_are_lower_bounds():
    wide, formed = pair("sparse", True, True)
    over = Deadline(1e-9)
    time.sleep(1e-3)
    cut, whole = wide.couplings(2, "l1", over), formed.couplings(2, "l1")
    assert 0 < cut[0] <= whole[0] + 1e-12
    assert 0 <= cut[1] <= whole[1] + 1e-12
    assert cut[1] < whole[1]


def test_pairs_that_cannot_be_the_largest_are_left_out(monkeypatch):
    """|C_ij|^2 <= C_ii C_jj: the first block of the variables with the largest variances is
    enough.
    """
    B = rng.standard_normal((40, 1500))
    B[:, 700:1000] *= 5
    B[:, 701] = B[:, 700] + 0.1 * B[:, 701]
    wide, formed, seen = Products(Variance(B), 39.0), Formed(B.T @ B / 39), []
    original = Products._largest_pair
    monkeypatch.setattr(
        Products, "_largest_pair", lambda self, left, coupling: seen.append(len(left)) or original(self, left, coupling)
    )
    np.testing.assert_allclose(wide.couplings(2, "l1"), formed.couplings(2, "l1"), rtol=1e-5)
    assert seen == [1500]
