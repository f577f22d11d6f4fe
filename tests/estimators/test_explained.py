"""The order and signs of components."""

import numpy as np

from orthoprox.estimators.explained import ordered, variances


def test_components_come_by_their_variances_with_their_largest_entries_positive():
    rng = np.random.default_rng(0)
    C = np.cov(rng.standard_normal((40, 30)), rowvar=False)
    X = np.linalg.qr(rng.standard_normal((30, 4)))[0]
    Y = ordered(X, variances(C, X), np.arange(30))
    assert np.all(np.diff(variances(C, Y)) < 0)
    np.testing.assert_array_equal(np.max(Y, axis=0), np.max(np.abs(X), axis=0)[np.argsort(-variances(C, X))])
    np.testing.assert_array_equal(np.abs(ordered(X, None, np.arange(30))), np.abs(X))


def test_of_equal_entries_the_first_in_the_order_is_positive():
    X = np.array([[-1.0], [1.0]]) / np.sqrt(2)
    np.testing.assert_array_equal(ordered(X, None, np.array([0, 1])), -X)
    np.testing.assert_array_equal(ordered(X, None, np.array([1, 0])), X)
