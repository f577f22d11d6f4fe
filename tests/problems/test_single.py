"""The same problem in single precision."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox.problems.problem import counted
from orthoprox.problems.single import in_single, with_single_curvature
from orthoprox.problems.work import Work
from wide_problems import MU, PLANTED, TRUTH, A, N


def test_its_gradient_is_the_same_to_single_precision_and_is_counted():
    work = Work()
    single = in_single(counted(PLANTED, work))
    D = single.grad(TRUTH.astype(np.float32))
    assert D.dtype == np.float32
    np.testing.assert_allclose(D, PLANTED.grad(TRUTH), atol=1e-5 * np.max(np.abs(D)))
    assert work.gradients == 1
    assert PLANTED.smooth.A.dtype == np.float64


@pytest.mark.parametrize(
    "A", [sp.csr_array(A), 1e12 * A, 1e-12 * A, A.astype(np.float32)], ids=["sparse", "large", "tiny", "single"]
)
def test_other_data_and_such_of_extreme_size_stay_as_they_are(A):
    problem = op.problems.sparse_pca(A, N, MU)
    assert in_single(problem) is problem


def test_the_curvature_alone_may_be_of_single_precision():
    work = Work()
    problem = counted(PLANTED, work)
    mixed = with_single_curvature(problem, in_single(problem))
    V = mixed.smooth.second_derivative(TRUTH)
    exact = PLANTED.smooth.second_derivative(TRUTH)
    assert V.dtype == np.float64
    assert 0 < np.max(np.abs(V - exact)) <= 1e-5 * np.max(np.abs(exact))
    assert np.array_equal(mixed.grad(TRUTH), PLANTED.grad(TRUTH))
    assert np.array_equal(problem.smooth.second_derivative(TRUTH), exact)
    assert (work.gradients, work.values) == (3, 0)
