"""A problem on some rows of X is the problem itself where the others are 0."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import orthoprox as op
from cases import normal
from orthoprox.problems.problem import counted
from orthoprox.problems.rows import extended, has_rows, leaving, on_rows
from orthoprox.problems.scaled import scaled
from orthoprox.problems.work import Work

M, N = 30, 3
ROWS = np.array([1, 4, 5, 8, 11, 20, 29])
X = normal(0, len(ROWS), N)
WHOLE = extended(X, ROWS, M)
PENALTIES = {
    "l1": op.nonsmooth.L1(0.7),
    "l1 of entries": op.nonsmooth.L1(np.abs(normal(1, M, N))),
    "l1 of rows": op.nonsmooth.L1(np.abs(normal(2, M, 1))),
    "l1 of columns": op.nonsmooth.L1(np.array([0.5, 1.0, 2.0])),
    "l1 in a box": op.nonsmooth.L1(0.7, bound=2.0),
    "l21": op.nonsmooth.L21(0.7),
    "mcp": op.nonsmooth.MCP(0.7),
    "scad": op.nonsmooth.SCAD(0.7),
}


def stored(kind, folder):
    """Data with about half of their entries 0, as they are stored in many ways."""
    A = np.where(normal(3, 8, M) > 0, normal(4, 8, M), 0.0)
    if kind == "memmap":
        file = np.memmap(folder / "A.dat", dtype=float, mode="w+", shape=A.shape)
        file[:] = A
        return file
    return {"dense": A, "sparse": sp.csr_array(A), "operator": aslinearoperator(A)}[kind]


@pytest.mark.parametrize("name", PENALTIES)
def test_values_proxes_and_gradients_are_those_of_the_whole(name):
    problem = op.Problem(op.smooth.Variance(normal(5, 8, M)), PENALTIES[name], (M, N))
    part = on_rows(problem, ROWS)
    assert part.shape == (len(ROWS), N)
    np.testing.assert_allclose(part.value(X), problem.value(WHOLE))
    np.testing.assert_allclose(part.grad(X), problem.grad(WHOLE)[ROWS])
    np.testing.assert_allclose(part.prox(X, 0.2), problem.prox(WHOLE, 0.2)[ROWS])


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "memmap", "operator"])
def test_the_data_of_some_rows_are_columns_however_they_are_stored(kind, center, scale, tmp_path):
    ell = op.smooth.Variance(stored(kind, tmp_path), center=center, scale=scale)
    for columns in (1, 10**9):  # without and with A'A
        part = ell.at_rows(ROWS, columns)
        np.testing.assert_allclose(part.grad(X), ell.grad(WHOLE)[ROWS], atol=1e-12)
        np.testing.assert_allclose(part.value(X), ell.value(WHOLE))
        assert part.lipschitz <= 1.02 * ell.lipschitz


@pytest.mark.parametrize("kind", ["dense", "sparse", "memmap"])
def test_squares_and_associations_are_those_of_the_gram_matrix(kind, tmp_path):
    ell = op.smooth.Variance(stored(kind, tmp_path), center=True)
    C = -ell.grad(np.eye(M)) / 2
    np.testing.assert_allclose(ell.squares, np.diagonal(C), atol=1e-12)
    if ell.associations is not None:
        np.testing.assert_allclose(ell.associations, np.sum(C**2, axis=0))
    np.testing.assert_allclose(ell.times(4.0).squares, 4 * ell.squares)  # nothing is remembered of other data


def test_the_work_on_some_rows_is_counted_with_the_rest():
    work = Work()
    problem = counted(op.problems.sparse_pca(normal(5, 8, M), N, 1.0), work)
    problem.grad(WHOLE)
    part = on_rows(problem, ROWS)
    part.grad(X)
    part.prox(X, 0.1)
    assert (work.gradients, work.proxes) == (2, 1)


def test_a_scaled_problem_on_some_rows_is_the_scaled_problem_of_the_rows():
    problem = op.problems.sparse_pca(normal(5, 8, M), N, 1.0)
    np.testing.assert_allclose(on_rows(scaled(problem, 16.0), ROWS).value(X), on_rows(problem, ROWS).value(X) / 16)


def test_a_row_leaves_zero_where_the_gradient_is_beyond_the_subdifferential():
    """A zero row with |D_ji| <= mu is stationary, whatever the multiplier is; for l21 with
    |D_j| <= mu.
    """
    D = np.zeros((M, N))
    D[2, 1], D[3, 1], D[6] = 1.1, -0.9, [0.7, 0.7, 0.7]
    ell, zero = op.smooth.Variance(normal(5, 8, M)), np.zeros((M, N))
    for g, rows in ((op.nonsmooth.L1(1.0), {2}), (op.nonsmooth.L21(1.0), {2, 6}), (op.nonsmooth.MCP(1.0), {2})):
        problem = op.Problem(ell, g, (M, N))
        assert set(np.flatnonzero(leaving(problem, zero, D))) == rows
        assert set(np.flatnonzero(leaving(problem, zero, D, 1 / 0.8))) == rows | {3}
    assert set(np.flatnonzero(leaving(problem, WHOLE, 0 * D))) == set(ROWS)


def test_terms_of_which_nothing_is_known_have_no_rows():
    class Other(op.nonsmooth.L1):
        pass

    ell = op.smooth.Variance(normal(5, 8, M))
    assert has_rows(op.Problem(ell, op.nonsmooth.L1(1.0), (M, N)))
    for g in (Other(1.0), op.nonsmooth.Nonnegative(), op.nonsmooth.Zero()):
        assert not has_rows(op.Problem(ell, g, (M, N)))
    assert not has_rows(op.Problem(op.smooth.Quadratic(np.eye(M)), op.nonsmooth.L1(1.0), (M, N)))


def test_columns_on_disk_that_do_not_fit_into_memory_have_a_gram_matrix(tmp_path, monkeypatch):
    """One pass forms A'A of these columns, and the term on them reads nothing more."""
    whole = op.problems.sparse_pca(np.asarray(stored("memmap", tmp_path)), N, 1.0, center=True)
    monkeypatch.setattr("orthoprox.streams.blocks.BLOCK_BYTES", 64)
    mapped = stored("memmap", tmp_path)
    problem = op.problems.sparse_pca(mapped, N, 1.0, center=True)
    assert problem.smooth.hessian is None
    part = on_rows(problem, ROWS)
    assert part.smooth.hessian.shape == (len(ROWS), len(ROWS))
    np.testing.assert_allclose(part.grad(WHOLE[ROWS]), whole.grad(WHOLE)[ROWS], atol=1e-10)
