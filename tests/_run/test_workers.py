"""Processes that execute functions: their environment, their end, and functions that fail there."""

import os
import signal
import sys
import time
from math import inf
from types import SimpleNamespace

import pytest

import elsewhere
from elsewhere import output, program, runs, until
from orthoprox._run import workers
from orthoprox._run.workers import _THREADS, WorkerError, Workers, cores, may_start

pytestmark = pytest.mark.extended


def test_cores_are_those_that_this_process_may_use():
    assert 1 <= cores() <= min(os.cpu_count(), 61)


def test_a_worker_has_one_blas_thread_and_the_environment_here_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    with Workers(1) as pool:
        assert dict(os.environ) == before
        found = [pool.submit(elsewhere.look, name) for name in _THREADS]
        assert [one.result(60) for one in found] == ["1"] * len(_THREADS)
    assert dict(os.environ) == before


def test_workers_are_other_processes_and_end_with_their_block():
    with Workers(2) as pool:
        found = {pool.submit(elsewhere.number).result(60) for _ in range(6)}
        assert os.getpid() not in found
        assert 1 <= len(found) <= 2
        assert all(map(runs, found))
    assert not any(map(runs, found))


def test_an_exception_ends_them_at_once():
    begin = time.monotonic()
    found = []

    def interrupted():
        with Workers(1) as pool:
            found.append(pool.submit(elsewhere.number).result(60))
            for _ in range(2):
                pool.submit(elsewhere.pause, 120)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not runs(found[0])
    assert time.monotonic() - begin < 60


def test_a_function_that_raises_fails_and_the_next_one_does_not():
    with Workers(1) as pool:
        failed, done = pool.submit(elsewhere.fail), pool.submit(elsewhere.number)
        with pytest.raises(WorkerError, match="raised an exception"):
            failed.result(60)
        assert runs(done.result(60))


def test_a_worker_that_dies_fails_what_it_does_and_what_comes_to_it():
    with Workers(1) as pool:
        for one in [pool.submit(elsewhere.die), pool.submit(elsewhere.number)]:
            with pytest.raises(WorkerError, match="killed from outside"):
                one.result(60)


def test_a_deadline_begins_when_the_function_arrives():
    with Workers(1) as pool:
        limited, free = pool.submit(elsewhere.seconds_left, seconds=lambda: 7.0), pool.submit(elsewhere.seconds_left)
        assert 5 < limited.result(60) < 7
        assert free.result(60) == inf
        assert pool.submit(elsewhere.seconds_left, seconds=lambda: -1.0).result(60) <= 0


def test_stop_ends_what_is_at_work_and_nothing_begins():
    """A function that sleeps is woken up; one that waits for its turn fails."""
    with Workers(1) as pool:
        pool.submit(elsewhere.number).result(60)
        at_work, waiting = pool.submit(elsewhere.heard), pool.submit(elsewhere.number)
        time.sleep(0.5)
        begin = time.monotonic()
        pool.stop()
        pool.stop()
        assert at_work.result(60) is True
        assert time.monotonic() - begin < 10
        with pytest.raises(WorkerError, match="before it began"):
            waiting.result(60)


def test_a_stop_that_comes_early_is_not_lost():
    """Even before the function listens to Ctrl-C."""
    with Workers(1) as pool:
        pool.submit(elsewhere.number).result(60)
        at_work = pool.submit(elsewhere.heeded)
        while not pool._all[0]._at_work:
            pass
        pool.stop()
        assert at_work.result(60) is True


def test_stop_ends_workers_that_are_not_ready():
    begin = time.monotonic()
    with Workers(1) as pool:
        one = pool.submit(elsewhere.number)
        pool.stop()
        with pytest.raises(WorkerError):
            one.result(60)
    assert time.monotonic() - begin < 30


def test_what_is_printed_goes_to_stderr():
    text = (
        "import elsewhere\nfrom orthoprox._run.workers import Workers\n"
        "with Workers(1) as pool: print(pool.submit(elsewhere.talk).result(60))\n"
    )
    with program(text) as process:
        out, err = process.communicate(timeout=elsewhere.SECONDS)
    assert out == "None\n"
    assert err == "printed\nwritten\n"


def test_a_module_of_the_working_directory_does_not_shadow_the_library(tmp_path):
    """Workers look for modules where the program does, and nowhere else."""
    (tmp_path / "pickle.py").write_text("raise RuntimeError('the wrong one')")
    text = (
        "import sys; sys.path.remove('')\nimport elsewhere\nfrom orthoprox._run.workers import Workers\n"
        "with Workers(1) as pool: print(pool.submit(elsewhere.seconds_left).result(60))\n"
    )
    assert output(program(text, cwd=tmp_path)) == "inf\n"


@pytest.mark.parametrize("change", [{"executable": ""}, {"frozen": True}])
def test_no_worker_starts_without_an_interpreter(monkeypatch, change):
    assert may_start()
    monkeypatch.setattr(workers, "sys", SimpleNamespace(**{"executable": sys.executable, "modules": sys.modules} | change))
    assert not may_start()


KILLED = """
import os, sys, time
import elsewhere
from orthoprox._run.workers import Workers
with Workers(2) as pool:
    found = set()
    while len(found) < 2:
        found |= {one.result() for one in [pool.submit(elsewhere.slow_number) for _ in range(4)]}
    for _ in range(2):
        pool.submit(elsewhere.pause, 300)
    time.sleep(0.3)
    forked = os.fork() if sys.argv[1] == "fork" else 0
    if forked == 0 and sys.argv[1] == "fork":
        time.sleep(60)
        os._exit(0)
    print(*found, flush=True)
    print(forked, flush=True)
    time.sleep(300)
"""


@pytest.mark.parametrize(("way", "number"), [("alone", signal.SIGKILL), ("alone", signal.SIGTERM), ("fork", signal.SIGKILL)])
def test_no_worker_outlives_a_process_that_is_killed(way, number):
    """Even if a process that it forked still holds the pipes."""
    with program(KILLED, way) as process:
        found, forked = process.stdout.readline().split(), int(process.stdout.readline())
        try:
            assert len(found) == 2
            assert all(map(runs, found))
            process.send_signal(number)
            process.wait(60)
            assert until(lambda: not any(map(runs, found)), 20)
        finally:
            if forked:
                os.kill(forked, signal.SIGKILL)
            process.kill()
