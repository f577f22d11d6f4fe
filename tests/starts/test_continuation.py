"""The start from a path of smoothed problems."""

import numpy as np

from cases import gaussian_pca
from orthoprox.starts import STARTS, smoothed


def test_smoothed_is_lower_than_random():
    problem = gaussian_pca()
    assert problem.value(smoothed(problem, np.random.default_rng(0))) < problem.value(
        STARTS["random"](problem, np.random.default_rng(0))
    )
