"""Clocks and products for fair comparisons."""

import numpy as np

from benchmarks.studies import timing
from orthoprox._linalg import products


def test_products_are_dense_only_for_as_long_as_it_is_asked():
    X = np.zeros((400, 100))
    with timing.dense_products():
        assert products.support(X) is None
    assert products.support(X) is not None
