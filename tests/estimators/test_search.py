"""The search for a number of nonzeros: exact or told, in time, the same in any order or unit."""

import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

import orthoprox as op
from orthoprox import SparsePCA
from orthoprox.estimators import candidates, search
from orthoprox.estimators.candidates import Candidates
from orthoprox.estimators.face import Face
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.search import rounded
from orthoprox.estimators.starts import principal, random_rotations, sparse_rotations
from orthoprox.estimators.wanted import Wanted
from orthoprox.stopping.clock import Deadline

TABLES = {
    "wine": load_wine().data,
    "diabetes": load_diabetes(scaled=False).data,
    "breast": load_breast_cancer().data,
}


def wide(samples, variables, seed):
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((samples, 4)) @ rng.standard_normal((4, variables))
    return factors + rng.standard_normal((samples, variables))


def same(X, Y, tol=1e-9):
    np.testing.assert_allclose(X, Y, rtol=0, atol=tol)


@pytest.mark.parametrize("settings", [{"n_nonzero": 12}, {"alpha": 1.0, "scale": True}], ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_orders_and_units_of_real_tables_change_nothing_else(name, settings):
    """Also of variables in different units, whose variances differ by powers of ten."""
    A, rng = TABLES[name], np.random.default_rng(0)

    def components(B):
        return SparsePCA(4, **settings).fit(B).components_

    rows, columns = rng.permutation(len(A)), rng.permutation(A.shape[1])
    base = components(A)
    same(components(A[rows]), base)
    same(components(A[:, columns]), base[:, columns])
    for unit in (1e-6, 1e6):
        same(components(unit * A), base)


@pytest.mark.parametrize("name", TABLES)
def test_sparse_data_give_what_dense_data_give(name):
    A = TABLES[name]
    dense, again = (SparsePCA(3, n_nonzero=10, scale=True).fit(B) for B in (A, A))
    np.testing.assert_array_equal(dense.components_, again.components_)
    same(SparsePCA(3, n_nonzero=10, scale=True).fit(sp.csr_array(A)).components_, dense.components_, 1e-10)


def test_what_the_oversees_keeps_ten_digits_of_small_variables():
    deviations = np.array([1.0, 1e-3, 1e-5])
    C = np.outer(deviations, deviations) * np.array([[1, 1 / 3, 0.1], [1 / 3, 1, 0.2], [0.1, 0.2, 1]])
    np.testing.assert_allclose(rounded(C), C, rtol=1e-9)
    np.testing.assert_array_equal(rounded(C), rounded(C * (1 + 1e-15)))


@pytest.mark.parametrize("k", [9])
def test_many_variables_give_exactly_the_wanted_nonzeros(k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = SparsePCA(2, n_nonzero=k).fit(wide(30, 1300, 0))
    assert fitted.n_nonzero_.sum() == k
    assert np.max(np.abs(fitted.components_ @ fitted.components_.T - np.eye(2))) <= 1e-12


def test_another_number_than_the_wanted_one_is_told(monkeypatch):
    monkeypatch.setattr(Candidates, "best", lambda self, quota, *_, **__: np.eye(len(self.C))[:, : self.n])
    with pytest.warns(op.ConvergenceWarning, match="n_nonzero is 9, but 2 nonzeros"):
        SparsePCA(2, n_nonzero=9).fit(TABLES["wine"])


@pytest.mark.parametrize(("k", "seconds"), [(90, 0.2), (300, 0.3)])
def test_the_time_budget_holds_for_the_search(k, seconds):
    began = time.perf_counter()
    with pytest.warns(op.ConvergenceWarning) as caught:
        fitted = SparsePCA(8, n_nonzero=k, scale=True, max_seconds=seconds).fit(load_digits().data)
    assert time.perf_counter() - began < 10 * seconds  # a loaded machine included; without it, 4 s and more
    assert fitted.n_nonzero_.sum() == k
    assert fitted.result_.status is op.stopping.Status.TIME
    assert np.max(np.abs(fitted.components_ @ fitted.components_.T - np.eye(8))) <= 1e-12
    assert caught[0].filename == __file__


@pytest.mark.parametrize("points", [0, 1])
def test_nothing_that_takes_long_begins_when_the_time_is_over(monkeypatch, points):
    """No Newton step on 700 nonzeros and no rotation: a point of the path, or PCA's, has to do."""

    def never(*_):
        raise AssertionError("this takes long")

    C, n, k = np.cov(wide(60, 300, 0), rowvar=False), 4, 700
    monkeypatch.setattr(Face, "kkt", never)
    monkeypatch.setattr(candidates, "rotations", never)
    sparse = np.where(np.arange(300)[:, None] % 8 < 3, np.linalg.eigh(C)[1][:, -n:], 0.0)  # fewer than are wanted
    path = [np.linalg.qr(sparse)[0] * (sparse != 0)] * points
    over = Candidates(C, iter(()), Wanted(n), dense=False, deadline=Deadline(1e-9))
    over._points += path
    X = over.best(Quota(k), "variance", positive=False)
    assert over.cut
    assert np.count_nonzero(X) == k
    same(X.T @ X, np.eye(n), 1e-12)
    same(Face(C, X != 0).refit(X, deadline=Deadline(1e-9)), X, 1e-15)


def test_the_work_of_the_path_is_counted():
    fitted = SparsePCA(4, n_nonzero=20, scale=True).fit(TABLES["wine"])
    phases = {part.name: part for part in fitted.result_.phases}
    assert fitted.result_.work.runs > 1
    assert fitted.result_.work.gradients == sum(part.gradients for part in fitted.result_.phases)
    assert phases["start"].gradients > 0


def test_effort_and_a_start_have_a_say():
    A = load_diabetes(scaled=False).data
    fast, thorough = (SparsePCA(4, n_nonzero=15, scale=True, effort=effort).fit(A) for effort in ("fast", "thorough"))
    assert thorough.explained_variance_.sum() >= fast.explained_variance_.sum()
    best = thorough.components_.T
    for settings in ({"start": best}, {"start": best, "effort": "fast"}):
        again = SparsePCA(4, n_nonzero=15, scale=True, **settings).fit(A)
        assert again.explained_variance_.sum() >= thorough.explained_variance_.sum() * (1 - 1e-12)


def test_no_square_matrix_is_formed_of_wide_data(monkeypatch):
    """Neither by "l21" with a number of nonzeros nor along a path."""
    from orthoprox.estimators import covariance, table

    A, sizes = wide(25, 80, 1), []
    rows = covariance.Products.rows
    monkeypatch.setattr(covariance.Products, "rows", lambda self, chosen: sizes.append(len(chosen)) or rows(self, chosen))
    for module in (table, covariance):
        monkeypatch.setattr(module, "WIDE", 10)
    for module in (search, covariance):
        monkeypatch.setattr(module, "LARGE", 30)
    for name, value in (("_VARIABLES", 20), ("_ROWS", 2), ("_FEWEST_ROWS", 20)):
        monkeypatch.setattr(search, name, value)
    chosen = SparsePCA(2, n_nonzero=12, penalty="l21").fit(A)
    assert chosen.n_nonzero_.tolist() == [6, 6]
    path = SparsePCA(2).path(A, n_nonzeros=[12, 6])
    assert path.n_nonzeros.tolist() == [12, 6]
    singular = np.linalg.svd(A - A.mean(0), compute_uv=False) ** 2
    assert path.pca == pytest.approx(singular[:2].sum() / singular.sum(), rel=1e-8)
    assert max(sizes) <= 30


def test_all_variables_may_be_wanted_of_l21():
    A = TABLES["diabetes"][:, :3]
    np.testing.assert_array_equal(SparsePCA(3, n_nonzero=9, penalty="l21").fit(A).n_nonzero_, [3, 3, 3])


@pytest.mark.parametrize("penalty", ["l1", "mcp", "scad"])
def test_data_without_a_variance_have_components(penalty):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        fitted = SparsePCA(2, n_nonzero=5, penalty=penalty).fit(np.ones((6, 4)))
    same(fitted.components_ @ fitted.components_.T, np.eye(2), 1e-12)


def test_nonnegative_loadings_stay_so_where_there_is_no_time():
    with pytest.warns(op.ConvergenceWarning):
        fitted = SparsePCA(3, n_nonzero=9, nonnegative=True, max_seconds=1e-6).fit(TABLES["wine"])
    assert np.min(fitted.components_) >= 0


def test_numbers_that_no_orthonormal_matrix_has_are_told():
    """Three nonzeros in a 2 x 2 matrix would be two columns that share one row."""
    with pytest.warns(op.ConvergenceWarning, match="n_nonzero is 3, but 2 nonzeros were found"):
        SparsePCA(2, n_nonzero=3, scale=True).fit(TABLES["wine"][:, :2])


def test_sparse_rotations_are_orthonormal_and_hold_more_than_others():
    """They stay in the span of the principal components, and their largest entries hold more of
    it than those of a random rotation, or of the principal components.
    """
    C = op.datasets.pitprops().correlation
    V = principal(C)[1][:, :6]

    def held(X):
        return np.sum(np.sort(np.ravel(X**2))[-39:])

    found = sparse_rotations(C, 6, 39, 0, 5)
    for X in found:
        np.testing.assert_allclose(X.T @ X, np.eye(6), atol=1e-12)
        np.testing.assert_allclose(V @ (V.T @ X), X, atol=1e-12)
        assert held(X) > max(held(V), *(held(Y) for Y in random_rotations(C, 6, np.random.default_rng(1), 20)))
    assert np.all(np.diff([held(X) for X in found]) <= 0)
    for X in sparse_rotations(C, 6, 39, 1, 5):
        np.testing.assert_allclose(X.T @ X, np.eye(6), atol=1e-12)


def test_pit_props_with_39_nonzeros_explain_what_is_known_to_be_attainable():
    """scikit-learn's SparsePCA, which is not orthogonal, explains .86823 of it."""
    fitted = SparsePCA(6, n_nonzero=39).fit_covariance(op.datasets.pitprops().correlation)
    assert fitted.explained_variance_ratio_.sum() > 0.86823
