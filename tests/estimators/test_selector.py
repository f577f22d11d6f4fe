"""Variables chosen without labels: scikit-learn's checks, and that the choice is a good one."""

import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from orthoprox import RowSparseSelector, SparsePCA

WINE = load_wine(as_frame=True)
A, y = WINE.data, WINE.target
ARRAY_API = "check_array_api_input"  # asks for a setting that holds for a whole process
CHECKS = [check for _, check in estimator_checks_generator(RowSparseSelector()) if check.func.__name__ != ARRAY_API]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_scikit_learn_checks(check):
    check(RowSparseSelector())


def test_scikit_learn_check_of_the_array_api():
    code = (
        "from orthoprox import RowSparseSelector\n"
        "from sklearn.utils.estimator_checks import estimator_checks_generator\n"
        f"found = [c for _, c in estimator_checks_generator(RowSparseSelector()) if c.func.__name__ == {ARRAY_API!r}]\n"
        "for check in found: check(RowSparseSelector())\n"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"SCIPY_ARRAY_API": "1"}, check=True)


@pytest.mark.parametrize(("wanted", "number"), [(6, 6), (0.5, 6), (None, 6), (13, 13), (1, 1), (0.01, 1)])
def test_exactly_the_wanted_variables_are_chosen_and_components_use_no_others(wanted, number):
    fitted = RowSparseSelector(wanted, scale=True).fit(A)
    assert fitted.get_support().sum() == fitted.n_features_ == number
    np.testing.assert_array_equal(fitted.transform(A), A.to_numpy()[:, fitted.support_])
    assert not np.any(fitted.components_[:, ~fitted.support_])
    n = fitted.n_components_
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(n), atol=1e-12)
    assert list(fitted.get_feature_names_out()) == list(A.columns[fitted.support_])


@pytest.mark.parametrize("seed", range(5))
def test_no_other_choice_of_variables_explains_a_tenth_more(seed):
    """Beside all choices of four of nine variables; the best one is found in most cases."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((60, 9)) @ rng.standard_normal((9, 9))
    C = np.cov(B, rowvar=False)
    best = max(np.sum(np.linalg.eigvalsh(C[np.ix_(S, S)])[-2:]) for S in combinations(range(9), 4)) / np.trace(C)
    found = np.sum(RowSparseSelector(4, n_components=2).fit(B).explained_variance_ratio_)
    assert 0.9 * best <= found <= best * (1 + 1e-12)


def test_variables_of_noise_are_left_out():
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((200, 2))
    signal = factors @ rng.standard_normal((2, 5)) + 0.1 * rng.standard_normal((200, 5))
    B = np.concatenate([0.3 * rng.standard_normal((200, 10)), signal], axis=1)
    assert list(np.flatnonzero(RowSparseSelector(5, n_components=2).fit(B).support_)) == [10, 11, 12, 13, 14]


def test_sparse_data_and_units():
    B = sp.random(60, 20, density=0.3, format="csr", random_state=0)
    dense = RowSparseSelector(7, scale=True).fit(B.toarray())
    for other in (B, 1e6 * B.tocsc()):
        np.testing.assert_array_equal(RowSparseSelector(7, scale=True).fit(other).support_, dense.support_)
    assert sp.issparse(dense.transform(B))


def test_a_pipeline_and_a_grid_search_take_it():
    pipeline = make_pipeline(VarianceThreshold(), RowSparseSelector(scale=True), LogisticRegression(max_iter=5000))
    search = GridSearchCV(pipeline, {"rowsparseselector__n_features": [3, 8]}, cv=3).fit(A, y)
    assert search.best_score_ > 0.85
    assert list(RowSparseSelector(3).set_output(transform="pandas").fit_transform(A).columns)


def test_it_is_what_sparse_pca_chooses():
    fitted = SparsePCA(3, n_nonzero=18, penalty="l21", scale=True).fit(A)
    chosen = RowSparseSelector(6, n_components=3, scale=True).fit(A)
    np.testing.assert_array_equal(chosen.support_, np.any(fitted.components_ != 0, axis=0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_features": 14}, "n_features=14 is larger than the 13"),
        ({"n_features": 2, "n_components": 3}, "n_components=3 is larger than n_features=2"),
        ({"n_features": 1.5}, "n_features"),
        ({"scale": [1.0]}, "scale"),
    ],
)
def test_what_cannot_be_chosen_is_told(settings, message):
    with pytest.raises(ValueError, match=message):
        RowSparseSelector(**settings).fit(A)


def test_without_scikit_learn_the_message_names_the_extra():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import orthoprox\n"
        "try: orthoprox.RowSparseSelector\n"
        "except ImportError as error: assert 'orthoprox[sklearn]' in str(error)\n"
        "else: raise SystemExit('no ImportError')\n"
        "assert orthoprox.match_graphs and orthoprox.anndata.spca  # need none\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
