"""Moves between supports."""

import itertools

import numpy as np
import pytest

from orthoprox.estimators.quota import Quota
from orthoprox.estimators.support import clean, exchange, grow, on_support, prune


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((2 * m, m))
    return B.T @ B / (2 * m)


def test_clean_drops_the_smaller_entry_of_the_only_shared_row():
    X = np.array([[0.9, 0.1], [0.4, 0.0], [0.0, 0.9]])
    assert clean(X, X != 0).tolist() == [[True, False], [True, False], [False, True]]


def test_clean_keeps_a_column_of_one_entry():
    X = np.array([[0.9, 0.1], [0.4, 0.0]])
    assert clean(X, X != 0).tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize("k", range(2, 13))
def test_prune_reaches_every_number_of_nonzeros(k):
    C, quota = covariance(6, 0), Quota(k)
    X = np.linalg.eigh(C)[1][:, -2:]
    face, Y = prune(C, X, quota)
    assert quota.met(face.mask)
    assert np.count_nonzero(Y) == k
    assert np.max(np.abs(Y.T @ Y - np.eye(2))) <= 1e-12


def test_prune_keeps_the_numbers_of_each_column():
    C = covariance(8, 1)
    quota = Quota(6, np.array([4, 2]))
    face, _ = prune(C, np.linalg.eigh(C)[1][:, -2:], quota)
    assert list(np.sum(face.mask, axis=0)) == [4, 2]


def test_grow_adds_what_is_missing():
    C, quota = covariance(8, 2), Quota(7)
    face, X = grow(C, np.eye(8)[:, :2], quota)
    assert quota.met(face.mask)
    assert face.value(X) > np.sum(np.diag(C)[:2])


@pytest.mark.parametrize("seed", range(3))
def test_exchange_finds_the_best_support_of_one_component(seed):
    """Against all supports of 3 of 8 variables."""
    C, quota = covariance(8, seed), Quota(3)
    best = max(np.linalg.eigvalsh(C[np.ix_(rows, rows)])[-1] for rows in itertools.combinations(range(8), 3))
    _, X = prune(C, np.linalg.eigh(C)[1][:, -1:], quota)
    Y = exchange(C, X, quota, 30)
    assert np.count_nonzero(Y) == 3
    assert np.sum(X * (C @ X)) - 1e-12 <= np.sum(Y * (C @ Y)) <= best + 1e-12
    assert np.sum(Y * (C @ Y)) >= 0.99 * best


def test_a_support_with_an_empty_column_has_no_point():
    mask = np.ones((4, 2), dtype=bool)
    mask[:, 1] = False
    assert on_support(covariance(4, 0), np.eye(4)[:, :2], mask) is None
