"""Parameters that do not fit are refused with the fix."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox import SparsePCA

A = np.random.default_rng(0).standard_normal((20, 5))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": 6}, "ask for at most 5"),
        ({"n_nonzero": 1}, "it needs 2 "),
        ({"n_nonzero": 11}, r"to 10 \(5 variables times 2\)"),
        ({"n_nonzero": [3]}, "2 numbers, one for each component"),
        ({"n_nonzero": [3, 6]}, "from 1 to 5"),
        ({"n_nonzero": [3, 0]}, "whole number >= 1"),
        ({"n_nonzero": [3, 3], "penalty": "l21"}, "pass their sum"),
        ({"n_nonzero": 3, "penalty": "l21"}, "it needs 4 "),
        ({"n_nonzero": 1.5}, "n_nonzero"),
        ({"alpha": 1.1}, "alpha"),
        ({"alpha": -0.1}, "alpha"),
        ({"penalty": "l2"}, "penalty"),
        ({"nonnegative": True, "penalty": "mcp"}, "goes with penalty='l1'"),
        ({"criterion": "bic"}, "criterion"),
        ({"start": np.ones((3, 2))}, "start has shape"),
        ({"scale": [1, 1, 0, 1, 1]}, "needs entries > 0"),
        ({"center": [1, 2]}, "center has shape"),
        ({"effort": "huge"}, "effort"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        SparsePCA(**{"n_components": 2, **settings}).fit(A)


def test_a_term_without_a_weight_cannot_have_a_number_of_nonzeros():
    with pytest.raises(TypeError, match="has no weight"):
        SparsePCA(2, n_nonzero=4, penalty=op.nonsmooth.Nonnegative()).fit(A)


def test_a_share_of_nonzeros_is_rounded():
    assert SparsePCA(2, n_nonzero=0.5).fit(A).n_nonzero_.sum() == 5
    assert SparsePCA(2, n_nonzero=0.01).fit(A).n_nonzero_.sum() == 2


def test_an_unmet_tolerance_is_told():
    with pytest.warns(op.ConvergenceWarning):
        SparsePCA(2, tol=1e-12, max_iter=1, refit=False).fit(A)


def test_a_time_budget_of_nothing_still_gives_orthonormal_components():
    with pytest.warns(op.ConvergenceWarning):
        X = SparsePCA(2, max_seconds=1e-9).fit(A).components_
    assert np.max(np.abs(X @ X.T - np.eye(2))) <= 1e-12
