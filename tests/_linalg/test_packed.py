"""Matrices that are known by some of their entries: the same numbers as with whole matrices."""

import numpy as np
import pytest

from cases import normal, symmetric
from orthoprox._linalg import packed
from orthoprox._linalg.packed import PackedEntries

M, N = 30, 12
MASK = np.random.default_rng(0).random((M, N)) < 0.2
MASK[3], MASK[:, 5] = False, False  # an empty row and an empty column


@pytest.fixture(params=["numba", "numpy"], autouse=True)
def way(request, monkeypatch):
    """Both ways to multiply: by compiled loops, and by NumPy where numba is not installed."""
    if request.param == "numpy":
        monkeypatch.setattr(packed, "compiled", lambda: None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_entries_are_those_of_matrices(dtype):
    at, tight = PackedEntries(MASK), {"rtol": 100 * np.finfo(dtype).eps, "atol": 100 * np.finfo(dtype).eps}
    X, Y = (np.where(MASK, normal(k, M, N), 0).astype(dtype) for k in (1, 2))
    H, S = symmetric(3, M).astype(dtype), symmetric(4, N).astype(dtype)
    x, y = at.take(X), at.take(Y)
    np.testing.assert_array_equal(at.put(x), X)
    np.testing.assert_allclose(at.within_columns(H) @ x, at.take(H @ X), **tight)
    np.testing.assert_allclose(at.right(x, S[at.pairs].reshape(-1, 1)), at.take(X @ S), **tight)
    cross = np.zeros((N, N), dtype)
    cross[at.pairs] = at.cross(x, y)[:, 0]
    np.testing.assert_allclose(cross, X.T @ Y, **tight)
    assert {at.right(x, S[at.pairs].reshape(-1, 1)).dtype, at.cross(x, y).dtype, at.put(x).dtype} == {np.dtype(dtype)}


def test_overlaps_are_counted():
    at, counts = PackedEntries(MASK), MASK.astype(int)
    assert at.overlaps == (np.sum(counts.sum(axis=1) ** 2), np.sum(counts.sum(axis=0) ** 2))
    assert at.within_columns(symmetric(0, M)).nnz == at.overlaps[1]
    assert len(at) == np.sum(MASK)


def test_what_broadcasts_is_taken_as_the_matrix_that_it_stands_for():
    at = PackedEntries(MASK)
    assert at.take(0.5) == 0.5
    for part in (normal(0, N), normal(0, 1, N), normal(0, M, 1), normal(0, M, N)):
        np.testing.assert_array_equal(at.take(part), at.take(np.broadcast_to(part, (M, N)).copy()))


def test_the_matrix_of_both_products():
    """HX + XS as one matrix on the entries."""
    at, H, S = PackedEntries(MASK), symmetric(3, M), symmetric(4, N)
    X = np.where(MASK, normal(1, M, N), 0)
    np.testing.assert_allclose(at.matrix(H, S) @ at.take(X), at.take(H @ X + X @ S), atol=1e-12)


def test_the_minimum_over_the_linearised_constraint():
    """<r, w> + <w, Hw> / 2 is least along J w = 0 where r + Hw is normal; None where H is not
    positive there.
    """
    X = np.where(MASK, normal(1, M, N), 0)
    X[0] += 0.1  # no column is empty
    equations = packed.Orthogonality(X, X != 0)
    size = len(equations.entries)
    A, r = normal(5, size, size), normal(6, size, 1)
    H = A @ A.T / size + np.eye(size)
    w = equations.minimum(H, r)
    np.testing.assert_allclose(equations.project(w), w, atol=1e-10)
    np.testing.assert_allclose(equations.project(r + H @ w), 0, atol=1e-9)
    assert equations.minimum(-H, r) is None
