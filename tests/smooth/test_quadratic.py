"""Quadratics: the formula, Lipschitz constants and moduli, however A is stored."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from scipy.sparse.linalg import aslinearoperator

from cases import EXAMPLES, SEEDS, normal, symmetric
from orthoprox.smooth import Quadratic, Variance
from stored import FORMATS

KINDS = FORMATS | {"float32": lambda A: A.astype(np.float32)}


@pytest.mark.parametrize("m", [5, 30])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
@EXAMPLES
def test_quadratic_is_its_formula(kind, m, seed):
    """l(X) = tr(X'AX)/2 + tr(B'X), grad l(X) = AX + B, and L is |A|_2 to 2 %, however A is
    stored.
    """
    A, B, X = np.round(8 * symmetric(seed, m)) / 8, normal(seed + 1, m, 2), normal(seed + 2, m, 2)
    ell = Quadratic(KINDS[kind](A), B)
    assert ell.value(X) == pytest.approx(np.trace(X.T @ A @ X) / 2 + np.trace(B.T @ X), rel=1e-11, abs=1e-11)
    np.testing.assert_allclose(ell.grad(X), A @ X + B, atol=1e-11)
    assert np.linalg.norm(A, 2) <= ell.lipschitz <= 1.02 * np.linalg.norm(A, 2)


@pytest.mark.parametrize("m", [5, 30])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, aslinearoperator])
def test_lipschitz_of_nothing_is_zero(kind, m):
    """A linear term, A = 0, has L = 0; so has the variance of data that are all zero."""
    A = np.zeros((m, m))
    assert Quadratic(kind(A), np.ones((m, 2))).lipschitz == 0
    assert Variance(kind(A)).lipschitz == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_quadratic_refuses_what_is_not_symmetric(kind):
    """tr(X'AX)/2 has the gradient AX only if A = A'."""
    A = symmetric(0, 5)
    A[0, 1] += 1e-6
    with pytest.raises(ValueError, match="not symmetric"):
        Quadratic(kind(A))
    with pytest.raises(ValueError, match="as many rows as columns"):
        Quadratic(kind(A[:3]))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("m", [3, 30])
@pytest.mark.parametrize("shift", [-5.0, 0.0, 50.0])
def test_modulus_of_a_quadratic(kind, m, shift):
    """The negative part of the smallest eigenvalue of A, however A is stored; 0 where l is
    convex.
    """
    A = symmetric(0, m) + shift * np.eye(m)
    assert Quadratic(FORMATS[kind](A)).modulus == pytest.approx(max(0.0, -np.linalg.eigvalsh(A)[0]), abs=1e-12)


def test_modulus_of_a_batch_serves_all_of_it():
    """A batch has one modulus, at least that of each of its matrices."""
    A = np.stack([symmetric(k, 5) for k in range(3)])
    assert Quadratic(A).modulus >= max(Quadratic(a).modulus for a in A)
