"""Wide data of the benchmark: what is planted is there."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.wide.cases import KINDS, cases, settings
from benchmarks.wide.instances import cells, planted, words


def test_planted_factors_are_centred_and_their_features_vary_together():
    A, X = planted(0, 50, 400, 3, features=20, size=2.0, noise=0.5)
    np.testing.assert_allclose(A.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.T @ X, np.eye(3), atol=1e-12)
    assert np.all(np.count_nonzero(np.abs(X) > 1e-9, axis=0) == 20)
    assert np.all(np.sum((A @ X) ** 2, axis=0) > 10 * np.mean(np.sum(A**2, axis=0)))


def test_planted_x_has_the_strongest_factors_and_overlaps_as_told():
    A, X = planted(0, 30, 500, 2, features=20, overlap=0.5, factors=5, weakest=0.5)
    assert X.shape == (500, 2)
    assert A.shape == (30, 500)
    both = np.all(np.abs(X) > 1e-3, axis=1)
    assert np.count_nonzero(both) >= 10


@pytest.mark.parametrize("kind", [words, cells])
def test_counts_are_sparse_and_the_same_for_the_same_seed(kind):
    A, _ = kind(0, 300, 8000)
    assert sp.issparse(A)
    assert 0.005 < A.nnz / np.prod(A.shape) < 0.03
    assert np.all(A.data == np.round(A.data))
    assert (A != kind(0, 300, 8000)[0]).nnz == 0


def test_a_hundred_planted_instances_are_held_out():
    held, tuning = list(cases("heldout")), list(cases("tuning"))
    assert sum(case.kind == "planted" for case in held) == 100
    assert all(2000 <= case.seed < 2100 for case in held)
    assert all(case.seed < 10 for case in tuning)
    assert {case.kind for case in held} == set(KINDS)
    assert "real" not in {case.kind for case in tuning}
    assert len({case.name for case in (*held, *tuning)}) == len(held) + len(tuning)
    assert settings()["same"] == 1e-3
