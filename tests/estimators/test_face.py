"""Orthonormal points with given zeros: Newton's method on them, what entries gain and cost."""

import numpy as np
import pytest

from orthoprox.estimators.face import Face


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((3 * m, m))
    return B.T @ B / (3 * m)


def start(mask, seed):
    return np.where(mask, np.random.default_rng(seed).standard_normal(mask.shape), 0.0)


MASK = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]], dtype=bool)


@pytest.mark.parametrize("seed", range(4))
def test_the_feasible_point_is_orthonormal_with_the_zeros_kept(seed):
    face = Face(covariance(7, seed), MASK)
    near = np.linalg.qr(np.random.default_rng(seed).standard_normal((7, 3)))[0]
    X = face.feasible(np.where(MASK, near, 0.0))
    if X is not None:
        assert np.max(np.abs(X.T @ X - np.eye(3))) <= 1e-13
        assert not np.any(X[~MASK])


@pytest.mark.parametrize("seed", range(4))
def test_the_refit_has_no_gradient_along_the_face(seed):
    """The residual CX - XL on the mask vanishes, and the reduced Hessian has no negative part."""
    face = Face(covariance(7, seed), MASK)
    X = face.refit(start(MASK, seed))
    residual, inverse, _ = face.kkt(X)
    assert np.max(np.abs(residual)) <= 1e-8 * face.unit
    assert np.min(np.linalg.eigvalsh((inverse + inverse.T) / 2)) >= -1e-6 / face.unit


def test_without_zeros_the_refit_explains_what_eigenvectors_do():
    C = covariance(6, 0)
    face = Face(C, np.ones((6, 2), dtype=bool))
    X = face.refit(start(face.mask, 1))
    assert face.value(X) == pytest.approx(np.sum(np.linalg.eigvalsh(C)[-2:]), rel=1e-10)


def test_on_disjoint_supports_the_refit_is_one_eigenvector_each():
    C = covariance(6, 2)
    mask = np.zeros((6, 2), dtype=bool)
    mask[:3, 0] = mask[3:, 1] = True
    X = Face(C, mask).refit(start(mask, 3))
    best = np.linalg.eigvalsh(C[:3, :3])[-1] + np.linalg.eigvalsh(C[3:, 3:])[-1]
    assert Face(C, mask).value(X) == pytest.approx(best, rel=1e-10)


def test_more_columns_than_rows_have_no_feasible_point():
    mask = np.zeros((5, 3), dtype=bool)
    mask[:2] = True
    assert Face(covariance(5, 0), mask).feasible(start(mask, 0)) is None


def test_losses_are_those_of_small_entries_to_second_order():
    """Setting a small entry to zero and refitting costs what was predicted."""
    C = np.diag([3.0, 2.0, 1.0, 0.5, 0.2])
    C[0, 2] = C[2, 0] = 0.02
    mask = np.zeros((5, 2), dtype=bool)
    mask[[0, 2], 0] = mask[[1, 3], 1] = True
    face = Face(C, mask)
    X = face.refit(start(mask, 0))
    losses = face.losses(X)
    entry = next(q for q in range(face.size) if (face.i[q], face.j[q]) == (2, 0))
    fewer = mask.copy()
    fewer[2, 0] = False
    lost = face.value(X) - Face(C, fewer).value(Face(C, fewer).refit(np.where(fewer, X, 0.0)))
    assert 2 * losses[entry] == pytest.approx(lost, rel=0.05)


def test_gains_are_those_of_small_new_entries_to_second_order():
    C = np.diag([3.0, 2.0, 1.0, 0.5, 0.2])
    C[0, 2] = C[2, 0] = 0.02
    mask = np.zeros((5, 2), dtype=bool)
    mask[0, 0] = mask[[1, 3], 1] = True
    face = Face(C, mask)
    X = face.refit(start(mask, 0))
    gains = face.gains(X)
    more = mask.copy()
    more[2, 0] = True
    gained = Face(C, more).value(Face(C, more).refit(X)) - face.value(X)
    assert 2 * gains[2, 0] == pytest.approx(gained, rel=0.05)
    assert face.alone[0, 1]  # two columns would share row 0 alone
    assert not face.alone[2, 0]
