"""The value of a probe where f is not a number."""

from importlib import import_module

import numpy as np
import pytest

import orthoprox as op


@pytest.mark.parametrize(("values", "expected"), [((1.0,), 1.0), ((np.nan, 2.0), 2.0), ((np.nan, np.nan), np.inf)])
def test_a_probe_that_ends_nowhere_promises_nothing(monkeypatch, values, expected):
    """f may be NaN where a probe ends, at the point of the manifold or at both."""
    values = iter(values)
    problem = op.Problem(op.smooth.Function(lambda X: next(values), lambda X: 0 * X), op.nonsmooth.Zero(), (4, 2))
    X = np.eye(4, 2)
    probe = import_module("orthoprox.starts.search")
    monkeypatch.setattr(probe, "PROBE", 0)
    monkeypatch.setattr(probe.Adaptive, "init", lambda self, problem, X: X)
    monkeypatch.setattr(probe.Adaptive, "output", lambda self, state: state)
    assert probe.probe_value(problem, X) == expected
