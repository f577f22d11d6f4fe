"""The same problem in single precision."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox.problems.problem import counted
from orthoprox.problems.single import in_single
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
