"""Rounding to a matching, and how good it is."""

from itertools import permutations

import numpy as np
import pytest

import orthoprox as op
from orthoprox.assignment import assign, f_measure


@pytest.mark.parametrize("seed", range(5))
def test_no_other_matching_has_a_larger_sum(seed):
    X = np.random.default_rng(seed).standard_normal((5, 4))
    best = max(permutations(range(5), 4), key=lambda rows: X[list(rows), range(4)].sum())
    assert assign(X).tolist() == list(best)


def test_the_largest_entries_of_the_rows_are_kept_where_they_form_a_matching():
    rng = np.random.default_rng(0)
    truth = rng.permutation(8)
    X = rng.random((8, 8))
    X[truth, np.arange(8)] += 1
    assert np.array_equal(assign(X), truth)
    assert np.array_equal(np.argmax(X, axis=1)[truth], np.arange(8))


def test_two_rows_that_want_one_column_are_parted():
    X = np.array([[0.9, 0.0], [0.8, 0.7]])
    assert assign(X).tolist() == [0, 1]


def test_f_measure_is_the_share_of_right_pairs():
    assert f_measure([0, 1, 3, 2]) == 0.5
    assert f_measure([3, 1, 0], [3, 1, 2]) == pytest.approx(2 / 3)
    assert f_measure(assign(np.eye(6))) == 1.0


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n <= m"):
        assign(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        assign(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="same number of rows"):
        f_measure([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="matched is empty"):
        f_measure([])
    with pytest.raises(ValueError, match="truth has entries that are not whole"):
        f_measure([0, 1], [0, 0.5])
    with pytest.raises(TypeError, match="matched is None, a NoneType; it needs an array"):
        f_measure(None)


def test_the_true_matching_of_two_pictures_is_the_identity():
    house = op.datasets.synthetic_house(frames=30)
    problem = op.problems.graph_matching(house[0], house[1], 2.0)
    X = op.stiefel.polar(np.eye(30) + 0.05 * np.random.default_rng(0).standard_normal(problem.shape))
    assert f_measure(op.assignment.assign(X)) == 1.0
