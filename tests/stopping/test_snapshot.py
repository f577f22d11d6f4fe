"""What a rule sees of an iterate."""

import numpy as np
import pytest

from orthoprox.stopping import Below
from snapshots import snapshot


def test_an_unknown_residual_is_named():
    with pytest.raises(ValueError, match=r"no residual 'smothing'; it has constraint, step"):
        Below(smothing=1.0).check(snapshot())


def test_a_residual_that_is_no_name_is_told_in_a_few_words():
    with pytest.raises(ValueError, match=r"no residual <a NumPy array of shape \(9, 9\)>; it has constraint, step"):
        snapshot().residual(np.ones((9, 9)))
