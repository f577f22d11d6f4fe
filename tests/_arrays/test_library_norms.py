"""The inner product and the norm of matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal
from orthoprox import stiefel

SHAPES = st.sampled_from([(1, 1), (5, 1), (5, 3), (4, 4), (30, 6)])


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_norm_and_inner_are_frobenius(seed, shape):
    """|X|^2 = <X, X> and <X, Y> = tr(X'Y)."""
    X, Y = normal(seed, *shape), normal(seed + 1, *shape)
    assert stiefel.norm(X) == pytest.approx(np.linalg.norm(X))
    assert stiefel.inner(X, Y) == pytest.approx(np.trace(X.T @ Y))
    assert stiefel.inner(X, X) == pytest.approx(stiefel.norm(X) ** 2)


@pytest.mark.parametrize(("dtype", "exponents"), [(np.float64, (-1000, -540, -300, 300, 540, 1000)), (np.float32, (-110, 110))])
def test_norms_neither_overflow_nor_underflow(dtype, exponents):
    """|2^k X| = 2^k |X|, to the last bit, also where the squares of the entries are no numbers any
    more.
    """
    X = normal(0, 6, 3).astype(dtype)
    for k in exponents:
        scale = dtype(2.0**k)
        with np.errstate(over="ignore"):
            assert stiefel.norm(scale * X) == scale * stiefel.norm(X)
        assert stiefel.norm(scale * X).dtype == dtype


@pytest.mark.parametrize(("entry", "expected"), [(0.0, 0.0), (np.inf, np.inf), (np.nan, np.nan)])
def test_norms_of_what_has_no_size(entry, expected):
    X = np.array([[1e200, entry], [0.0, 0.0]]) if entry != 0 else np.zeros((2, 2))
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_equal(float(stiefel.norm(X)), expected)
