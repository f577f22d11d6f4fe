"""Runs in processes of their own: grouped, one BLAS thread each, timed ones alone and last."""

import multiprocessing
import os
import signal
import time
from collections import Counter
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace

import pytest

from orthoprox._run.pool import _THREADS, _one_thread, processes
from orthoprox.reproduce import workers
from orthoprox.reproduce.spec import Run, load, names
from orthoprox.reproduce.studies import STUDIES, quadratics
from orthoprox.reproduce.workers import Task, _outcomes, tasks, work

CORES = workers.cores
OWN = [name for name in names() if not load(name).uses]


@pytest.fixture(autouse=True)
def one_core(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 1)


def changed(run, **parameters):
    """Return a run with a small cap and some parameters changed."""
    stop = {**run.settings["stop"], "max_iterations": 20}
    return Run(run.at, {**run.settings, "stop": stop, "parameters": {**run.settings["parameters"], **parameters}})


@pytest.mark.parametrize("name", OWN)
def test_tasks_cover_each_run_once(name):
    runs = load(name, quick=True).runs()
    found = tasks(runs)
    assert Counter(run.key for task in found for run in task.runs) == Counter(run.key for run in runs)
    assert {task.study for task in found} == {load(name).study}
    assert all(task.runs for task in found)


@pytest.mark.parametrize("name", OWN)
def test_tasks_are_grouped_as_the_study_says(name):
    study = STUDIES[load(name).study]
    found = tasks(load(name, quick=True).runs())
    if study.group is not None:
        groups = [{study.group(run.settings) for run in task.runs} for task in found]
        assert all(len(group) == 1 for group in groups)
        assert len(set().union(*groups)) == len(found), "no group is parted"
    elif study.timed:
        assert {len(task.runs) for task in found} == {1}
    else:
        assert len(found) == 4
        assert len({len(task.runs) for task in found[:-1]}) == 1


@pytest.mark.parametrize(("cores", "count"), [(1, 4), (2, 8), (16, 64)])
def test_untimed_runs_are_shared_among_the_cores(monkeypatch, cores, count):
    monkeypatch.setattr(workers, "cores", lambda: cores)
    runs = load("fig-qp-range", quick=True).runs()
    found = tasks(runs)
    assert count - 1 <= len(found) <= count
    assert max(len(task.runs) for task in found) <= len(runs) / count + 1
    assert [run.key for task in found for run in task.runs] == [run.key for run in runs]


def test_fewer_runs_than_shares_make_single_runs():
    assert [len(task.runs) for task in tasks(load("fig-qp-range", quick=True).runs()[:3])] == [1, 1, 1]


def test_methods_that_are_compared_are_done_together():
    for task in tasks(load("table-spca-rsm", quick=True).runs()):
        assert [run.at["solver"] for run in task.runs] == ["manpg-ada", "soc", "radmm", "lsalm"]
        assert len({(run.at["m"], run.at["start"], run.at["seed"]) for run in task.runs}) == 1


def test_cores_are_those_that_this_process_may_use():
    assert 1 <= CORES() <= min(os.cpu_count(), 61)


def test_no_runs_make_no_tasks():
    assert tasks([]) == []
    work([], lambda task, outcomes: pytest.fail("there was nothing to do"))


def test_the_time_of_a_task_is_that_of_its_runs():
    (first, *_) = tasks(load("fig-qp-r-beta", quick=True).runs())
    assert first.seconds == pytest.approx(sum(Task(first.study, (run,)).seconds for run in first.runs))
    alike = {run.at["m"]: run for run in load("table-spca").runs() if (run.at["solver"], run.at["seed"]) == ("soc", 0)}
    small, large = (Task("spca", (alike[m],)) for m in (300, 800))
    assert large.seconds > 10 * small.seconds > 0


def test_which_studies_are_timed():
    assert {name for name, study in STUDIES.items() if not study.timed} == {"quadratics"}
    assert all(load(name).study in STUDIES for name in OWN)


# Execution


