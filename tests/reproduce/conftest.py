"""Fixtures of the tests of reproductions: no network, and tasks that are executed at once, in this
process.
"""

from copy import deepcopy

import pytest

import reproduced
from orthoprox.reproduce import run as reproduce
from orthoprox.reproduce import workers
from orthoprox.reproduce.sections import scaling
from orthoprox.reproduce.spec import load
from orthoprox.stopping.clock import Deadline


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
            agenda.finish(task, workers._execute(Deadline(), task.study, [run.settings for run in task.runs]))

    monkeypatch.setattr(reproduce, "work", work)
    return found


@pytest.fixture
def made(executed, tmp_path, without_network):
    """Return a folder with a part of one study."""
    reproduce.reproduce([reproduced.ID], quick=True, out=tmp_path, where=reproduced.PART)
    executed.clear()
    return tmp_path


def tiny(name, *, quick=False):
    """Return a spec, sparse PCA at a size that takes no time."""
    spec = load(name, quick=True)
    if spec.uses or spec.study not in ("spca", "spca_compared"):
        return spec
    content = deepcopy(dict(spec.content))
    content["problem"]["p"], content["grid"]["m"] = 50, [20, 30]
    content["stop"]["max_iterations"] = 300
    if spec.study == "spca_compared":
        content["problem"]["steps"], content["baseline"]["max_iterations"] = 5, 300
    return type(spec)(name, content)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(reproduce, "load", tiny)
    monkeypatch.setattr(scaling, "load", tiny)
