"""The pit props: a correlation matrix with the spectrum that is published."""

import numpy as np

import orthoprox as op


def test_is_a_correlation_matrix_with_names():
    table = op.datasets.pitprops()
    assert table.correlation.shape == (13, 13)
    assert np.array_equal(table.correlation, table.correlation.T)
    assert np.array_equal(np.diag(table.correlation), np.ones(13))
    assert len(set(table.names)) == 13
    assert table.names[0] == "topdiam"
    assert table.names[-1] == "diaknot"


def test_its_first_six_components_explain_what_jeffers_found():
    """32.5, 18.3, 14.4, 8.5, 7.0 and 6.3 % of the variance."""
    values = np.linalg.eigvalsh(op.datasets.pitprops().correlation)[::-1]
    assert values[-1] > 0
    assert np.allclose(100 * values[:6] / 13, [32.5, 18.3, 14.4, 8.5, 7.0, 6.3], atol=0.06)


def test_the_factor_of_the_docstring_gives_the_correlations():
    C = op.datasets.pitprops().correlation
    problem = op.problems.sparse_pca(np.linalg.cholesky(C).T, 2, 0.0)
    X = op.stiefel.random_point(13, 2, seed=0)
    assert np.isclose(problem.value(X), -np.trace(X.T @ C @ X))
