"""scikit-learn's own checks, and what its users do with an estimator."""

import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from orthoprox import SparsePCA

WINE = load_wine(as_frame=True)
A, y = WINE.data, WINE.target
ARRAY_API = "check_array_api_input"  # asks for a setting that holds for a whole process


def checks(estimator):
    return [check for _, check in estimator_checks_generator(estimator) if check.func.__name__ != ARRAY_API]


def named(check):
    return check.func.__name__


@pytest.mark.parametrize("check", checks(SparsePCA()), ids=named)
def test_scikit_learn_checks_by_alpha(check):
    check(SparsePCA())


@pytest.mark.parametrize("check", checks(SparsePCA(n_components=1, n_nonzero=0.5)), ids=named)
def test_scikit_learn_checks_by_nonzeros(check):
    check(SparsePCA(n_components=1, n_nonzero=0.5))


def test_scikit_learn_check_of_the_array_api():
    code = (
        "from orthoprox import SparsePCA\n"
        "from sklearn.utils.estimator_checks import estimator_checks_generator\n"
        f"found = [c for _, c in estimator_checks_generator(SparsePCA()) if c.func.__name__ == {ARRAY_API!r}]\n"
        "for check in found: check(SparsePCA())\n"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"SCIPY_ARRAY_API": "1"}, check=True)


def test_importing_orthoprox_does_not_import_scikit_learn():
    code = "import sys, orthoprox; assert 'sklearn' not in sys.modules; assert 'SparsePCA' in orthoprox.__all__"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_scikit_learn_the_message_names_the_extra():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import orthoprox\n"
        "try: orthoprox.SparsePCA\n"
        "except ImportError as error: assert 'orthoprox[sklearn]' in str(error)\n"
        "else: raise SystemExit('no ImportError')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_clone_pickle_and_joblib_keep_the_components(tmp_path):
    fitted = SparsePCA(3, n_nonzero=12, scale=True).fit(A)
    joblib.dump(fitted, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model"), clone(fitted).fit(A)):
        np.testing.assert_array_equal(copy.components_, fitted.components_)
        np.testing.assert_array_equal(copy.transform(A), fitted.transform(A))


def test_a_grid_search_over_alpha_and_over_nonzeros_finds_a_pipeline():
    pipeline = make_pipeline(SparsePCA(2, scale=True), LogisticRegression())
    grid = [{"sparsepca__alpha": [0.1, 0.3]}, {"sparsepca__n_nonzero": [4, 10]}]
    search = GridSearchCV(pipeline, grid, cv=3).fit(A, y)
    assert search.best_score_ > 0.9
    assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))


def test_the_score_of_a_grid_search_without_labels_is_the_explained_share():
    fitted = SparsePCA(3, n_nonzero=10, scale=True).fit(A)
    assert fitted.score(A) == pytest.approx(fitted.explained_variance_ratio_.sum(), rel=1e-12)


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_names_of_variables_come_from_data_frames(table):
    frame = table({name: A[name].to_numpy() for name in A.columns})
    fitted = SparsePCA(2, n_nonzero=6, scale=True).fit(frame)
    assert list(fitted.feature_names_in_) == list(A.columns)
    assert list(fitted.to_frame().index) == list(A.columns)
    assert list(fitted.get_feature_names_out()) == ["sparsepca0", "sparsepca1"]
    np.testing.assert_array_equal(fitted.to_frame().to_numpy().T, fitted.components_)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output_gives_data_frames(output):
    scores = SparsePCA(2, scale=True).set_output(transform=output).fit_transform(A)
    assert list(scores.columns) == ["sparsepca0", "sparsepca1"]


def test_notebooks_show_the_diagram_of_scikit_learn():
    assert "sk-estimator" in SparsePCA(2)._repr_html_()
