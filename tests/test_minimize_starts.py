"""The starts and the history of the front door."""

import sys

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox.starts import STARTS
from orthoprox.stopping import MaxIterations


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


def test_without_history_the_run_is_the_same():
    problem = gaussian_pca()
    with_history, without = op.minimize(problem), op.minimize(problem, history=False)
    np.testing.assert_allclose(with_history.X, without.X, rtol=0, atol=1e-12)  # it may end an iteration sooner
    assert len(without.history["iteration"]) == 1


def test_other_methods_start_at_random_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(sys.modules["orthoprox.minimize"], "search", None)
    problem = gaussian_pca()
    given = op.solve(problem, op.LSALM(), STARTS["random"](problem, np.random.default_rng(0)), stop=MaxIterations(3))
    for start in ("auto", "random"):
        with pytest.warns(op.ConvergenceWarning):
            result = op.minimize(problem, start, method="lsalm", stop=MaxIterations(3))
        np.testing.assert_array_equal(result.X, given.X)
