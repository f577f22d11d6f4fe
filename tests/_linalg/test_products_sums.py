"""Sums in one pass: the same numbers as the plain expressions."""

import numpy as np
import pytest

from cases import normal
from orthoprox._linalg import products

M, N = 240, 120


@pytest.fixture(params=["numba", "scipy"], autouse=True)
def way(request, monkeypatch):
    """Both ways to multiply: by compiled loops, and by scipy where numba is not installed."""
    if request.param == "scipy":
        monkeypatch.setattr(products, "compiled", lambda: None)
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(7, 3), (M, N)])
def test_sums_in_one_pass(shape, dtype):
    A, B, C, D, E, F = (normal(k, *shape).astype(dtype) for k in range(6))
    tight = {"rtol": 100 * np.finfo(dtype).eps, "atol": 20 * np.finfo(dtype).eps}
    total = products.lincomb((2.0, A), (-0.5, B), (1.0, C), (3.0, D), (0.1, E))
    assert total.dtype == dtype
    np.testing.assert_allclose(total, 2 * A - B / 2 + C + 3 * D + dtype(0.1) * E, **tight)
    np.testing.assert_allclose(products.lincomb((2.0, A), (-0.5, B)), 2 * A - B / 2, **tight)
    assert products.restart_test(A, B, C) == pytest.approx((np.linalg.norm(A - B), np.sum((B - A) * (A - C))), rel=1e-4)
    expected = (np.linalg.norm(A - B), np.linalg.norm(C - D + 2 * (E - F)))
    assert products.secant_norms((A, B), (C, D), (E, F)) == pytest.approx(expected, rel=1e-4)
