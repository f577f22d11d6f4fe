"""The starts and the history of the front door."""

import sys

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from orthoprox.starts import STARTS
from orthoprox.stopping import MaxIterations
from small_problems import GAUSSIAN


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_starts": 0}, "n_starts = 0"),
        ({"n_starts": 1.5}, "n_starts"),
        ({"n_starts": 2, "progress": True}, "need n_starts=1"),
        ({"n_starts": 2, "callback": print}, "need n_starts=1"),
        ({"n_starts": 2, "start": np.eye(20)[:, :4]}, "the start is one point"),
        ({"start": "pcs"}, "start is 'pcs'; it needs one of 'auto'"),
    ],
)
def test_bad_starts_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        op.minimize(gaussian_pca(), **options)


@pytest.mark.parametrize("effort", ["fast", "normal"])
@pytest.mark.parametrize("seed", range(3))
def test_several_starts_end_no_higher_than_one(seed, effort):
    one = op.minimize(GAUSSIAN, effort=effort, seed=seed)
    several = op.minimize(GAUSSIAN, n_starts=3, effort=effort, seed=seed)
    assert several.projected_objective <= one.projected_objective + 1e-12 * abs(one.projected_objective)


def test_permuting_the_features_changes_nothing():
    """The same random numbers belong to the same feature: the minimum found is the same one."""
    A, order = normal(3, 40, 15) @ np.diag(np.linspace(1, 2, 15)), np.random.default_rng(0).permutation(15)
    here, there = (op.minimize(op.problems.sparse_pca(data, 4, 8.0)) for data in (A, A[:, order]))
    assert here.projected_objective == pytest.approx(there.projected_objective, rel=1e-12)
    overlaps = np.abs(here.X[order].T @ there.X)
    np.testing.assert_allclose(np.sort(overlaps.max(axis=0)), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effort": "much"}, "effort is 'much'; it needs one of 'fast', 'normal', 'thorough'"),
        ({"effort": "normal", "stop": MaxIterations(3)}, "effort is 'normal' beside a stopping rule"),
        ({"effort": "thorough", "method": "lsalm"}, "effort is 'thorough' beside the method LSALM"),
    ],
)
def test_effort_is_for_the_default_method_and_rule(options, message):
    with pytest.raises(ValueError, match=message):
        op.minimize(gaussian_pca(), **options)


def test_effort_is_allowed_from_a_point():
    X0 = op.stiefel.random_point(60, 30, seed=0)
    fast, normal = (op.minimize(GAUSSIAN, X0, effort=effort) for effort in ("fast", "normal"))
    assert normal.projected_objective <= fast.projected_objective
    assert "lower minima" in {part.name for part in normal.phases}
    assert "lower minima" not in {part.name for part in fast.phases}


def test_without_history_the_run_is_the_same():
    problem = gaussian_pca()
    with_history, without = op.minimize(problem), op.minimize(problem, history=False)
    np.testing.assert_array_equal(with_history.X, without.X)
    assert len(without.history["iteration"]) == 1


def test_other_methods_start_at_random_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(sys.modules["orthoprox.minimize"], "search", None)
    problem = gaussian_pca()
    given = op.solve(problem, op.LSALM(), STARTS["random"](problem, np.random.default_rng(0)), stop=MaxIterations(3))
    for start in ("auto", "random"):
        with pytest.warns(op.ConvergenceWarning):
            result = op.minimize(problem, start, method="lsalm", stop=MaxIterations(3))
        np.testing.assert_array_equal(result.X, given.X)
