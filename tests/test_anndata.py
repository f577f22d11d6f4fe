"""AnnData: the components are where scanpy's users look for them."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox
from orthoprox.anndata import spca

ad = pytest.importorskip("anndata")
pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")


def cells(seed=0, kind=sp.csr_matrix):
    """Counts of 80 cells and 30 genes, of which 20 are highly variable."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(np.exp(rng.standard_normal((80, 3)) @ rng.standard_normal((3, 30)) * 0.5)).astype(np.float32)
    adata = ad.AnnData(
        kind(counts), var=pd.DataFrame({"highly_variable": np.arange(30) < 20}, index=[f"g{i}" for i in range(30)])
    )
    adata.layers["log"] = kind(np.log1p(counts))
    return adata


def test_scores_loadings_and_variances_have_scanpys_places():
    adata = cells()
    assert spca(adata, 3, n_nonzero=15) is None
    expected = orthoprox.SparsePCA(3, n_nonzero=15).fit(adata.X[:, :20])
    np.testing.assert_array_equal(adata.varm["sPCs"][:20].T, expected.components_)
    assert not np.any(adata.varm["sPCs"][20:])
    np.testing.assert_array_equal(adata.obsm["X_spca"], expected.transform(adata.X[:, :20]))
    assert adata.obsm["X_spca"].shape == (80, 3)
    found = adata.uns["spca"]
    np.testing.assert_array_equal(found["variance"], expected.explained_variance_)
    np.testing.assert_array_equal(found["variance_ratio"], expected.explained_variance_ratio_)
    np.testing.assert_array_equal(found["adjusted_variance"], expected.adjusted_variance_)
    assert found["n_nonzero"].sum() == 15
    assert found["params"] == {"mask_var": "highly_variable", "n_comps": 3, "n_nonzero": 15}


def test_the_matrix_stays_as_it_is_and_a_copy_leaves_all_alone():
    adata = cells()
    before = adata.X.copy()
    other = spca(adata, 2, copy=True)
    assert (adata.X != before).nnz == 0
    assert not adata.obsm
    assert not adata.uns
    assert set(other.obsm) == {"X_spca"}


@pytest.mark.parametrize("mask", [None, "own", np.arange(30) % 2 == 0], ids=["all", "column", "mask"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, np.asarray], ids=["csr", "csc", "dense"])
def test_genes_layers_and_names_are_chosen(mask, kind):
    adata = cells(kind=kind)
    adata.var["own"] = np.arange(30) % 2 == 0
    spca(adata, 2, layer="log", mask_var=mask, key_added="mine", alpha=0.2)
    used = np.ones(30, dtype=bool) if mask is None else np.arange(30) % 2 == 0
    log = adata.layers["log"] if kind is np.asarray else adata.layers["log"].toarray()
    expected = orthoprox.SparsePCA(2, alpha=0.2).fit(log[:, used])
    np.testing.assert_allclose(adata.varm["mine"][used].T, expected.components_, atol=1e-5)
    assert adata.obsm["mine"].shape == (80, 2)
    assert adata.uns["mine"]["params"]["layer"] == "log"


def test_what_is_added_can_be_written(tmp_path):
    h5py = pytest.importorskip("h5py")
    adata = cells()
    spca(adata, 3, alpha=0.3, penalty="l21", center=np.zeros(20), max_iter=None)
    with h5py.File(tmp_path / "cells.h5", "w") as file:
        ad.io.write_elem(file, "uns", dict(adata.uns))
        again = ad.io.read_elem(file["uns"])
    assert again["spca"]["params"]["penalty"] == "l21"
    np.testing.assert_array_equal(again["spca"]["variance"], adata.uns["spca"]["variance"])


def test_the_number_of_components_has_a_default_that_fits():
    adata = cells()
    spca(adata)
    assert adata.obsm["X_spca"].shape == (80, 19)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "raw"}, "layer is 'raw'; adata has 'log'"),
        ({"mask_var": "mine"}, "mask_var is 'mine'; adata.var has 'highly_variable'"),
        ({"mask_var": np.ones(3, dtype=bool)}, r"shape \(3,\)"),
        ({"mask_var": np.zeros(30, dtype=bool)}, "False for all genes"),
        ({"n_comps": 21}, "n_components=21 is larger than the 20"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_added(options, message):
    adata = cells()
    with pytest.raises(ValueError, match=message):
        spca(adata, **options)
    assert not adata.obsm


def test_other_objects_and_empty_ones_are_refused():
    with pytest.raises(TypeError, match=r"needs an anndata\.AnnData"):
        spca(np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"adata\.X is None"):
        spca(ad.AnnData(obs=pd.DataFrame(index=["a", "b"]), var=pd.DataFrame(index=["g", "h"])))
