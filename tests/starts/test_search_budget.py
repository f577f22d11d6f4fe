"""The search for a start within a time budget."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.starts import coordinates
from orthoprox.starts.search import probe_ends, runner_up_pays, time_share
from orthoprox.starts.search import search as find
from orthoprox.stopping.clock import Stopped
from small_problems import GAUSSIAN


class After:
    """A deadline that is over after so many evaluations."""

    def __init__(self, looks):
        self.looks = looks

    def heed(self):
        self.looks -= 1
        if self.looks < 0:
            raise Stopped

    def call(self, function, *arguments):
        return function(*arguments)


@pytest.mark.parametrize("number", [1, 3])
def test_the_search_takes_what_is_at_hand_when_its_share_is_over(number):
    """Coordinate vectors are the first candidate; random points take the place of the others."""
    end = After(12)  # evaluations: a probe of the terms, and then coordinate vectors
    found = find(counted(GAUSSIAN, Work(), end), np.random.default_rng(0), number)
    assert len(found) == number
    np.testing.assert_array_equal(found[0], coordinates(GAUSSIAN, np.random.default_rng(0)))
    for X in found:
        np.testing.assert_allclose(X.T @ X, np.eye(30), atol=1e-12)


def test_probes_that_are_cut_short_keep_what_they_have_reached():
    starts = [op.starts.random(GAUSSIAN, np.random.default_rng(seed)) for seed in range(4)]
    ends = probe_ends(counted(GAUSSIAN, Work(), After(80)), starts)  # some twenty steps of all
    assert len(ends) == 4
    assert ends[0][0] < min(float(GAUSSIAN.value(X)) for X in starts)
    for value, X in ends:
        assert value == pytest.approx(float(GAUSSIAN.value(X)))
        np.testing.assert_allclose(X.T @ X, np.eye(30), atol=1e-12)


@pytest.mark.parametrize(("shape", "share"), [((60, 30), SMALL.share), ((100, 50), SETTINGS.share)])
def test_the_probes_of_a_small_problem_may_take_most_of_the_time(shape, share):
    assert time_share(op.Problem(op.smooth.Quadratic(np.eye(shape[0])), op.nonsmooth.L1(0.1), shape)) == share


def test_a_large_problem_is_not_searched_twice():
    """The runner-up of a search is run from only if that is cheap, and X not small."""
    sizes = {(20, 4): False, (200, 100): True, (800, 400): False}
    for (m, n), pays in sizes.items():
        assert runner_up_pays(op.Problem(op.smooth.Quadratic(np.eye(m)), op.nonsmooth.L1(0.1), (m, n))) is pays
