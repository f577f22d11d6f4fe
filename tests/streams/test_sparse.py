"""The columns of a sparse matrix, and products with the centred matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases import normal
from orthoprox.streams.sparse import Centred, Columns, SparseColumns


def data(far):
    """Sparse columns, a full one with the given mean, and an empty one."""
    A = normal(0, 200, 6) * (np.random.default_rng(1).random((200, 6)) < 0.2)
    A[:, 2], A[:, 4] = far + normal(2, 200), 0.0
    A[7, 2] = 0.0 if far == 0 else A[7, 2]
    return A


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_the_parts_add_up_to_the_matrix(far):
    """A = 1 origin' + rest; the origin is 0 but in the column far from 0, where it is its mean."""
    A = data(far)
    columns = SparseColumns.of(sp.csr_array(A))
    np.testing.assert_array_equal(columns.origin != 0, (np.arange(6) == 2) & (far > 0))
    np.testing.assert_allclose(columns.origin + columns.rest.toarray(), A, rtol=1e-15)
    np.testing.assert_allclose(columns.mean, np.mean(A, axis=0), rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(columns.squares, 200 * np.var(A, axis=0), rtol=1e-15 * max(far, 1e3))
    assert columns.rest.nnz <= np.count_nonzero(A)


def test_a_far_column_with_a_zero_keeps_it():
    """A zero that is not stored is as far from the mean as the mean from 0."""
    A = np.full((2000, 2), 5.0) + 0.1 * normal(0, 2000, 2)
    A[3, 0] = 0.0
    columns = SparseColumns.of(sp.csr_array(A))
    assert np.all(columns.origin > 4)
    np.testing.assert_allclose(columns.rest.toarray()[3, 0], -columns.origin[0])


def test_a_centred_matrix_multiplies_as_the_dense_one():
    A, shift, X, V = data(3.0), normal(5, 6), normal(3, 6, 2), normal(4, 200, 2)
    centred, dense = Centred(sp.csr_array(A), shift), A - shift
    np.testing.assert_allclose(centred @ X, dense @ X, atol=1e-12)
    np.testing.assert_allclose(centred @ X[:, 0], dense @ X[:, 0], atol=1e-12)
    np.testing.assert_allclose(centred.T @ V, dense.T @ V, atol=1e-11)
    np.testing.assert_allclose(centred.T @ V[:, 0], dense.T @ V[:, 0], atol=1e-11)
    np.testing.assert_allclose(centred.gram(), dense.T @ dense, atol=1e-10)
    np.testing.assert_allclose((centred * 0.5) @ X, 0.5 * dense @ X, atol=1e-12)
    assert centred.shape == A.shape


@pytest.mark.parametrize("centred", [False, True])
def test_products_within_a_mask_are_those_of_the_dense_matrix(centred):
    """A'AX in the mask where X lives, also if a column has no entry there; 0 elsewhere."""
    A, shift = data(3.0), normal(5, 6) if centred else np.zeros(6)
    mask = np.zeros((6, 3), dtype=bool)
    mask[[0, 3, 5], [0, 0, 2]] = True
    X, dense = mask * normal(3, 6, 3), A - shift
    columns = Columns.of(Centred(sp.csr_array(A), shift) if centred else sp.csr_array(A))
    within = columns.within(mask)
    np.testing.assert_allclose(within.normal(X), mask * (dense.T @ (dense @ X)), atol=1e-11)
    assert within.operations == 12 * np.count_nonzero(A[:, [0, 3, 5]])


def test_a_mask_that_saves_little_work_is_not_worth_it():
    """A third of the work is the limit; what is not sparse has no such products."""
    A = np.ones((4, 6))
    few, many = np.arange(12).reshape(6, 2) < 4, np.arange(12).reshape(6, 2) < 5
    assert Columns.of(sp.csr_array(A)).within(few) is not None
    assert Columns.of(sp.csr_array(A)).within(many) is None
    assert Columns.of(A) is None
