"""The rows of every source give what the whole matrix gives."""

import logging

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from cases import normal
from orthoprox import tables
from orthoprox.streams import blocks
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sources import as_blocks
from row_sources import KINDS, PACKAGES, ROWS

P, M = 45, 6
A = np.round(8 * normal(0, P, M) * (normal(1, P, M) > -0.5)) / 8 + np.array([0, 0, 1e3, 0, 0, 5])
every_kind = pytest.mark.parametrize("kind", KINDS)
SCALED = (A - A.mean(0)) / A.std(0, ddof=1)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * M * ROWS)


@pytest.fixture
def source(tmp_path):
    def made(kind, matrix=A):
        for package in PACKAGES.get(KINDS[kind].extra, ()):
            pytest.importorskip(package)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        return KINDS[kind].make(matrix, folder)

    return made


@every_kind
def test_one_pass_gives_the_variance_of_the_whole(source, kind):
    """l = -|(A - 1c')S^-1 X|^2 from means and scatter, whatever the rows come from."""
    X = normal(2, M, 2)
    ell = op.smooth.Variance(source(kind), center=True, scale=True)
    np.testing.assert_allclose(ell.hessian, -2 * SCALED.T @ SCALED, atol=1e-9)
    np.testing.assert_allclose(ell.center, A.mean(0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ell.scale, A.std(0, ddof=1), rtol=1e-9)
    np.testing.assert_allclose(ell.grad(X), -2 * SCALED.T @ (SCALED @ X), atol=1e-8)
    np.testing.assert_allclose(ell.at_rows(np.array([1, 4])).hessian, ell.hessian[np.ix_([1, 4], [1, 4])])
    np.testing.assert_allclose(op.smooth.Variance(source(kind)).hessian, -2 * A.T @ A, rtol=1e-9, atol=1e-9)


@every_kind
def test_without_the_gram_matrix_products_go_through_the_blocks(source, kind, monkeypatch):
    """A'(AX), AX and A'V of the centred and scaled data; those that come once are refused."""
    monkeypatch.setattr("orthoprox.streams.rows.GRAM", M - 1)
    if not KINDS[kind].again:
        with pytest.raises(ValueError, match="which each product has to read again; give a function"):
            op.smooth.Variance(source(kind), center=True, scale=True)
        return
    ell, X, V = op.smooth.Variance(source(kind), center=True, scale=True), normal(2, M, 2), normal(3, P, 2)
    assert ell.hessian is None
    np.testing.assert_allclose(ell.grad(X), -2 * SCALED.T @ (SCALED @ X), atol=1e-8)
    np.testing.assert_allclose(ell.value(X), -np.sum((SCALED @ X) ** 2), rtol=1e-9)
    np.testing.assert_allclose(ell.A.T @ V, SCALED.T @ V, atol=1e-8)
    np.testing.assert_allclose(ell.squares, np.sum(SCALED**2, axis=0), rtol=1e-9)
    np.testing.assert_allclose(
        ell.at_rows(np.array([1, 4])).grad(X[:2]), -2 * SCALED[:, [1, 4]].T @ (SCALED[:, [1, 4]] @ X[:2])
    )


@every_kind
def test_sparse_pca_is_that_of_the_whole(source, kind):
    pytest.importorskip("sklearn")
    base = op.SparsePCA(2, n_nonzero=6, scale=True).fit(A)
    fitted = op.SparsePCA(2, n_nonzero=6, scale=True).fit(source(kind))
    np.testing.assert_allclose(fitted.components_, base.components_, atol=1e-7)
    np.testing.assert_allclose(fitted.transform(source(kind)), base.transform(A), atol=1e-5)
    assert fitted.score(source(kind)) == pytest.approx(base.score(A), abs=1e-7)
    assert fitted.n_samples_seen_ == P
    twice = op.SparsePCA(2, n_nonzero=6, scale=True).fit(np.tile(A, (2, 1)))
    np.testing.assert_allclose(fitted.partial_fit(source(kind)).components_, twice.components_, atol=1e-7)


@every_kind
def test_means_of_a_million_deviations_cost_no_digits_of_the_scatter(source, kind):
    far = 2.0**20 + np.round(8 * normal(0, P, M)) / 8
    D = far - far.mean(0)
    ell = op.smooth.Variance(source(kind, far), center=True)
    np.testing.assert_allclose(ell.hessian, -2 * D.T @ D, atol=1e-7)


@every_kind
def test_bad_entries_are_named_by_block_and_row(source, kind):
    spoiled = A.copy()
    spoiled[31, 2] = np.nan
    with pytest.raises(ValueError, match=r"block \d.* NaN or infinite entries, the first in row .*column 2"):
        op.smooth.Variance(source(kind, spoiled), center=True)


def test_the_block_of_a_bad_row_is_told():
    """Row 31 is the third of block 4."""
    spoiled = A.copy()
    spoiled[31, 2] = -np.inf
    for make in (lambda rows: rows, sp.csr_array):
        parts = (make(spoiled[start : start + ROWS]) for start in range(0, P, ROWS))
        with pytest.raises(ValueError, match=r"A, block 4 contains NaN .* row 31 \(3 of the block\), column 2; remove"):
            op.smooth.Variance(parts)


def test_blocks_that_do_not_fit_are_named():
    cases = [
        ([A, A[:, :5]], "A, block 1 has shape \\(45, 5\\); it needs two dimensions and 6 columns"),
        ([], "an iterator without a block"),
        ([A, A[:0]], "A, block 1 is empty"),
        ([[[1.0, 2.0], [3.0]]], "A, block 0 has rows of different lengths; they need the same"),
        ([A, [[1.0, 2.0], [3.0]]], "A, block 1 has rows of different lengths; they need the same"),
        ([A[0]], "block 0 has shape \\(6,\\); it needs two dimensions"),
        ([A * 1e200], "entries so large that their squares overflow; scale it"),
    ]
    for given, message in cases:
        with pytest.raises(ValueError, match=message):
            op.smooth.Variance(iter(given), center=True)
    for given, message in [([[["a", "b"]]], "it needs rows of real numbers|entries of dtype"), ([A * 1j], "pass real data")]:
        with pytest.raises(TypeError, match=message):
            op.smooth.Variance(iter([np.array(given[0])]))
    with pytest.raises(TypeError, match="A is a function that returned 3, a int; it needs an iterator"):
        op.smooth.Variance(lambda: 3)


def test_a_source_that_fails_in_the_middle_is_told():
    def broken():
        yield A
        raise KeyError("lost")

    with pytest.raises(OSError, match=r"A could not be read beyond block 1, row 45 on: 'lost'. Check the file"):
        op.smooth.Variance(broken)


def test_dask_arrays_of_unknown_size_and_of_text_are_refused():
    da = pytest.importorskip("dask.array")
    rows = da.from_array(A, chunks=(ROWS, -1))
    with pytest.raises(ValueError, match=r"unknown size; call A.compute_chunk_sizes\(\) first"):
        op.smooth.Variance(rows[rows[:, 0] > 0])
    with pytest.raises(ValueError, match="1 dimension"):
        op.smooth.Variance(rows[0])
    with pytest.raises(TypeError, match="it needs real numbers"):
        op.smooth.Variance(da.from_array(np.full((3, 3), "a"), chunks=1))
    op.smooth.Variance(rows[rows[:, 0] > 0].compute_chunk_sizes())


def test_files_of_a_folder_need_the_same_columns(tmp_path):
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "b.npy", A[:, :5])
    with pytest.raises(ValueError, match=r"b.npy' has 5 columns, .*a.npy' has 6; all files of the folder need the same"):
        tables.row_blocks(tmp_path)


