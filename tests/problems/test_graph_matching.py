"""Graph matching."""

import numpy as np

import orthoprox as op

RNG = np.random.default_rng(0)


def test_graph_matching_prefers_the_true_matching():
    """Against itself, a point set is best matched by the identity among permutations."""
    points = op.datasets.synthetic_house(1, noise=0)[0]
    problem = op.problems.graph_matching(points, points, 2.0)
    n = len(points)
    truth = problem.value(np.eye(n))
    assert all(truth < problem.value(np.eye(n)[RNG.permutation(n)]) for _ in range(20))


def test_graph_matching_of_different_sizes():
    """Fewer points on the second side: X has as many rows as the first has points."""
    points = op.datasets.synthetic_house(2)
    assert op.problems.graph_matching(points[0], points[1][:20], 2.0).shape == (30, 20)
