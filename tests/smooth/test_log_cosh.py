"""The log-cosh term beside its formula in extended precision."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from cases import normal

A, X = normal(0, 30, 5), normal(1, 5, 2)


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 30.0])
def test_the_value_has_all_its_digits_at_every_size(size):
    """-d^2 sum log cosh(AX / d), of small scores as of large ones."""
    scores = (size * A).astype(np.longdouble) @ X.astype(np.longdouble)
    t = scores / np.longdouble(0.7)
    exact = np.where(np.abs(t) < 0.1, np.log1p(2 * np.sinh(t / 2) ** 2), np.log(np.cosh(t)))
    for data in (size * A, sp.csr_array(size * A)):
        np.testing.assert_allclose(op.smooth.LogCosh(data, 0.7).value(X), float(-(0.7**2) * np.sum(exact)), rtol=1e-12)


def test_small_scores_count_as_variance_and_large_ones_by_their_size():
    few, many = op.smooth.LogCosh(1e-6 * A), op.smooth.LogCosh(1e6 * A)
    assert few.value(X) == pytest.approx(-np.sum((1e-6 * A @ X) ** 2) / 2, rel=1e-9)
    assert many.value(X) == pytest.approx(-np.sum(np.abs(1e6 * A @ X)), rel=1e-5)
    assert np.isfinite(op.smooth.LogCosh(1e100 * A).value(X))


def test_factors_are_exact():
    ell = op.smooth.LogCosh(A, 1.3)
    for factor in (0.25, 16.0):
        assert ell.times(factor).value(X) == factor * ell.value(X)
        np.testing.assert_array_equal(ell.times(factor).grad(X), factor * ell.grad(X))
        assert ell.times(factor).lipschitz == pytest.approx(factor * ell.lipschitz)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((np.ones((2, 3, 4)),), TypeError, "it needs an array of two dimensions or a sparse matrix"),
        ((A, 0.0), ValueError, "delta = 0; it needs a finite number > 0"),
        ((A, 1e-200), ValueError, "delta = 1e-200; it needs a number between"),
        ((1e200 * A,), ValueError, "A'A overflows"),
    ],
)
def test_mistakes_are_named(given, error, message):
    with pytest.raises(error, match=message):
        op.smooth.LogCosh(*given)
