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
