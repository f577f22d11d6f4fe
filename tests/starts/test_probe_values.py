"""The value of a probe where f is not a number."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import orthoprox as op
from orthoprox._adaptive.settings import SETTINGS


@pytest.mark.parametrize(("values", "expected"), [((1.0,), 1.0), ((np.nan, 2.0), 2.0), ((np.nan, np.nan), np.inf)])
def test_a_probe_that_ends_nowhere_promises_nothing(monkeypatch, values, expected):
    """f may be NaN where a probe ends, at the point of the manifold or at both."""
    values = iter((0.0, *values))  # the first is that of the start
    problem = op.Problem(op.smooth.Function(lambda X: next(values), lambda X: 0 * X), op.nonsmooth.Zero(), (4, 2))
    search = import_module("orthoprox.starts.search")
    monkeypatch.setattr(search, "SETTINGS", replace(SETTINGS, probe=0))
    assert search.probe_value(problem, np.eye(4, 2)) == expected
