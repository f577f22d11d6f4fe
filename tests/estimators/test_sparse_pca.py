"""What the components of SparsePCA are."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator
from sklearn.datasets import load_diabetes, load_digits, load_wine
from sklearn.decomposition import PCA

import orthoprox as op
from orthoprox import SparsePCA

A = load_wine().data
Z = (A - A.mean(0)) / A.std(0, ddof=1)
DIABETES = load_diabetes(scaled=False).data


def same(X, Y, tol=1e-9):
    np.testing.assert_allclose(X, Y, rtol=0, atol=tol)


@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 0.03},
        {"alpha": 0.1},
        {"alpha": 0.5},
        {"alpha": 1.0},
        {"alpha": 0.1, "refit": False},
        {"penalty": "l21", "alpha": 0.3},
        {"penalty": "mcp"},
        {"penalty": "scad"},
        {"nonnegative": True},
        {"n_nonzero": 4},
        {"n_nonzero": 20},
        {"n_nonzero": 0.9},
        {"n_nonzero": [5, 3, 2, 1]},
        {"n_nonzero": 20, "penalty": "l21"},
        {"n_nonzero": 15, "penalty": "mcp"},
        {"n_nonzero": 20, "criterion": "adjusted"},
        {"penalty": op.nonsmooth.L1(0.3)},
    ],
    ids=str,
)
def test_components_are_orthonormal_ordered_and_signed(settings):
    fitted = SparsePCA(4, scale=True, **settings).fit(A)
    X = fitted.components_
    assert np.max(np.abs(X @ X.T - np.eye(4))) <= 1e-12
    C = Z.T @ Z / (len(Z) - 1)
    same(fitted.explained_variance_, np.diag(X @ C @ X.T))
    if not isinstance(settings.get("n_nonzero"), list):
        assert np.all(np.diff(fitted.explained_variance_) <= 1e-10)
    same(np.max(X, axis=1), np.max(np.abs(X), axis=1))  # equal ones aside
    same(fitted.n_nonzero_, np.count_nonzero(X, axis=1))
    assert fitted.result_.certificate.upper >= 0
    assert not np.any(np.signbit(X[X == 0]))
    if settings.get("nonnegative"):
        assert np.min(X) >= 0
    if settings.get("penalty") == "l21":
        assert set(np.count_nonzero(X, axis=0)) <= {0, 4}


@pytest.mark.parametrize("k", [4, 5, 9, 13, 14, 16, 25, 38, 51, 52])
def test_the_number_of_nonzeros_is_the_wanted_one(k):
    assert SparsePCA(4, n_nonzero=k, scale=True).fit(A).n_nonzero_.sum() == k


def test_a_number_for_each_component_is_kept_in_order():
    assert list(SparsePCA(3, n_nonzero=[2, 6, 4], scale=True).fit(A).n_nonzero_) == [2, 6, 4]


def test_the_refit_is_a_maximum_on_its_zeros():
    """tr(X'CX) has no ascent direction that keeps the zeros: Box on the support agrees."""
    fitted = SparsePCA(4, n_nonzero=20, scale=True).fit(A)
    mask = 2.0 * (fitted.components_.T != 0)
    C = Z.T @ Z / (len(Z) - 1)
    problem = op.Problem(op.smooth.Quadratic(-2 * C), op.nonsmooth.Box(-mask, mask), mask.shape)
    best = op.minimize(problem, fitted.components_.T, tol=1e-9)
    assert -best.objective == pytest.approx(fitted.explained_variance_.sum(), rel=1e-10)
    assert fitted.result_.converged


def test_the_refit_explains_more_than_the_shrunken_components():
    ratios = [SparsePCA(4, refit=refit, scale=True).fit(A).explained_variance_ratio_.sum() for refit in (False, True)]
    assert ratios[0] < ratios[1]


def test_alpha_zero_is_pca():
    ours, theirs = SparsePCA(4, alpha=0).fit(A), PCA(4).fit(A)
    same(np.abs(ours.components_), np.abs(theirs.components_), 1e-7)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9)


def test_alpha_one_is_single_variables():
    fitted = SparsePCA(4, alpha=1).fit(A)
    assert list(fitted.n_nonzero_) == [1, 1, 1, 1]
    assert set(np.flatnonzero(fitted.components_.sum(0))) == set(np.argsort(-A.var(0))[:4])


def test_the_default_number_of_components_is_the_smaller_side():
    assert SparsePCA().fit(A[:5]).components_.shape == (5, 13)


def test_inverse_transform_loses_what_is_not_explained():
    fitted = SparsePCA(4, n_nonzero=20, scale=True).fit(A)
    back = (fitted.inverse_transform(fitted.transform(A)) - A) / fitted.scale_
    assert np.sum(back**2) / np.sum(Z**2) == pytest.approx(1 - fitted.explained_variance_ratio_.sum(), rel=1e-10)


def test_adjusted_variances_add_up_to_the_variance_of_the_scores_span():
    """Uncorrelated scores lose nothing: adjusted is explained variance for principal components."""
    pca = SparsePCA(4, alpha=0, scale=True).fit(A)
    same(pca.adjusted_variance_, pca.explained_variance_)
    sparse = SparsePCA(4, n_nonzero=20, scale=True).fit(A)
    assert np.all(sparse.adjusted_variance_ <= sparse.explained_variance_ + 1e-12)
    R = np.linalg.qr(Z @ sparse.components_.T)[1]
    same(sparse.adjusted_variance_, np.diag(R) ** 2 / (len(Z) - 1))


