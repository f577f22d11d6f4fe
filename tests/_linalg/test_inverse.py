"""Solving (A + cI) X = R, however A is stored."""

import numpy as np
import pytest

from cases import normal, symmetric
from orthoprox._linalg.inverse import shifted_inverse, shifted_inverses
from orthoprox.smooth import Quadratic
from stored import FORMATS


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shifted_inverse_keeps_the_precision(kind, dtype):
    """(A + cI) X = R in the dtype of the data."""
    A, R = (symmetric(0, 8) @ symmetric(0, 8)).astype(dtype), normal(1, 8, 2).astype(dtype)
    for X in (shifted_inverse(FORMATS[kind](A), 1.0)(R), shifted_inverses(FORMATS[kind](A))(1.0)(R)):
        assert X.dtype == dtype
        np.testing.assert_allclose(A @ X + X, R, atol=1e-2 if dtype is np.float32 else 1e-10)


def test_one_decomposition_serves_all_shifts(monkeypatch):
    """PAMAL changes its penalty in most iterations: for a dense A the eigenvalues are computed
    once.
    """
    calls, eigh = [], np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda A: calls.append(1) or eigh(A))
    family = Quadratic(symmetric(0, 6)).resolvents()
    R = normal(1, 6, 2)
    for c in (20.0, 30.0, 40.0):
        X = family(c)(R)
        np.testing.assert_allclose(symmetric(0, 6) @ X + c * X, R, atol=1e-12)
    assert len(calls) == 1
