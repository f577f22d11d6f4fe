"""The deadline of a call, and Ctrl-C."""

import signal
import threading
from math import inf

import pytest

from orthoprox.stopping import Status
from orthoprox.stopping import clock as module
from orthoprox.stopping.clock import Deadline, Stopped


@pytest.fixture
def clock(monkeypatch):
    """A clock that shows what it is told."""
    shown = [100.0]
    monkeypatch.setattr(module, "perf_counter", lambda: shown[0])
    return shown


def press():
    signal.raise_signal(signal.SIGINT)


def test_a_call_may_go_on_until_its_deadline(clock):
    end = Deadline(10.0)
    for now, left, over in [(100.0, 10.0, False), (109.0, 1.0, False), (112.0, -2.0, True)]:
        clock[0] = now
        assert end.left() == left
        if over:
            with pytest.raises(Stopped):
                end.heed()
        else:
            end.heed()
    assert end.status is Status.TIME


def test_without_a_budget_no_clock_is_read(monkeypatch):
    monkeypatch.setattr(module, "perf_counter", None)
    end = Deadline()
    with end.part(0.1), end.reserving(True):
        end.heed()
    assert (end.left(), end.affords()) == (inf, True)


def test_a_part_ends_quietly_when_its_share_is_over(clock):
    end, done = Deadline(10.0), []
    clock[0] = 102.0
    with end.part(0.25):
        clock[0] = 103.0
        end.heed()
        with end.part(0.5):  # of the second that is left of this part
            clock[0] = 103.6
            end.heed()
        done.append("inner")
        clock[0] = 104.0
        end.heed()
        done.append("never")
    assert done == ["inner"]
    end.heed()  # the call has six seconds more


def test_what_a_measurement_takes_is_reserved_for_the_last_one(clock):
    end = Deadline(10.0)
    with end.reserving(True):
        clock[0] = 103.0
    with end.reserving(False):
        clock[0] = 106.5
    end.heed()
    clock[0] = 107.0
    with pytest.raises(Stopped):
        end.heed()
    clock[0] = 111.0
    with end.unheeded():
        end.heed()
        clock[0] = 111.2
        with pytest.raises(Stopped):
            end.heed()
    clock[0] = 108.0
    assert end.affords()  # a little late
    clock[0] = 110.0
    assert not end.affords()


def test_the_first_ctrl_c_ends_the_call_at_its_next_look_and_the_second_raises():
    end, before = Deadline(), signal.getsignal(signal.SIGINT)
    with end.listening():
        press()
        assert end.interrupted
        with pytest.raises(Stopped):
            end.heed()
        with pytest.raises(KeyboardInterrupt):
            press()
    assert end.status is Status.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_ends_a_users_function_at_once():
    end, done = Deadline(), []

    def function():
        press()
        done.append("never")

    with end.listening(), pytest.raises(Stopped):
        end.call(function)
    assert done == []
    with pytest.raises(Stopped):
        end.heed()


def test_the_last_measurement_is_not_ended_by_the_first_ctrl_c():
    end, done = Deadline(), []
    with end.listening(), end.unheeded():
        end.call(lambda: done.append(press()))
        with pytest.raises(KeyboardInterrupt):
            end.call(press)
    assert len(done) == 1


def test_ctrl_c_reaches_a_call_and_the_call_around_it():
    outer, inner = Deadline(), Deadline()
    with outer.listening():
        with inner.listening():
            press()
        assert outer.interrupted
        assert inner.interrupted
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler


def test_a_keyboard_interrupt_from_elsewhere_counts_as_ctrl_c():
    """As from a handler of the program's own: it is raised wherever the call is."""
    end = Deadline()
    with end.part():
        raise KeyboardInterrupt
    assert end.interrupted
    with pytest.raises(KeyboardInterrupt), end.part():
        raise KeyboardInterrupt


def test_a_handler_of_the_programs_own_stays(monkeypatch):
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with Deadline().listening():
            press()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_other_threads_do_not_listen():
    ends = []

    def work():
        with Deadline().listening():
            ends.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ends == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_budget_is_a_positive_number(seconds):
    with pytest.raises(ValueError, match="max_seconds"):
        Deadline(seconds)