@pytest.mark.parametrize("settings", [{"alpha": 0.1}, {"alpha": 0.5}, {"n_nonzero": 16}], ids=str)
def test_permutations_and_units_of_the_data_change_nothing_else(settings):
    def components(B):
        return SparsePCA(4, random_state=0, **settings).fit(B).components_

    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(Z)), rng.permutation(13)
    base = components(Z)
    same(components(Z[rows]), base)
    same(components(Z[:, columns]), base[:, columns])
    for unit in (1e-6, 1e6):
        same(components(unit * Z), base)


def test_one_random_state_gives_equal_bits():
    fits = [SparsePCA(3, n_nonzero=9, n_init=3, start="random", random_state=7).fit(DIABETES) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("settings", [{"alpha": 0.2}, {"n_nonzero": 30}], ids=str)
def test_sparse_and_dense_data_agree(scale, settings):
    rng = np.random.default_rng(1)
    counts = sp.random_array((200, 15), density=0.2, rng=rng, data_sampler=lambda size: rng.poisson(3, size) + 1.0)
    dense = SparsePCA(3, scale=scale, **settings).fit(counts.toarray())
    for kind in (sp.csr_array, sp.csc_matrix):
        sparse = SparsePCA(3, scale=scale, **settings).fit(kind(counts))
        same(sparse.components_, dense.components_, 1e-10)
        same(sparse.transform(kind(counts)), dense.transform(counts.toarray()), 1e-10)
        assert sparse.score(kind(counts)) == pytest.approx(dense.score(counts.toarray()), abs=1e-10)


def test_operators_and_memory_maps_are_data(tmp_path):
    base = SparsePCA(3, alpha=0.2, scale=True).fit(A)
    file = np.memmap(tmp_path / "A", dtype=float, mode="w+", shape=A.shape)
    file[:] = A
    same(SparsePCA(3, alpha=0.2, scale=True).fit(file).components_, base.components_)
    operator = SparsePCA(3, alpha=0.2, scale=True).fit(aslinearoperator(A))
    same(operator.components_, base.components_, 1e-6)
    same(operator.transform(aslinearoperator(A)), base.transform(A), 1e-5)
    assert operator.score(aslinearoperator(A)) == pytest.approx(base.score(A), abs=1e-6)


def test_blocks_give_what_the_whole_gives_even_far_from_zero():
    B = 1e6 * A.std(0) + A
    parts = SparsePCA(3, n_nonzero=12, scale=True)
    for block in np.array_split(B, 4):
        parts.partial_fit(block)
    whole = SparsePCA(3, n_nonzero=12, scale=True).fit(B)
    same(parts.components_, whole.components_)
    assert parts.n_samples_seen_ == len(B)
    same(whole.components_, SparsePCA(3, n_nonzero=12, scale=True).fit(A).components_, 1e-7)


def test_a_center_and_a_scale_of_ones_own():
    own = SparsePCA(3, n_nonzero=12, center=A.mean(0), scale=A.std(0, ddof=1)).fit(A)
    same(own.components_, SparsePCA(3, n_nonzero=12, scale=True).fit(A).components_)


def test_a_warm_start_begins_at_the_last_components():
    fitted = SparsePCA(4, scale=True, warm_start=True).fit(A)
    first = fitted.result_.work.gradients
    assert fitted.fit(A).result_.work.gradients < first


def test_wide_data_are_never_a_square_matrix(monkeypatch):
    from orthoprox.estimators import table

    rng = np.random.default_rng(2)
    B = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 80)) + 0.3 * rng.standard_normal((30, 80))
    formed = SparsePCA(2, alpha=0.3).fit(B)
    monkeypatch.setattr(table, "WIDE", 10)
    wide = SparsePCA(2, alpha=0.3).fit(B)
    same(wide.components_, formed.components_, 1e-6)
    with pytest.raises(ValueError, match="partial_fit keeps"):
        SparsePCA(2).partial_fit(B)


def test_components_are_orthonormal_where_a_run_is_cut_short():
    """Also with so many loadings that they are not refitted by matrices."""
    data = load_digits().data
    for steps in (1, 5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = SparsePCA(20, alpha=0.01, max_iter=steps).fit(data)
        np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(20), atol=1e-12)


def test_a_path_leaves_the_estimator_as_it_is():
    data = load_wine(as_frame=True).data
    fitted = SparsePCA(2, scale=True).fit(data)
    fitted.path(data.iloc[:, :5], n_nonzeros=[4])
    assert fitted.transform(data).shape == (178, 2)
    assert not hasattr(SparsePCA(2), "n_features_in_")


def test_a_block_that_fails_is_not_counted():
    data = load_wine().data
    estimator = SparsePCA(2, scale=True).partial_fit(data[:100])
    with pytest.raises(ValueError, match="n_nonzero = 1"):
        estimator.set_params(n_nonzero=1).partial_fit(data[100:])
    estimator.set_params(n_nonzero=None).partial_fit(data[100:])
    assert estimator.n_samples_seen_ == 178
