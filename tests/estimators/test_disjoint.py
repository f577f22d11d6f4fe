"""Components that share no variable."""

import itertools

import numpy as np
import pytest

from orthoprox import SparsePCA
from orthoprox.estimators.disjoint import agglomerated, supports_of
from orthoprox.estimators.quota import Quota


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((2 * m, m))
    return B.T @ B / (2 * m)


def best_of_all(C, n, k, positive):
    """The largest sum of leading eigenvalues over all disjoint supports with k variables."""
    best = 0.0
    for owner in itertools.product(range(-1, n), repeat=len(C)):
        owner = np.array(owner)
        if np.sum(owner >= 0) != k or len(set(owner[owner >= 0])) < n:
            continue
        total = 0.0
        for j in range(n):
            values, vectors = np.linalg.eigh(C[np.ix_(owner == j, owner == j)])
            one_sign = np.all(vectors[:, -1] > 0) or np.all(vectors[:, -1] < 0)
            total += values[-1] if one_sign or not positive else -np.inf
        best = max(best, total)
    return best


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_moves_between_supports_find_good_ones_and_the_best_without_signs(seed, positive):
    C, quota, found = covariance(6, seed), Quota(4), []
    vectors = np.linalg.eigh(C)[1]
    starts = [supports_of(C, vectors[:, columns], positive=positive) for columns in ([-1, -2], [-1, -3], [-2, -3])]
    for supports in [*starts, agglomerated(C, 2, 4, positive=positive)]:
        supports.trim(quota)
        supports.climb(quota, 30)
        X = supports.components
        if positive and np.count_nonzero(X) < 4:
            continue  # no variable fits the signs of these
        assert np.count_nonzero(X) == 4
        np.testing.assert_allclose(X.T @ X, np.eye(2), atol=1e-12)
        assert not positive or np.min(X) >= 0
        found.append(np.sum(X * (C @ X)))
    best = best_of_all(C, 2, 4, positive)
    assert (0.98 if positive else 1 - 1e-9) * best <= max(found) <= best * (1 + 1e-9)


def test_agglomeration_joins_the_two_closest_pairs():
    """Two pairs beat the best triple with five variables in three components."""
    C = np.eye(6)
    for i, j, c in ((0, 1, 0.9), (2, 3, 0.8), (0, 4, 0.3), (1, 4, 0.3)):
        C[i, j] = C[j, i] = c
    supports = agglomerated(C, 3, 5)
    assert {frozenset(np.flatnonzero(column)) for column in supports.mask.T} > {frozenset({0, 1}), frozenset({2, 3})}
    assert np.sum(supports.mask) == 5


@pytest.mark.parametrize("k", [4, 9, 13])
def test_nonnegative_components_have_the_wanted_nonzeros(k):
    from sklearn.datasets import load_wine

    fitted = SparsePCA(4, n_nonzero=k, nonnegative=True, scale=True).fit(load_wine().data)
    X = fitted.components_
    assert fitted.n_nonzero_.sum() == k
    assert np.min(X) >= 0
    assert np.max(np.abs(X @ X.T - np.eye(4))) <= 1e-12
    assert np.max(np.count_nonzero(X, axis=0)) == 1
    assert fitted.result_.converged


def test_a_number_of_nonnegative_loadings_for_each_component():
    A = np.random.default_rng(0).standard_normal((40, 8))
    assert list(SparsePCA(3, n_nonzero=[1, 3, 2], nonnegative=True).fit(A + A[:, :1]).n_nonzero_) == [1, 3, 2]


def test_more_nonnegative_loadings_than_variables_are_refused():
    with pytest.raises(ValueError, match="share no variable, ask for at most 5"):
        SparsePCA(2, n_nonzero=6, nonnegative=True).fit(np.random.default_rng(0).standard_normal((20, 5)))


def test_nonnegative_loadings_that_cannot_be_are_told():
    """Two opposite variables have no common component >= 0."""
    x = np.random.default_rng(0).standard_normal(30)
    with pytest.warns(UserWarning, match="1 nonzeros were found"):
        fitted = SparsePCA(1, n_nonzero=2, nonnegative=True).fit(np.stack([x, -1.1 * x], axis=1))
    np.testing.assert_allclose(np.abs(fitted.components_), [[0, 1]], atol=1e-12)


def test_a_path_of_nonnegative_loadings_goes_down_from_the_number_of_variables():
    A = np.abs(np.random.default_rng(1).standard_normal((40, 6))) @ (np.eye(6) + 0.5)
    path = SparsePCA(2, nonnegative=True).path(A)
    assert path.n_nonzeros.tolist() == [6, 5, 4, 3, 2]
    assert np.all(np.diff(path.explained_variance_ratio) < 0)
    with pytest.raises(ValueError, match="ask for at most 6"):
        SparsePCA(2, nonnegative=True).path(A, [7])
