"""The search for a start within a time budget."""

from importlib import import_module

import numpy as np
import pytest

from orthoprox import starts
from orthoprox.starts.search import search
from orthoprox.stopping.deadline import Deadline
from small_problems import GAUSSIAN


def test_the_search_takes_what_is_at_hand_when_time_is_short():
    tried = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("orthoprox.starts.search"), "probe_value", lambda problem, X: tried.append(X) or 0.0)
        found = search(GAUSSIAN, np.random.default_rng(0), 3, deadline=Deadline(1e-9))
    assert len(found) == 3
    assert tried == []
    np.testing.assert_array_equal(found[0], starts.coordinates(GAUSSIAN, np.random.default_rng(0)))
