"""Tables as they come: what is refused with the fix, and what is kept between calls."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse.linalg import aslinearoperator
from sklearn.datasets import load_wine

from orthoprox import SparsePCA
from orthoprox.estimators import covariance, table
from orthoprox.estimators.runs import Runs
from orthoprox.smooth import quadratic
from orthoprox.streams.rows import RowStream

WINE = load_wine(as_frame=True).data
A = WINE.to_numpy()


@pytest.mark.parametrize("data", [A[:1], aslinearoperator(A[:1])], ids=["matrix", "operator"])
def test_a_lone_row_has_no_covariance(data):
    with pytest.raises(ValueError, match=r"1 sample|n_samples = 1"):
        SparsePCA(1).fit(data)
    with pytest.raises(ValueError, match="1 sample"):
        SparsePCA(1).partial_fit(A[:1])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_of_text_are_named(frame):
    data = frame({"height": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"]})
    with pytest.raises(ValueError, match="column 'colour' of text"):
        SparsePCA(1).fit(data)


def test_blocks_go_on_from_a_fit_and_a_fit_begins_anew():
    """As with scikit-learn's IncrementalPCA."""
    settings = {"n_components": 3, "n_nonzero": 12, "scale": True}
    whole = SparsePCA(**settings).fit(A)
    parts = SparsePCA(**settings).fit(A[:100]).partial_fit(A[100:101]).partial_fit(A[101:])
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-9)
    assert parts.n_samples_seen_ == len(A)
    assert parts.fit(A[:50]).n_samples_seen_ == 50


def test_blocks_do_not_go_on_from_what_has_no_moments():
    for fitted in (SparsePCA(2).fit_covariance(np.cov(A, rowvar=False)), SparsePCA(2).fit(aslinearoperator(A))):
        with pytest.raises(ValueError, match="begin anew"):
            fitted.partial_fit(A)


def test_a_fit_of_many_variables_keeps_no_square_matrix(tmp_path):
    """Its pickle lacks the m x m moments that ``partial_fit`` keeps, which may go on with them."""
    data = np.random.default_rng(0).standard_normal((40, table.KEPT + 1))
    fitted, parts = SparsePCA(2).fit(data[:30]), SparsePCA(2).partial_fit(data[:30])
    assert len(pickle.dumps(fitted)) < len(pickle.dumps(parts)) - 8 * table.KEPT**2
    with pytest.raises(ValueError, match="see its first block"):
        fitted.partial_fit(data[30:])
    assert parts.partial_fit(data[30:]).n_samples_seen_ == 40
    assert fitted.n_samples_seen_ == 30


def test_a_covariance_matrix_does_not_tell_its_number_of_samples(tmp_path):
    fitted = SparsePCA(2, n_nonzero=8).fit_covariance(np.cov(A, rowvar=False))
    assert fitted.n_samples_seen_ is None
    fitted.save(tmp_path / "model")
    assert SparsePCA.load(tmp_path / "model").n_samples_seen_ is None


def test_scores_after_a_covariance_matrix_are_scaled_but_not_centred():
    fitted = SparsePCA(2, scale=True).fit_covariance(np.cov(A, rowvar=False))
    np.testing.assert_allclose(fitted.transform(A), A / A.std(0, ddof=1) @ fitted.components_.T, rtol=1e-10)
    centred = SparsePCA(2, scale=True, center=A.mean(0)).fit_covariance(np.cov(A, rowvar=False))
    np.testing.assert_allclose(centred.transform(A), SparsePCA(2, scale=True).fit(A).transform(A), atol=1e-6)


def test_printed_digits_may_make_a_negative_eigenvalue_but_not_more():
    B = np.random.default_rng(0).standard_normal((6, 12))
    C = np.corrcoef(B, rowvar=False)  # of rank 5
    SparsePCA(2).fit_covariance(np.round(C, 3))
    with pytest.raises(ValueError, match="negative eigenvalue"):
        SparsePCA(2).fit_covariance(C - 0.01 * np.eye(12))


def test_a_column_of_a_table_may_be_a_scale_and_the_kind_of_output_is_kept(tmp_path):
    fitted = SparsePCA(2, scale=WINE.std(), center=WINE.mean()).set_output(transform="pandas").fit(WINE)
    fitted.save(tmp_path / "model")
    loaded = SparsePCA.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scale, WINE.std())
    pd.testing.assert_frame_equal(loaded.transform(WINE), fitted.transform(WINE))


def test_a_wide_memory_map_is_read_in_blocks(tmp_path, monkeypatch):
    file = np.memmap(tmp_path / "A", dtype=float, mode="w+", shape=A.shape)
    file[:] = A
    base = SparsePCA(2, alpha=0.3, scale=True).fit(A)
    monkeypatch.setattr("orthoprox.streams.rows.GRAM", 10)
    monkeypatch.setattr("orthoprox.streams.blocks.BLOCK_BYTES", 8 * 13 * 50)
    seen = []
    term = table.Variance
    monkeypatch.setattr(table, "Variance", lambda data, **options: seen.append(term(data, **options)) or seen[-1])
    fitted = SparsePCA(2, alpha=0.3, scale=True).fit(file)
    assert seen[0].hessian is None
    assert isinstance(seen[0].A, RowStream)
    np.testing.assert_allclose(fitted.components_, base.components_, atol=1e-6)
    np.testing.assert_allclose(fitted.transform(file), base.transform(A), atol=1e-5)
    assert fitted.score(file) == pytest.approx(base.score(A), abs=1e-6)


@pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")
@pytest.mark.parametrize("pressed", [False, True])
def test_ctrl_c_ends_all_starts(pressed, monkeypatch):
    """Those that have not begun do not begin."""
    runs, minimised = [], Runs.minimised

    def counted(self, *arguments, **options):
        runs.append(self)
        self.deadline.interrupted = pressed
        return minimised(self, *arguments, **options)

    monkeypatch.setattr(Runs, "minimised", counted)
    SparsePCA(2, n_init=3, scale=True).fit(A)
    assert len(runs) == (1 if pressed else 3)


@pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")
@pytest.mark.parametrize("options", [{}, {"center": False}, {"scale": True}], ids=str)
def test_rows_in_blocks_take_two_square_matrices(options, monkeypatch):
    """The moments and the covariance, then the covariance and the term; beside them some rows of
    one. With so many variables, no eigenvalues of either are computed.
    """
    for module, name, value in ((covariance, "WIDE", 300), (table, "_STRIP", 64), (quadratic, "_STRIP", 64)):
        monkeypatch.setattr(module, name, value)
    m, rng = 1300, np.random.default_rng(0)
    blocks = [rng.standard_normal((50, m)) for _ in range(4)]
    tracemalloc.start()
    try:
        SparsePCA(2, alpha=0.5, max_iter=3, **options).fit(iter(blocks))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.5 * 8 * m**2
