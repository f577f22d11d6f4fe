"""How a run ends."""

import numpy as np

from orthoprox._run.ending import zero_columns


def test_zero_columns_are_counted():
    X = np.eye(4, 3)
    assert zero_columns(X) == ""
    X[:, 1] = 0
    assert zero_columns(X).startswith("1 column(s)")
