"""Runs in processes of their own: grouped, one BLAS thread each, timed ones alone and last."""

import os
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from orthoprox._run.workers import WorkerError
from orthoprox.reproduce import workers
from orthoprox.reproduce.spec import Run, load
from orthoprox.reproduce.studies import STUDIES, quadratics
from orthoprox.reproduce.task import Task, tasks
from orthoprox.reproduce.workers import _outcomes, work


@pytest.fixture(autouse=True)
def one_core(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 1)


class Agenda:
    """Hands out tasks as they are asked for, and keeps their outcomes; ``refused`` times it has
    none right now.
    """

    def __init__(self, todo, refused=0):
        self.todo, self.refused, self.finished = list(todo), refused, []

    def left(self, *, timed):
        return sum(task.timed is timed for task in self.todo)

    def take(self, *, timed):
        if self.refused:
            self.refused -= 1
            return None
        task = next((task for task in self.todo if task.timed is timed), None)
        if task is not None:
            self.todo.remove(task)
        return task

    def finish(self, task, outcomes):
        self.finished.append((task, outcomes))


def every(name):
    runs = load(name, quick=True).runs()
    return tasks(runs, {run.key for run in runs})


def changed(run, **parameters):
    """Return a run with a small cap and some parameters changed."""
    stop = {**run.settings["stop"], "max_iterations": 20}
    return Run(run.at, {**run.settings, "stop": stop, "parameters": {**run.settings["parameters"], **parameters}})


# Execution


@pytest.mark.extended
def test_work_gives_the_outcomes_of_the_study_and_an_error_does_not_stop_the_others():
    """A real run in real processes: the first task raises, as lam = 0 is refused."""
    some = load("fig-qp-r-beta", quick=True).runs()
    good = [changed(run) for run in some[:3] if run.at["seed"] == 0]
    bad = [changed(run, lam=0.0) for run in some if run.at["seed"] == 1][:2]
    todo = [Task("quadratics", tuple(bad), "a"), Task("quadratics", tuple(good), "b")]
    before, agenda = dict(os.environ), Agenda(todo)
    work(agenda)
    assert dict(os.environ) == before
    assert len(agenda.finished) == 2
    found = {id(task): outcomes for task, outcomes in agenda.finished}
    assert found[id(todo[1])] == quadratics.execute([run.settings for run in good])
    assert [outcome["status"] for outcome in found[id(todo[0])]] == ["ERROR", "ERROR"]
    for outcome in found[id(todo[0])]:
        assert outcome["message"].startswith("ValueError: lam has entries")
        assert "Traceback" in outcome["trace"]
        assert "quadratics.py" in outcome["trace"]


def test_a_killed_process_is_told_with_what_to_do():
    future = Future()
    future.set_exception(WorkerError("gone"))
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
        future.set_result(function(None, study, group))
        return future


class Held:
    """Executes when it is told to."""

    def submit(self, function, study, group):
        return Future()

    def finish(self, futures):
        first = next(iter(futures))
        first.set_result([])
        return SimpleNamespace(done={first})


@pytest.fixture
def events(monkeypatch):
    """Return what happens in pools that execute at once a study that does nothing."""
    found = []

    @contextmanager
    def pool(number):
        yield Pool(found, number)

    monkeypatch.setattr(workers, "Workers", pool)
    for name, study in list(STUDIES.items()):

        def nothing(group, name=name):
            if any(settings.get("raises") for settings in group):
                raise ZeroDivisionError("by nothing")
            return [{"status": "CONVERGED", "by": name} for _ in group]

        monkeypatch.setitem(STUDIES, name, replace(study, execute=nothing))
    return found


def test_nothing_to_do_starts_no_process(events):
    work(Agenda([]))
    assert events == []


def test_timed_tasks_come_after_untimed_ones_and_one_by_one(events, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 3)
    timed, untimed = every("table-matching"), every("fig-qp-r-beta")
    agenda = Agenda([timed[0], untimed[0], timed[1], *untimed[1:]])
    work(agenda)
    assert [task.timed for task, _ in agenda.finished] == [False] * len(untimed) + [True] * 2
    pools = [what for what in events if what[0] == "pool"]
    assert pools == [("pool", 3), ("pool", 1)]
    assert events[-2:] == [("matching", 1), ("matching", 1)]
    assert events[0][0] == "pool"


def test_no_more_processes_are_started_than_there_are_tasks(events, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 64)
    work(Agenda(every("fig-qp-r-beta")[:2]))
    assert events[0] == ("pool", 2)


def test_no_more_tasks_are_taken_than_there_are_processes(monkeypatch):
    """What is not taken is left for others."""
    monkeypatch.setattr(workers, "cores", lambda: 2)
    pool, running = Held(), []
    monkeypatch.setattr(workers, "Workers", lambda number: nullcontext(pool))
    monkeypatch.setattr(workers, "wait", lambda futures, *_: running.append(len(futures)) or pool.finish(futures))
    agenda = Agenda(every("fig-qp-r-beta")[:5])
    work(agenda)
    assert running == [2, 2, 2, 2, 1]
    assert len(agenda.finished) == 5


def test_what_others_do_is_waited_for(events, monkeypatch):
    pauses = []
    monkeypatch.setattr(workers, "sleep", pauses.append)
    agenda = Agenda(every("fig-qp-r-beta")[:2], refused=3)
    work(agenda)
    assert len(pauses) == 3
    assert len(agenda.finished) == 2


def test_an_exception_in_a_study_becomes_one_error_for_each_run(events):
    run = load("table-spca-rsm", quick=True).runs()[0]
    bad = Task("spca_compared", tuple(Run(run.at, {**run.settings, "raises": k}) for k in (1, 2)), "a")
    good = Task("spca_compared", (run,), "b")
    agenda = Agenda([bad, good])
    work(agenda)
    (_, failed), (_, done) = agenda.finished
    assert [(outcome["status"], outcome["message"]) for outcome in failed] == [("ERROR", "ZeroDivisionError: by nothing")] * 2
    assert done == [{"status": "CONVERGED", "by": "spca_compared"}]
