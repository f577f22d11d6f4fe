"""The meter of a call: time and work, booked to its parts."""

from time import perf_counter

import pytest

from orthoprox.problems.work import Work
from orthoprox.stopping import clock as module
from orthoprox.stopping.clock import Meter


@pytest.fixture
def clock(monkeypatch):
    """Two clocks that show what they are told: wall time and processor time."""
    shown = {"wall": 100.0, "processor": 10.0}
    monkeypatch.setattr(module, "perf_counter", lambda: shown["wall"])
    monkeypatch.setattr(module, "processor_time", lambda: shown["processor"])
    return shown


def work_for(meter, clock, seconds):
    """Work for some seconds on two processors, a gradient each second."""
    clock["wall"] += seconds
    clock["processor"] += 2 * seconds
    meter.work.gradients += int(seconds)


def test_an_inner_part_pauses_the_one_around_it(clock):
    meter = Meter("start")
    work_for(meter, clock, 1)
    with meter.part("run"):
        work_for(meter, clock, 2)
        with meter.part("certificate"):
            work_for(meter, clock, 4)
        work_for(meter, clock, 8)
    work_for(meter, clock, 16)
    assert [(part.name, part.seconds, part.gradients) for part in meter.totals()["phases"]] == [
        ("start", 17.0, 17),
        ("run", 10.0, 10),
        ("certificate", 4.0, 4),
    ]
    assert meter.seconds("run") == 10.0
    assert meter.cpu_seconds("run") == 20.0
    assert meter.seconds() == 31.0
    assert (meter.totals()["seconds"], meter.totals()["cpu_seconds"]) == (31.0, 62.0)


def test_the_time_of_a_part_can_be_read_while_it_is_at_work(clock):
    meter = Meter("start")
    with meter.part("run"):
        work_for(meter, clock, 3)
        assert (meter.seconds("run"), meter.seconds("start"), meter.seconds()) == (3.0, 0.0, 3.0)
        assert (meter.cpu_seconds("run"), meter.cpu_seconds("start")) == (6.0, 0.0)


def test_an_error_ends_a_part(clock):
    meter = Meter("start")

    def interrupted():
        with meter.part("run"):
            work_for(meter, clock, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    work_for(meter, clock, 1)
    assert {part.name: part.seconds for part in meter.totals()["phases"]} == {"start": 1.0, "run": 3.0}


def test_the_parts_are_in_the_order_of_a_call_and_add_up_exactly():
    meter = Meter("start")
    for name in ("certificate", "polish", "run", "lower minima") * 50:
        with meter.part(name):
            meter.work.gradients += 1
            end = perf_counter() + 1e-5
            while perf_counter() < end:
                pass
    totals = meter.totals()
    assert [part.name for part in totals["phases"]] == list(module.PARTS)
    assert sum(part.seconds for part in totals["phases"]) == totals["seconds"] >= 200 * 1e-5
    assert sum(part.gradients for part in totals["phases"]) == totals["work"].gradients == 200
    assert totals["cpu_seconds"] > 0


def test_a_meter_begins_with_what_it_has_not_done():
    """A meter for the runs within another part shares its work."""
    meter = Meter("start", Work(gradients=5))
    meter.work.gradients += 2
    assert meter.totals()["phases"][0].gradients == 2
    assert meter.totals()["work"].gradients == 7


def test_totals_do_not_change_afterwards():
    meter = Meter("run")
    meter.left["run"] = -1.0
    totals = meter.totals()
    meter.work.gradients += 1
    assert totals["work"].gradients == 0
    assert totals["phases"][0].objective == -1.0


def test_work_that_was_done_elsewhere_is_booked_to_the_part_at_work(clock):
    meter = Meter("start")
    with meter.part("run"):
        meter.work.add(Work(gradients=3, values=4, proxes=5, runs=1))
    totals = meter.totals()
    assert {part.name: part.gradients for part in totals["phases"]} == {"start": 0, "run": 3}
    assert totals["work"] == Work(3, 4, 5, 1)
