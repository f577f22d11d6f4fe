"""The supports next to one."""

import itertools

import numpy as np
import pytest

from orthoprox.estimators.candidates import Candidates
from orthoprox.estimators.face import Face
from orthoprox.estimators.neighbours import climb, neighbours, valid
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.support import prune
from orthoprox.estimators.wanted import Wanted
from orthoprox.stopping.clock import Deadline


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((2 * m, m))
    return B.T @ B / (2 * m)


def pruned(C, n, k):
    return prune(C, np.linalg.eigh(C)[1][:, -n:], Quota(k))


def best_of_all(C, n, k):
    """The largest variance over all supports, refitted from three starts each."""
    m, best, rng = len(C), 0.0, np.random.default_rng(0)
    for places in itertools.combinations(range(m * n), k):
        mask = np.zeros(m * n, dtype=bool)
        mask[list(places)] = True
        mask = mask.reshape(m, n)
        if valid(mask[None])[0]:
            for _ in range(3):
                X = Face(C, mask).refit(np.where(mask, rng.standard_normal((m, n)), 0.0))
                best = best if X is None else max(best, np.sum(X * (C @ X)))
    return best


def test_two_columns_that_share_one_row_are_not_valid():
    masks = np.array([[[1, 1], [1, 0]], [[1, 1], [1, 1]], [[1, 0], [0, 1]], [[1, 0], [1, 0]]], dtype=bool)
    assert valid(masks).tolist() == [False, True, True, False]


@pytest.mark.parametrize("k", [7, 9, 12])
def test_neighbours_have_the_wanted_numbers_and_are_near(k):
    C = covariance(8, 1)
    face, X = pruned(C, 3, k)
    masks = neighbours(face, X, Quota(k), 20)
    assert 0 < len(masks) <= 20
    assert np.all(np.sum(masks, axis=(1, 2)) == k)
    assert np.all(valid(masks))
    assert set(np.sum(masks != face.mask, axis=(1, 2))) <= {2, 4}


def test_neighbours_keep_the_number_of_each_column():
    C, quota = covariance(8, 1), Quota(9, np.array([4, 5]))
    face, X = prune(C, np.linalg.eigh(C)[1][:, -2:], quota)
    assert all(list(np.sum(mask, axis=0)) == [4, 5] for mask in neighbours(face, X, quota, 20))


@pytest.mark.parametrize("seed", range(3))
def test_climbing_gains_and_keeps_the_number(seed):
    C = covariance(9, seed)
    _, X = pruned(C, 3, 11)
    Y = climb(C, X, Quota(11), 20)
    assert np.count_nonzero(Y) == 11
    assert np.max(np.abs(Y.T @ Y - np.eye(3))) <= 1e-12
    assert np.sum(Y * (C @ Y)) >= np.sum(X * (C @ X))


@pytest.mark.parametrize("k", [3, 5, 6])
def test_the_best_candidate_is_the_best_of_all_supports(k):
    """5 variables, two components; with 6 nonzeros one variable has to be left out."""
    C = covariance(5, 3)
    wanted = Wanted(2, quota=Quota(k))
    found = Candidates(C, iter(()), wanted, dense=True, deadline=Deadline()).best(Quota(k), "variance", positive=False)
    assert np.count_nonzero(found) == k
    assert np.sum(found * (C @ found)) == pytest.approx(best_of_all(C, 2, k), rel=1e-9)
