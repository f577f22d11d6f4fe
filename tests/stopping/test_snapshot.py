"""What a rule sees of an iterate."""

import pytest

from orthoprox.stopping import Below
from snapshots import snapshot


def test_an_unknown_residual_is_named():
    with pytest.raises(ValueError, match=r"no residual 'smothing'; it has constraint, step"):
        Below(smothing=1.0).check(snapshot())
