"""Sparse principal components."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox import stiefel

RNG = np.random.default_rng(0)
X = stiefel.random_point(12, 3, 5)


def test_sparse_pca():
    """-|AX|^2 + mu |X|_1."""
    A = RNG.standard_normal((7, 12))
    expected = -(np.linalg.norm(A @ X) ** 2) + 0.7 * np.abs(X).sum()
    assert op.problems.sparse_pca(A, 3, 0.7).value(X) == pytest.approx(expected)
    assert op.problems.sparse_pca(sp.csr_array(A), 3, 0.7).value(X) == pytest.approx(expected)
