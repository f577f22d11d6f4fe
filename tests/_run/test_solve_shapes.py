"""Shapes and data at the border."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox import nonsmooth, problems, smooth, stopping
from refusals import M, N


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (4, 1), (4, 3), (20, 20)])
def test_shapes_at_the_border(m, n):
    data = np.random.default_rng(1).standard_normal((8, m))
    terms = [nonsmooth.L21(0.1), nonsmooth.MCP(0.1), nonsmooth.SCAD(0.1), nonsmooth.Nonnegative(), nonsmooth.Box(-1, 1)]
    runs = [problems.sparse_pca(data, n, 0.1), problems.quadratic(data.T @ data, np.ones((m, n)), 0.1)]
    runs += [problems.compressed_modes(m, n, 0.1)] if m >= 3 else []
    runs += [op.Problem(smooth.Variance(data), g, (m, n)) for g in [*terms, nonsmooth.Zero()]]
    for problem in runs:
        result = op.solve(problem, op.LSALM(), op.stiefel.random_point(m, n), stop=stopping.MaxIterations(3))
        assert result.X.shape == (m, n)
        assert np.isfinite(result.certificate.upper)


def test_zero_data():
    for problem in (
        problems.sparse_pca(np.zeros((9, M)), N, 0.1),
        problems.quadratic(sp.csr_array((20, 20)), np.zeros((20, 2)), 0),
    ):
        assert np.isfinite(op.solve(problem, op.LSALM(), op.stiefel.random_point(*problem.shape)).objective)
