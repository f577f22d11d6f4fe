"""The deadline of a call."""

import pytest

from orthoprox.stopping import MaxIterations, MaxSeconds, deadline
from orthoprox.stopping.deadline import Deadline


@pytest.fixture
def clock(monkeypatch):
    """A clock that shows what it is told."""
    shown = [100.0]
    monkeypatch.setattr(deadline, "perf_counter", lambda: shown[0])
    return shown


def test_a_deadline_is_half_over_and_then_over(clock):
    end = Deadline(10.0)
    for now, left, half, over in [(100.0, 10.0, False, False), (105.0, 5.0, True, False), (112.0, -2.0, True, True)]:
        clock[0] = now
        assert (end.left(), end.half_over(), end.over()) == (left, half, over)


def test_a_rule_gets_its_share_of_the_time_that_is_left(clock):
    end, rule = Deadline(10.0), MaxIterations(3)
    clock[0] = 104.0
    assert end.within(rule) == rule | MaxSeconds(6.0)
    assert end.within(rule, 3) == rule | MaxSeconds(2.0)
    clock[0] = 120.0
    assert 0 < end.within(rule).second.seconds <= 1e-6  # which ends a run at once


def test_a_budget_is_a_positive_number():
    with pytest.raises(ValueError, match="max_seconds"):
        Deadline(0.0)
