"""Runs that are done together: in groups, single when they are timed, else in shares that are the
same for every process.
"""

from collections import Counter

import pytest

from orthoprox.reproduce.spec import load, names
from orthoprox.reproduce.studies import STUDIES
from orthoprox.reproduce.task import Task, remaining, tasks

OWN = [name for name in names() if not load(name).uses]


def keys(runs):
    return {run.key for run in runs}


def every(runs):
    return tasks(runs, keys(runs))


@pytest.mark.parametrize("name", OWN)
def test_tasks_cover_each_run_once(name):
    runs = load(name, quick=True).runs()
    found = every(runs)
    assert Counter(run.key for task in found for run in task.runs) == Counter(run.key for run in runs)
    assert {task.study for task in found} == {load(name).study}
    assert all(task.runs for task in found)
    assert len({task.key for task in found}) == len(found)


@pytest.mark.parametrize("name", OWN)
def test_tasks_are_grouped_as_the_study_says(name):
    study = STUDIES[load(name).study]
    found = every(load(name, quick=True).runs())
    assert all(task.whole is (study.group is not None) for task in found)
    if study.group is not None:
        groups = [{study.group(run.settings) for run in task.runs} for task in found]
        assert all(len(group) == 1 for group in groups)
        assert len(set().union(*groups)) == len(found), "no group is parted"
    elif study.timed:
        assert {len(task.runs) for task in found} == {1}
    else:
        assert {len(task.runs) for task in found[:-1]} <= {max(25, -(-len(load(name, quick=True).runs()) // 32))}


def test_untimed_runs_are_parted_into_equal_shares():
    runs = load("fig-qp-beta").runs()
    found = every(runs)
    assert len(found) == 32
    assert max(len(task.runs) for task in found) <= len(runs) / 32 + 1
    assert [run.key for task in found for run in task.runs] == [run.key for run in runs]


def test_shares_do_not_depend_on_what_is_due():
    runs = load("fig-qp-range", quick=True).runs()
    whole = {task.key: task for task in every(runs)}
    for task in tasks(runs, keys(runs[3:70:2])):
        assert keys(task.runs) == keys(whole[task.key].runs) & keys(runs[3:70:2])


def test_what_is_due_of_a_group_is_all_of_it():
    runs = load("table-spca-rsm", quick=True).runs()
    (task,) = tasks(runs, {runs[2].key})
    assert [run.at["solver"] for run in task.runs] == ["manpg-ada", "soc", "radmm", "lsalm"]
    assert remaining(task, {runs[0].key}) == task
    assert remaining(task, set()).runs == ()


def test_methods_that_are_compared_are_done_together():
    for task in every(load("table-spca-rsm", quick=True).runs()):
        assert [run.at["solver"] for run in task.runs] == ["manpg-ada", "soc", "radmm", "lsalm"]
        assert len({(run.at["m"], run.at["start"], run.at["seed"]) for run in task.runs}) == 1


def test_no_runs_make_no_tasks():
    assert tasks([], set()) == []
    assert tasks(load("fig-methods").runs(), set()) == []


def test_the_time_of_a_task_is_that_of_its_runs():
    (first, *_) = every(load("fig-qp-r-beta", quick=True).runs())
    assert first.seconds == pytest.approx(sum(Task(first.study, (run,), "").seconds for run in first.runs))
    alike = {run.at["m"]: run for run in load("table-spca").runs() if (run.at["solver"], run.at["seed"]) == ("soc", 0)}
    small, large = (Task("spca", (alike[m],), "") for m in (300, 800))
    assert large.seconds > 10 * small.seconds > 0


def test_which_studies_are_timed():
    assert {name for name, study in STUDIES.items() if not study.timed} == {"quadratics"}
    assert all(load(name).study in STUDIES for name in OWN)