def test_work_gives_the_outcomes_of_the_study_and_an_error_does_not_stop_the_others():
    """A real run in real processes: the first task raises, as lam = 0 is refused."""
    some = load("fig-qp-r-beta", quick=True).runs()
    good = [changed(run) for run in some[:3] if run.at["seed"] == 0]
    bad = [changed(run, lam=0.0) for run in some if run.at["seed"] == 1][:2]
    todo, found = [Task("quadratics", tuple(bad)), Task("quadratics", tuple(good))], {}
    before = dict(os.environ)
    work(todo, lambda task, outcomes: found.update({id(task): outcomes}))
    assert dict(os.environ) == before
    assert len(found) == 2
    assert found[id(todo[1])] == quadratics.execute([run.settings for run in good])
    assert [outcome["status"] for outcome in found[id(todo[0])]] == ["ERROR", "ERROR"]
    for outcome in found[id(todo[0])]:
        assert outcome["message"].startswith("ValueError: lam has entries")
        assert "Traceback" in outcome["trace"]
        assert "quadratics.py" in outcome["trace"]


def test_processes_have_one_blas_thread_and_end_at_once_on_ctrl_c():
    with processes(1) as pool:
        assert [pool.submit(os.getenv, name).result(60) for name in _THREADS] == ["1"] * len(_THREADS)
        assert pool.submit(signal.getsignal, signal.SIGINT).result(60) == signal.SIG_DFL


def test_one_thread_restores_the_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with _one_thread():
        assert {os.environ[name] for name in _THREADS} == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ
    with pytest.raises(RuntimeError, match="within"), _one_thread():
        raise RuntimeError("within")
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_an_exception_ends_the_processes_at_once():
    before = set(multiprocessing.active_children())
    start = time.monotonic()

    def interrupted():
        with processes(1) as pool:
            pool.submit(os.getpid).result(60)  # it has started
            pool.submit(time.sleep, 120)
            pool.submit(time.sleep, 120)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    for child in set(multiprocessing.active_children()) - before:
        child.join(30)
    assert set(multiprocessing.active_children()) <= before
    assert time.monotonic() - start < 60


def test_a_killed_process_is_told_with_what_to_do():
    future = Future()
    future.set_exception(BrokenProcessPool("gone"))
    with pytest.raises(RuntimeError, match=r"was killed.* What was finished is kept"):
        _outcomes(future)


class Pool:
    """Executes at once, in this process."""

    def __init__(self, events, processes):
        self.events = events
        events.append(("pool", processes))

    def submit(self, function, study, group):
        self.events.append((study, len(group)))
        future = Future()
        future.set_result(function(study, group))
        return future


@pytest.fixture
def events(monkeypatch):
    """Return what happens in pools that execute at once a study that does nothing."""
    found = []

    @contextmanager
    def pool(number):
        yield Pool(found, number)

    monkeypatch.setattr(workers, "processes", pool)
    for name, study in list(STUDIES.items()):

        def nothing(group, name=name):
            if any(settings.get("raises") for settings in group):
                raise ZeroDivisionError("by nothing")
            return [{"status": "CONVERGED", "by": name} for _ in group]

        monkeypatch.setitem(STUDIES, name, replace(study, execute=nothing))
    return found


def test_timed_tasks_come_after_untimed_ones_and_one_by_one(events, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 3)
    timed = tasks(load("table-matching", quick=True).runs())
    untimed = tasks(load("fig-qp-r-beta", quick=True).runs())
    finished = []
    work([timed[0], untimed[0], timed[1], *untimed[1:]], lambda task, outcomes: finished.append(task))
    assert [task.timed for task in finished] == [False] * len(untimed) + [True] * 2
    pools = [what for what in events if what[0] == "pool"]
    assert pools == [("pool", 3), ("pool", 1)]
    assert events[-2:] == [("matching", 1), ("matching", 1)]
    assert events[0][0] == "pool"


def test_no_more_processes_are_started_than_there_are_tasks(events, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 64)
    work(tasks(load("fig-qp-r-beta", quick=True).runs())[:2], lambda task, outcomes: None)
    assert events[0] == ("pool", 2)


def test_an_exception_in_a_study_becomes_one_error_for_each_run(events):
    run = load("table-spca-rsm", quick=True).runs()[0]
    bad = Task("spca_compared", tuple(Run(run.at, {**run.settings, "raises": k}) for k in (1, 2)))
    good = Task("spca_compared", (run,))
    found = {}
    work([bad, good], lambda task, outcomes: found.update({id(task): outcomes}))
    assert [(outcome["status"], outcome["message"]) for outcome in found[id(bad)]] == [
        ("ERROR", "ZeroDivisionError: by nothing")
    ] * 2
    assert found[id(good)] == [{"status": "CONVERGED", "by": "spca_compared"}]
