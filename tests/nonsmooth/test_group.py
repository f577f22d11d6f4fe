"""The sum of the norms of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cases import EXAMPLES, NONSMOOTH, SEEDS, SHAPE, normal

STEPS = st.floats(0.01, 0.99)


@given(seed=SEEDS, t=STEPS, spread=st.sampled_from([0.2, 1.0]))
@EXAMPLES
def test_prox_of_a_row_is_found_by_search(seed, t, spread):
    """The rows of prox_tg for g = mu |.|_21 minimise  mu |p| + |p - x|^2 / 2t."""
    g, X = NONSMOOTH["L21"], spread * normal(seed, *SHAPE)
    P = g.prox(X, t)
    for x, p in zip(X[:2], P[:2], strict=True):

        def model(q, x=x):
            return g.mu * np.linalg.norm(q) + np.sum((q - x) ** 2) / (2 * t)

        found = minimize(model, x, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-13}).x
        assert model(p) <= model(found) + 1e-13
        np.testing.assert_allclose(p, found, atol=1e-4)
    assert g.value(X) == pytest.approx(0.6 * sum(np.linalg.norm(x) for x in X), rel=1e-13)
