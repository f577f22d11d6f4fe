"""Products with a sparse X: the same numbers as the plain expressions."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from cases import normal, symmetric
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._linalg import products
from orthoprox.solvers import Adaptive

M, N = 240, 120


def sparse(seed=0, share=0.02, dtype=np.float64):
    X = normal(seed, M, N).astype(dtype)
    X[np.random.default_rng(seed).random((M, N)) > share] = 0
    return X


@pytest.fixture(params=["numba", "scipy"], autouse=True)
def way(request, monkeypatch):
    """Both ways to multiply: by compiled loops, and by scipy where numba is not installed."""
    if request.param == "scipy":
        monkeypatch.setattr(products, "compiled", lambda: None)
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_a_sparse_matrix_are_those_with_a_dense_one(dtype):
    X, C, S = sparse(dtype=dtype), symmetric(1, M).astype(dtype), normal(2, N, N).astype(dtype)
    at = products.support(X)
    assert at is not None
    tight = {"rtol": 100 * np.finfo(dtype).eps, "atol": 1000 * np.finfo(dtype).eps}
    for found, plain in [
        (products.apply(C, X), C @ X),
        (products.right(X, S, at), X @ S),
        (products.right(X, S.T, at), X @ S.T),
        (products.left(X, normal(3, M, N).astype(dtype), at), X.T @ normal(3, M, N).astype(dtype)),
        (products.gram(X, at), X.T @ X),
        (products.overlap(X, at), (X * X).T @ (X != 0)),
    ]:
        np.testing.assert_allclose(found, plain, **tight)
        assert found.dtype == dtype
        assert found.flags.c_contiguous  # what follows adds matrices, which is slow where their orders differ


def test_the_support_of_a_sparse_matrix_is_the_matrix():
    X = sparse()
    X[3] = 0.0
    np.testing.assert_array_equal(products.support(X).matrix.toarray(), X)


def test_small_dense_foreign_and_stacked_matrices_are_multiplied_as_usual():
    xp = pytest.importorskip("array_api_strict")
    X = sparse()
    assert products.support(X) is not None
    for other in (sparse()[:50], normal(0, M, N), xp.asarray(X), np.stack([X, X]), np.asfortranarray(X)):
        assert products.support(other) is None
    C = symmetric(1, M)
    for other in (np.stack([X, X]), np.asfortranarray(X)):
        np.testing.assert_allclose(products.apply(C, other), C @ other, atol=1e-12)


def test_a_symmetric_matrix_of_another_precision_or_kind_is_multiplied_as_usual():
    X, C = sparse(), symmetric(1, M)
    np.testing.assert_allclose(products.apply(C.astype(np.float32), X), C.astype(np.float32) @ X, atol=1e-12)
    np.testing.assert_allclose(products.apply(sp.csr_array(C), X), C @ X, atol=1e-12)


def test_a_run_does_not_depend_on_how_its_products_are_done(monkeypatch):
    """The iterates with sparse products are those with dense ones, up to rounding."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, M, seed=0), N, 0.5)
    X0 = op.starts.coordinates(problem, np.random.default_rng(0))

    def iterate():
        solver = Adaptive(settings=replace(SETTINGS, pairs=0.0))  # no steps on some entries alone
        state = solver.init(problem, X0)
        for _ in range(60):
            state = solver.step(problem, state)
        assert state.phase == "first order"
        return state.now

    with_support = iterate()
    assert products.support(with_support.E) is not None
    monkeypatch.setattr(products, "SMALL", 10**9)
    np.testing.assert_allclose(with_support.X, iterate().X, atol=1e-9)


@pytest.mark.parametrize("nonzeros", [(0, 1, 5, 60), (60, 60, 60, 60), (1, 2, 3, 4), (10, 10, 10, 10)])
def test_a_wide_product_is_the_product_whatever_columns_are_sparse(nonzeros):
    rng = np.random.default_rng(0)
    A, X = rng.standard_normal((7, 60)), np.zeros((60, 4))
    for i, number in enumerate(nonzeros):
        X[rng.choice(60, number, replace=False), i] = rng.standard_normal(number)
    np.testing.assert_allclose(products.wide(A, X), A @ X, atol=1e-13)


def test_a_wide_product_reads_the_rows_that_sparse_columns_use():
    """What stands elsewhere is not read, also beside a column that uses all rows."""
    rng = np.random.default_rng(0)
    A, X = rng.standard_normal((7, 60)), np.zeros((60, 4))
    X[:5, :3] = rng.standard_normal((5, 3))
    expected = A @ X
    A[:, 5:] = np.nan
    np.testing.assert_allclose(products.wide(A, X), expected, atol=1e-13)
    X[:, 3] = 1.0
    np.testing.assert_allclose(products.wide(A, X)[:, :3], expected[:, :3], atol=1e-13)


def test_the_last_products_with_wide_data_are_remembered(monkeypatch):
    """A point that comes again takes no product, five points later it does."""
    A, points, calls = normal(0, 20, M), [normal(seed, M, 3) for seed in range(1, 7)], []
    monkeypatch.setattr(products, "wide", lambda A, X: calls.append(1) or A @ X)
    last = products.LastProducts(A)
    for X in (*points[:2], points[0], points[1]):
        assert np.array_equal(last.times(X), A @ X)
        np.testing.assert_allclose(last.grad(X), -2 * A.T @ (A @ X), rtol=1e-12, atol=1e-10)
    assert len(calls) == 2
    for X in points:
        last.grad(X)
    assert len(calls) == 6
    last.grad(points[0])
    assert len(calls) == 7


def test_what_is_remembered_cannot_be_changed():
    A, X = normal(0, 20, M), normal(1, M, 3)
    last, first = products.LastProducts(A), -2 * A.T @ (A @ X)
    last.grad(X)[:] = 0
    np.testing.assert_allclose(last.grad(X), first, rtol=1e-12, atol=1e-10)
    X *= 2
    np.testing.assert_allclose(last.grad(X), 2 * first, rtol=1e-12, atol=1e-10)


def test_points_in_another_order_of_memory_are_others(monkeypatch):
    """Rounding may differ: a call that goes on from a checkpoint remembers nothing."""
    A, X, calls = normal(0, 20, M), normal(1, M, 3), []
    monkeypatch.setattr(products, "wide", lambda A, X: calls.append(1) or A @ X)
    last = products.LastProducts(A)
    last.grad(X)
    last.grad(np.asfortranarray(X))
    assert len(calls) == 2


def test_dense_products_are_those_over_all_entries():
    """Within it no X is sparse; afterwards it is again."""
    X, C = sparse(), symmetric(1, M)
    with products.dense():
        assert products.support(X) is None
        np.testing.assert_array_equal(products.apply(C, X), C @ X)
    assert products.support(X) is not None
