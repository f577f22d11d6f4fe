"""Random starts."""

import numpy as np

import orthoprox as op
from cases import normal
from orthoprox.starts.points import random_direction


def test_random_columns_have_length_one():
    problem = op.problems.sparse_pca(normal(0, 30, 4000), 5, 0.5)
    np.testing.assert_allclose(np.linalg.norm(random_direction(problem, np.random.default_rng(0)), axis=0), 1, atol=0.05)