def test_parts_of_a_table_are_all_of_it(tmp_path):
    for kind, given in KINDS.items():
        if not given.ranks:
            continue
        for package in PACKAGES.get(given.extra, ()):
            pytest.importorskip(package)
        folder = tmp_path / str(len(kind))
        folder.mkdir()
        file = given.file(A, folder)
        for parts in (1, 2, 4):
            rows = [RowStream(tables.row_blocks(file, part=(k, parts))) @ np.eye(M) for k in range(parts)]
            np.testing.assert_array_equal(np.concatenate(rows), A)
    np.savetxt(tmp_path / "rows.csv", A, delimiter=",", header="a,b,c,d,e,f")
    with pytest.raises(ValueError, match=r"rows.csv' is a file of text, of which no process can find its own rows"):
        tables.row_blocks(tmp_path / "rows.csv", part=(0, 2))
    np.save(tmp_path / "few.npy", A[:2])
    with pytest.raises(ValueError, match="has 2 rows, too few for 3 processes"):
        tables.row_blocks(tmp_path / "few.npy", part=(0, 3))
    with pytest.raises(ValueError, match="has 4 files, too few for 5 processes"):
        tables.row_blocks(KINDS["folder of such files"].file(A, tmp_path), part=(0, 5))


def test_each_block_is_seen(tmp_path):
    seen, rows = [], as_blocks(lambda: (A[start : start + 9] for start in range(0, P, 9)))
    with rows.watched(lambda done, of: seen.append((done, of))):
        rows.moments(cross=True)
        RowStream(rows) @ np.eye(M)
    assert seen == [(9 * k, None) for k in range(1, 6)] + [(9 * k, P) for k in range(1, 6)]
    rows.watched(None)


def test_what_products_cost_is_told_beforehand(monkeypatch, caplog):
    monkeypatch.setattr("orthoprox.streams.rows.GRAM", M - 1)
    with caplog.at_level(logging.WARNING, "orthoprox"):
        op.smooth.Variance(lambda: iter([A]), center=True)
    assert "A has 6 columns: the Gram matrix, 2.88e-07 GB, is not formed" in caplog.text
    assert "Each gradient reads all 45 rows" in caplog.text


def test_a_deadline_ends_a_pass(monkeypatch):
    """A product stops after the block in which time is over."""
    monkeypatch.setattr("orthoprox.streams.rows.GRAM", M - 1)
    asked = []

    def heed():
        asked.append(1)
        if len(asked) == 3:
            raise TimeoutError

    ell = op.smooth.Variance(lambda: iter(np.array_split(A, 9))).heeding(heed)
    with pytest.raises(TimeoutError):
        ell.grad(normal(0, M, 2))
    assert len(asked) == 3


def test_runs_without_the_gram_matrix_end_where_those_with_it_do(monkeypatch):
    base = op.minimize(op.problems.sparse_pca(A, 2, 2.0, center=True, scale=True), seed=0)
    monkeypatch.setattr("orthoprox.streams.rows.GRAM", M - 1)
    streamed = op.minimize(op.problems.sparse_pca(lambda: iter(np.array_split(A, 4)), 2, 2.0, center=True, scale=True), seed=0)
    assert streamed.converged
    assert streamed.objective == pytest.approx(base.objective, rel=1e-6)
