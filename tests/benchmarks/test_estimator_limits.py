"""Limits of what orthonormal components with a number of nonzeros explain."""

import numpy as np
import pytest
from benchmarks.estimator_limits import Limit
from benchmarks.support_lists import all_supports, best_of


@pytest.mark.parametrize("k", [3, 5, 6, 7, 9])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_support_is_above_the_limit(seed, k):
    """Beside all supports of a small table, refitted by Newton's method."""
    A = np.random.default_rng(seed).standard_normal((5, 8))
    C = A @ A.T
    best, _ = best_of(C, all_supports(5, 2, k))
    limit = Limit(C, 2)
    assert limit.bound(k, 0.0)[0] >= best * (1 - 1e-9)
    assert limit.bound(k, 0.9 * best)[0] >= best * (1 - 1e-9)


def test_disjoint_supports_are_bounded_by_the_best_partition():
    """With at most as many nonzeros as variables, and no correlation across two blocks, exactly."""
    C = np.zeros((6, 6))
    C[:3, :3] = C[3:, 3:] = 0.8
    C[np.arange(6), np.arange(6)] = 1.0
    assert Limit(C, 2).bound(6, 0.0)[0] == pytest.approx(2 * 2.6)


def test_one_nonzero_more_than_variables_leaves_a_variable_out():
    C = np.zeros((6, 6))
    C[:3, :3] = C[3:, 3:] = 0.8
    C[np.arange(6), np.arange(6)] = 1.0
    assert Limit(C, 2).bound(7, 0.0)[0] == pytest.approx(2.6 + 1.8)
