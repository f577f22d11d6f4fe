"""fit_covariance, and the pit props."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

import orthoprox as op
from orthoprox import SparsePCA

A = load_wine().data
C = np.cov(A, rowvar=False)
PITPROPS = op.datasets.pitprops().correlation


def test_a_covariance_matrix_gives_what_its_data_give():
    data = SparsePCA(3, n_nonzero=12).fit(A)
    matrix = SparsePCA(3, n_nonzero=12).fit_covariance(C, n_samples=len(A))
    np.testing.assert_allclose(matrix.components_, data.components_, atol=1e-9)
    np.testing.assert_allclose(matrix.explained_variance_, data.explained_variance_, rtol=1e-9)
    assert matrix.n_samples_seen_ == len(A)


def test_scale_makes_a_covariance_matrix_a_correlation_matrix():
    scaled = SparsePCA(3, n_nonzero=12, scale=True).fit_covariance(C)
    np.testing.assert_allclose(scaled.components_, SparsePCA(3, n_nonzero=12, scale=True).fit(A).components_, atol=1e-9)
    np.testing.assert_allclose(scaled.scale_, A.std(0, ddof=1))


def test_pit_props_by_the_adjusted_criterion():
    """At most 18 nonzeros explain at least the 75.8 % adjusted variance of Zou et al."""
    fitted = SparsePCA(6, n_nonzero=18, criterion="adjusted").fit_covariance(PITPROPS, n_samples=180)
    assert fitted.n_nonzero_.sum() <= 18
    assert fitted.adjusted_variance_.sum() / 13 >= 0.758


@pytest.mark.parametrize(("k", "best"), [(4, 3.836), (6, 4.819478), (8, 5.652959), (10, 5.956994)])
def test_pit_props_reach_the_best_disjoint_supports(k, best):
    """Enumeration of all pairs of disjoint supports gives these variances of two components."""
    fitted = SparsePCA(2, n_nonzero=k).fit_covariance(PITPROPS)
    assert fitted.explained_variance_.sum() >= best


@pytest.mark.parametrize("m", [1, 4])
def test_variables_that_do_not_vary_together_stay_single(m):
    fitted = SparsePCA(alpha=0.1).fit_covariance(np.diag(np.arange(1.0, m + 1)))
    np.testing.assert_array_equal(fitted.components_, np.eye(m)[::-1])


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones((2, 3)), "as many rows as columns"),
        (np.array([[1.0, 0.5], [0.1, 1.0]]), "not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "negative eigenvalue"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "NaN"),
    ],
)
def test_what_is_no_covariance_matrix_is_refused(matrix, words):
    with pytest.raises(ValueError, match=words):
        SparsePCA(1).fit_covariance(matrix)
