"""The order and signs of components."""

import numpy as np

from orthoprox.estimators.explained import arranged, ordered, variances
from orthoprox.estimators.starts import canonical


def test_components_are_arranged_by_their_variances_alone():
    """Without the matrix the result is the same, as long as no two entries are equal."""
    rng = np.random.default_rng(0)
    C = np.cov(rng.standard_normal((40, 30)), rowvar=False)
    X = np.linalg.qr(rng.standard_normal((30, 4)))[0]
    np.testing.assert_array_equal(arranged(variances(C, X), canonical(C), X), ordered(C, X))
    np.testing.assert_array_equal(arranged(variances(C, X), np.arange(30), X), ordered(C, X))
