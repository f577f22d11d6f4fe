"""Estimators in files, paths and pictures."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

import orthoprox as op
from orthoprox import SparsePCA

WINE = load_wine(as_frame=True).data


@pytest.mark.parametrize(
    "settings",
    [{"n_nonzero": 20}, {"n_nonzero": [5, 3, 2, 1]}, {"center": WINE.mean().to_numpy(), "random_state": np.int64(3)}],
    ids=["total", "each", "vector"],
)
def test_a_saved_estimator_is_the_same_when_loaded(tmp_path, settings):
    fitted = SparsePCA(4, scale=True, **settings).fit(WINE)
    fitted.save(tmp_path / "model.npz")
    loaded = SparsePCA.load(tmp_path / "model.npz")
    for name in ("components_", "mean_", "scale_", "adjusted_variance_", "feature_names_in_", "n_nonzero_", "n_iter_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(fitted, name))
    np.testing.assert_array_equal(loaded.transform(WINE), fitted.transform(WINE))
    for name, value in fitted.get_params().items():
        np.testing.assert_array_equal(loaded.get_params()[name], value)
    assert loaded.result_.objective == fitted.result_.objective
    np.testing.assert_array_equal(loaded.fit(WINE).components_, fitted.components_)


def test_a_loaded_estimator_goes_on_with_blocks(tmp_path):
    first = SparsePCA(2, n_nonzero=8).partial_fit(WINE[:90])
    first.save(tmp_path / "model")
    loaded = SparsePCA.load(tmp_path / "model").partial_fit(WINE[90:])
    np.testing.assert_array_equal(loaded.components_, first.partial_fit(WINE[90:]).components_)


def test_what_is_not_a_number_or_a_name_is_not_written(tmp_path):
    fitted = SparsePCA(2, penalty=op.nonsmooth.L1(0.2)).fit(WINE)
    with pytest.raises(TypeError, match="penalty is a L1"):
        fitted.save(tmp_path / "model")


def test_a_result_is_not_an_estimator(tmp_path):
    SparsePCA(2).fit(WINE).result_.save(tmp_path / "result")
    with pytest.raises(ValueError, match="holds a Result, not a SparsePCA"):
        SparsePCA.load(tmp_path / "result")


def test_a_path_has_the_variance_of_single_fits_and_falls_with_the_nonzeros():
    path = SparsePCA(3, scale=True).path(WINE, n_nonzeros=[30, 20, 10, 3])
    assert list(path.n_nonzeros) == [30, 20, 10, 3]
    rows = [line.split() for line in repr(path).splitlines()]
    assert [row[0] for row in rows] == ["nonzeros", "30", "20", "10", "3", "PCA"]
    assert float(rows[2][1]) == pytest.approx(path.explained_variance_ratio[1], abs=1e-4)
    assert np.all(np.diff(path.explained_variance_ratio) < 0)
    assert path.explained_variance_ratio[0] <= path.pca
    single = SparsePCA(3, n_nonzero=10, scale=True).fit(WINE)
    assert path.explained_variance_ratio[2] == pytest.approx(single.explained_variance_ratio_.sum(), rel=1e-9)
    np.testing.assert_allclose(path.components[2], single.components_, atol=1e-9)


def test_the_default_path_goes_from_all_loadings_to_one_each():
    path = SparsePCA(2, scale=True).path(WINE)
    assert path.n_nonzeros[0] == 26
    assert path.n_nonzeros[-1] == 2
    assert path.explained_variance_ratio[0] == pytest.approx(path.pca, rel=1e-9)


@pytest.mark.parametrize(("numbers", "error"), [([], ValueError), ("ab", TypeError), (3, TypeError), ([1], ValueError)])
def test_bad_numbers_of_a_path_are_refused(numbers, error):
    with pytest.raises(error):
        SparsePCA(2).path(WINE, n_nonzeros=numbers)


def test_pictures_show_every_component_and_the_reference():
    fitted = SparsePCA(3, n_nonzero=12, scale=True).fit(WINE)
    figure = fitted.plot_components()
    assert len(figure.axes) == 3
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert set(labels) == set(WINE.columns[np.any(fitted.components_ != 0, axis=0)])
    lines = SparsePCA(2, scale=True).path(WINE, n_nonzeros=[10, 4]).plot().axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["PCA", "explained", "adjusted"]
