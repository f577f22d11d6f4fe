"""The Barzilai-Borwein steps of PLAM and PCAL."""

from itertools import pairwise

import pytest

from orthoprox import stiefel
from orthoprox.solvers import PCAL, PLAM
from small_problems import SMOOTH, X0, run


@pytest.mark.parametrize("kind", [PLAM, PCAL])
def test_barzilai_borwein_steps_have_a_smallest_length(kind):
    """tau = |<s, y>| / <y, y>, never below ``smallest``; the first step is ``first``."""
    states = run(kind(first=0.01, smallest=0.5), SMOOTH, X0, 20)
    assert states[0].tau == 0.01
    for old, new in pairwise(states):
        s, y = new.X - old.X, new.V - old.V
        assert new.tau == pytest.approx(max(0.5, abs(stiefel.inner(s, y)) / stiefel.inner(y, y)))
