"""Fixtures of the tests of reproductions: no network, and tasks that are executed at once, in this
process.
"""

import pytest

import reproduced
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce import workers


def no_data():
    raise FileNotFoundError("no network")


@pytest.fixture
def without_network(monkeypatch):
    monkeypatch.setattr(reproduce, "cmu_house", no_data)
    monkeypatch.delenv("ORTHOPROX_CMU_HOUSE", raising=False)
    monkeypatch.setattr(workers, "cores", lambda: 1)


@pytest.fixture
def executed(monkeypatch):
    """Let tasks be executed at once, in this process, and return those that are."""
    found = []

    def work(agenda):
        for task in reproduced.taken(agenda):
            found.append(task)
            agenda.finish(task, workers._execute(task.study, [run.settings for run in task.runs]))

    monkeypatch.setattr(reproduce, "work", work)
    return found


@pytest.fixture
def made(executed, tmp_path, without_network):
    """Return a folder with a part of one study."""
    reproduce.reproduce([reproduced.ID], quick=True, out=tmp_path, where=reproduced.PART)
    executed.clear()
    return tmp_path
