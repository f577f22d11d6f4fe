"""Arithmetic that is quiet, whatever the caller has set."""

import numpy as np
import pytest

from orthoprox._arrays.arithmetic import quiet

CASES = [(np.exp, -1e6, 0.0), (np.exp, 1e6, np.inf), (np.log, 0.0, -np.inf), (np.sqrt, -1.0, np.nan)]


@pytest.mark.parametrize(("function", "x", "expected"), CASES, ids=["underflow", "overflow", "division", "undefined"])
@pytest.mark.parametrize("state", ["raise", "warn", "print", "ignore"])
@pytest.mark.filterwarnings("error")
def test_nothing_is_raised_warned_or_printed(function, x, expected, state, capsys):
    with np.errstate(all=state):
        before = np.geterr()
        np.testing.assert_equal(quiet()(function)(np.float64(x)), expected)
        with quiet():
            np.testing.assert_equal(function(np.float64(x)), expected)
        assert np.geterr() == before
    assert capsys.readouterr() == ("", "")
