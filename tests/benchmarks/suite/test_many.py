"""Runs of other methods in the time of a call."""

import numpy as np
from benchmarks.suite.cases import cases

from benchmarks.suite import many


class Clock:
    """A clock that a run moves on by a second."""

    now = 0.0

    def __call__(self):
        return self.now


def test_runs_that_begin_within_the_time_count_and_the_lowest_is_told(monkeypatch):
    case, clock, values = next(iter(cases("tuning", "Gaussian"))), Clock(), iter([-1.0, -3.0, -2.0, -9.0])

    def run(problem, method, X0):
        clock.now += 1.0
        np.testing.assert_allclose(X0.T @ X0, np.eye(X0.shape[1]), atol=1e-12)
        return type("Result", (), {"X": X0})

    monkeypatch.setattr(many, "process_time", clock)
    monkeypatch.setattr(many, "solved_by", run)
    monkeypatch.setattr(many, "objective", lambda case, X: next(values))
    assert many.restarted(case, "soc", 2.5) == (-3.0, 3)
