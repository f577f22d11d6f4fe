"""What is left to do: handed out once, without what others have done, and waited for while others
do it.
"""

import pytest

from orthoprox.reproduce.agenda import Agenda, Job
from orthoprox.reproduce.ledger import Ledger, State
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.task import tasks

DONE = {"status": "CONVERGED", "iterations": 1}
UNTIMED, TIMED = load("fig-qp-range", quick=True).runs()[:60], load("table-matching", quick=True).runs()[:2]


def code(run):
    return "this"


class Claims:
    """Grants everything, unless another has it."""

    def __init__(self):
        self.others, self.events, self.machine = set(), [], True

    def take(self, key):
        return key not in self.others

    def release(self, key):
        self.events.append(key)

    def take_machine(self, *, alone):
        self.events += ["alone" if alone else "beside"] if self.machine else []
        return self.machine

    def release_machine(self):
        self.events.append("free")


@pytest.fixture
def claims():
    return Claims()


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "rows.jsonl", code)


def agenda(claims, ledger, runs=UNTIMED, keep=False):
    jobs = [Job("it", task, ledger) for task in tasks(runs, {run.key for run in runs})]
    told = []
    found = Agenda(jobs, claims, lambda work, name: told.append((work, name)), keep=keep)
    found.told, found.jobs = told, jobs
    return found


def test_tasks_are_handed_out_once_and_written(claims, ledger):
    found = agenda(claims, ledger)
    assert (found.left(timed=False), found.left(timed=True)) == (3, 0)
    assert found.take(timed=True) is None
    given = [found.take(timed=False) for _ in range(3)]
    assert [task.key for task in given] == [job.task.key for job in found.jobs]
    assert found.take(timed=False) is None
    assert found.left(timed=False) == 0
    for task in given:
        found.finish(task, [DONE] * len(task.runs))
    assert {ledger.state(run) for run in UNTIMED} == {State.DONE}
    assert found.told == [(job.task.seconds, "it") for job in found.jobs]


def test_rows_are_written_before_the_claim_is_released(claims, ledger):
    found = agenda(claims, ledger)
    task = found.take(timed=False)
    claims.release = lambda key: claims.events.append([ledger.state(run) for run in task.runs])
    found.finish(task, [DONE] * len(task.runs))
    assert claims.events[1] == [State.DONE] * len(task.runs)


def test_the_machine_is_claimed_while_a_task_is_out(claims, ledger):
    found = agenda(claims, ledger, TIMED)
    for _ in TIMED:
        found.finish(found.take(timed=True), [DONE])
    keys = [run.key for run in TIMED]
    assert claims.events == ["alone", keys[0], "free", "alone", keys[1], "free"]
    claims.events.clear()
    found = agenda(claims, ledger)
    one, two = found.take(timed=False), found.take(timed=False)
    found.finish(one, [DONE] * len(one.runs))
    found.finish(two, [DONE] * len(two.runs))
    assert claims.events == ["beside", one.key, two.key, "free"]


def test_nothing_is_handed_out_while_another_has_the_machine(claims, ledger):
    claims.machine = False
    found = agenda(claims, ledger)
    assert found.take(timed=False) is None
    assert found.left(timed=False) == 3
    claims.machine = True
    assert found.take(timed=False) is not None


def test_what_another_process_does_is_passed_over_and_stays_on_the_agenda(claims, ledger):
    found = agenda(claims, ledger)
    first, second, third = (job.task.key for job in found.jobs)
    claims.others = {first, third}
    assert found.take(timed=False).key == second
    assert found.take(timed=False) is None
    assert found.left(timed=False) == 2
    claims.others = {first}
    assert found.take(timed=False).key == third


def test_the_machine_is_free_while_there_is_nothing_to_take(claims, ledger):
    found = agenda(claims, ledger)
    claims.others = {job.task.key for job in found.jobs}
    assert found.take(timed=False) is None
    assert claims.events == ["beside", "free"]


def test_what_another_process_has_done_is_not_done_again(claims, ledger):
    found = agenda(claims, ledger)
    first, second, third = (job.task for job in found.jobs)
    other = Ledger(ledger.path, code)
    other.append([*first.runs, *second.runs[:5]], [DONE] * (len(first.runs) + 5))
    task = found.take(timed=False)
    assert task.key == second.key
    assert task.runs == second.runs[5:]
    assert found.told == [(first.seconds, "it")]
    found.finish(task, [DONE] * len(task.runs))
    assert found.take(timed=False).runs == third.runs


@pytest.mark.parametrize("keep", [False, True])
def test_stale_rows_are_done_again_unless_they_are_kept(claims, ledger, keep):
    Ledger(ledger.path, lambda run: "other").append(TIMED, [DONE] * 2)
    found = agenda(claims, ledger, TIMED, keep=keep)
    assert (found.take(timed=True) is None) is keep
