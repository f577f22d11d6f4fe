"""Many supports at once do what one at a time does."""

import numpy as np
import pytest

from orthoprox.estimators.face import Face
from orthoprox.estimators.faces import Faces


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((3 * m, m))
    return B.T @ B / (3 * m)


MASKS = np.array(
    [
        [[1, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 1]],
        [[1, 0], [1, 0], [1, 0], [0, 1], [1, 1], [1, 1]],
        [[1, 1], [1, 1], [1, 1], [1, 1], [0, 0], [0, 0]],
    ],
    dtype=bool,
)


@pytest.mark.parametrize("seed", range(3))
def test_the_refit_of_many_is_that_of_each(seed):
    C = covariance(6, seed)
    start = np.linalg.eigh(C)[1][:, -2:]
    points, values = Faces(C, MASKS).refit(start, 30)
    for mask, X, value in zip(MASKS, points, values, strict=True):
        face = Face(C, mask)
        assert np.max(np.abs(X.T @ X - np.eye(2))) <= 1e-9
        assert not np.any(X[~mask])
        assert value == pytest.approx(face.value(face.refit(start)), rel=1e-6)


def test_a_support_without_an_orthonormal_point_has_no_value():
    """Three columns cannot be orthonormal in two rows."""
    masks = np.zeros((2, 6, 3), dtype=bool)
    masks[0, :2] = True
    masks[1, [0, 1], 0] = masks[1, [2, 3], 1] = masks[1, [4, 5], 2] = True
    _, values = Faces(covariance(6, 0), masks).refit(np.linalg.eigh(covariance(6, 0))[1][:, -3:], 3)
    assert values[0] == -np.inf
    assert np.isfinite(values[1])
