"""The columns of PCAL."""

import numpy as np

from orthoprox.solvers import PCAL
from small_problems import SMOOTH, X0, run


def test_pcal_keeps_its_columns_at_norm_one():
    """Columns have norm 1, and the direction is orthogonal to each of them."""
    for state in run(PCAL(), SMOOTH, X0, 30):
        np.testing.assert_allclose(np.linalg.norm(state.X, axis=0), 1, rtol=1e-13)
        np.testing.assert_allclose(np.sum(state.X * state.V, axis=0), 0, atol=1e-12)
