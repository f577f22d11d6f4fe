"""The affinity of two graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, SHAPE, M, N, graph, normal
from orthoprox.smooth import Matching


def affinity_matrix(edges1, edges2, affinity, m, n):
    """K, entry by entry: (i, a), (j, b) -> affinity of the edges {i, j} and {a, b}, in every
    orientation.
    """
    K = np.zeros((m, n, m, n))
    for e, (i, j) in enumerate(edges1):
        for f, (a, b) in enumerate(edges2):
            for (s, t), (u, v) in (((i, j), (a, b)), ((i, j), (b, a)), ((j, i), (a, b)), ((j, i), (b, a))):
                K[s, u, t, v] += affinity[e, f]
    return K.reshape(m * n, m * n)


GRAPHS = {"small": (4, 5, 3, 3), "middling": (7, 12, 5, 6)}  # nodes and edges of both graphs


def matching(name, mu):
    m, e1, n, e2 = GRAPHS[name]
    edges1, edges2 = graph(1, m, e1), graph(2, n, e2)
    affinity = np.random.default_rng(3).random((e1, e2))
    return Matching(edges1, edges2, affinity, (m, n), mu), affinity_matrix(edges1, edges2, affinity, m, n)


@pytest.mark.parametrize("name", GRAPHS)
@given(seed=SEEDS, mu=st.floats(0.0, 5.0))
@EXAMPLES
def test_matching_is_its_explicit_matrix(name, seed, mu):
    """l(X) = -vec(X)'K vec(X) + mu |max(0, -X)|^2 with K formed entry by entry."""
    ell, K = matching(name, mu)
    X = normal(seed, *ell.shape)
    x, negative = X.ravel(), np.minimum(X, 0)
    value = -x @ K @ x + mu * np.sum(negative**2)
    grad = -2 * (K @ x).reshape(X.shape) + 2 * mu * negative
    assert ell.value(X) == pytest.approx(value, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(ell.grad(X), grad, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("mu", [0.0, 2.0])
def test_lipschitz_of_matching_is_sharp(name, mu):
    """L is 2 |K|_2 + 2 mu to 2 %, and at least the norm of every second derivative -2K + 2 mu
    diag(x < 0).
    """
    ell, K = matching(name, mu)
    np.testing.assert_array_equal(K, K.T)
    true = 2 * np.linalg.norm(K, 2) + 2 * mu
    assert true <= ell.lipschitz <= 1.02 * true
    for seed in range(10):
        negative = normal(seed, len(K)) < 0
        assert np.linalg.norm(-2 * K + 2 * mu * np.diag(negative), 2) <= ell.lipschitz


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges1": [[0, 7]]}, "edges1"),
        ({"edges1": [[0.5, 1.0]]}, "edges1"),
        ({"edges2": np.zeros((0, 2), dtype=int)}, "edges2"),
        ({"affinity": np.ones((3, 9))}, "affinity"),
        ({"shape": (2, 7)}, "n = 7"),
        ({"mu": -1.0}, "mu"),
    ],
)
def test_wrong_graphs_are_refused(change, words):
    """A message names what does not fit."""
    given = {"edges1": graph(6, M, 9), "edges2": graph(7, N, 3), "affinity": np.ones((9, 3)), "shape": SHAPE, "mu": 1.0}
    with pytest.raises(ValueError, match=words):
        Matching(**(given | change))
