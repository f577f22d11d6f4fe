"""What the benchmark has to do: its settings are well-formed, and a task is a seed of a case."""

import numpy as np
from benchmarks.peers.run import PACKAGES

import orthoprox as op
from benchmarks.studies import STUDIES, task


def test_every_setting_is_well_formed():
    """Every study has seeds, jobs and cases that make a problem; only objectives may be found side
    by side.
    """
    settings = task.settings()
    assert set(settings) == {"first", "worse", "targets", *STUDIES}
    assert settings["first"] == {"tuning": 0, "report": 1000}
    for name in STUDIES:
        assert settings[name]["jobs"] == (2 if name in ("families", "polish") else 1)
        todo = list(task.tasks(name))
        assert len({tuple(one.at.values()) for one in todo}) == len(todo)
        assert {one.seed for one in todo} == set(range(1000, 1000 + settings[name]["seeds"]))
        assert max(one.seed for one in task.tasks(name, "tuning")) <= 9
        for one in todo if name != "polish" else ():  # its cases are those of the robustness suite
            m, n = one.instance().shape
            assert m >= n > 0
            assert one.instance().data.get("p", 1) > 0
    assert len({case["name"] for case in settings["families"]["case"]}) >= 4
    assert max(one.instance().shape[0] for one in task.tasks("growth")) == settings["targets"]["features"]


def test_every_peer_of_the_settings_exists():
    settings = task.settings()
    assert set(settings["families"]["packages"]) == set(PACKAGES)
    assert set(settings["families"]["methods"]) <= set(op.SOLVERS)


def test_a_small_problem_is_the_one_of_its_seed():
    one = next(task.tasks("small", "tuning"))
    (problem, X0), (again, start) = one.make(), one.make()
    assert problem.shape == (200, 10)
    np.testing.assert_array_equal(X0, start)
    assert problem.value(X0) == again.value(start)


def test_fewer_seeds_are_the_first_ones():
    assert {one.seed for one in task.tasks("families", number=2)} == {1000, 1001}
    assert len(list(task.tasks("headline", number=50))) == len(list(task.tasks("headline")))
