"""The search for a start within a time budget."""

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from orthoprox._adaptive.small import SMALL
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.starts import search as module
from orthoprox.starts.search import probe_ends, runner_up_pays, search
from small_problems import GAUSSIAN
from within_calls import Clock


@pytest.mark.parametrize("number", [1, 3])
def test_the_search_takes_what_is_at_hand_when_its_share_is_over(number):
    """Principal components are the first candidate; random points take the place of the others."""
    within = counted(GAUSSIAN, Work(), Clock(4))  # evaluations: the terms are tried, and no more
    found = search(within, np.random.default_rng(0), number)
    assert len(found) == number
    V, H = found[0], GAUSSIAN.smooth.A.T @ GAUSSIAN.smooth.A
    np.testing.assert_allclose(H @ V, V * np.diag(V.T @ H @ V), atol=1e-8)
    for X in found:
        np.testing.assert_allclose(X.T @ X, np.eye(30), atol=1e-12)


@pytest.mark.parametrize("mu", [0.01, 0.8])
def test_f_decides_between_candidates_that_were_not_probed(monkeypatch, mu):
    """Whenever time is over, no candidate made so far is lower than the start. Under a weak penalty
    principal components are lower than coordinate vectors, under a strong one it is the reverse.
    """
    problem, made = op.problems.sparse_pca(normal(0, 50, 30) / 7, 15, mu), []
    candidates = module._many_candidates

    def watched(problem, rng):
        made.clear()
        for X in candidates(problem, rng):
            made.append(X)
            yield X

    monkeypatch.setattr(module, "_many_candidates", watched)
    numbers = set()
    for looks in range(4, 260, 12):
        (X,) = search(counted(problem, Work(), Clock(looks)), np.random.default_rng(0))
        lowest = min((float(problem.value(Z)) for Z in made), default=np.inf)
        assert float(problem.value(X)) <= lowest + 1e-9 * abs(lowest), looks
        numbers.add(len(made))
    assert {1, 3, SMALL.stack} <= numbers
    assert np.argmin([float(problem.value(Z)) for Z in made[:3]]) in ((0,) if mu == 0.01 else (1, 2))


def test_probes_that_are_cut_short_keep_what_they_have_reached():
    starts = [op.starts.random(GAUSSIAN, np.random.default_rng(seed)) for seed in range(4)]
    ends = probe_ends(counted(GAUSSIAN, Work(), Clock(80)), starts)  # some twenty steps of all
    assert len(ends) == 4
    assert ends[0][0] < min(float(GAUSSIAN.value(X)) for X in starts)
    for value, X in ends:
        assert value == pytest.approx(float(GAUSSIAN.value(X)))
        np.testing.assert_allclose(X.T @ X, np.eye(30), atol=1e-12)


def test_principal_components_have_gone_on_before_other_candidates_are_made():
    """Whatever cuts the search then, their longer probe is not lost."""
    problem = gaussian_pca(m=100, n=10, p=60)
    V = search(counted(problem, Work(), Clock(4)), np.random.default_rng(0))[0]
    heeded = Clock(10**6)
    probe_ends(counted(problem, Work(), heeded), [V], int(SMALL.hasty))
    looks = 10**6 - heeded.left + 8
    (X,) = search(counted(problem, Work(), Clock(looks)), np.random.default_rng(0))
    assert float(problem.value(X)) <= probe_ends(problem, [V], int(SMALL.hasty))[0][0] < float(problem.value(V))


def test_a_large_problem_is_not_searched_twice():
    """The runner-up of a search is run from only if that is cheap, and X not small."""
    sizes = {(20, 4): False, (200, 100): True, (800, 400): False}
    for (m, n), pays in sizes.items():
        assert runner_up_pays(op.Problem(op.smooth.Quadratic(np.eye(m)), op.nonsmooth.L1(0.1), (m, n))) is pays
