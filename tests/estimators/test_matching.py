"""Matched points: what does not matter to a graph does not matter to its matching."""

import dataclasses

import numpy as np
import pytest

import orthoprox as op

HOUSE = op.datasets.synthetic_house()
POINTS = np.random.default_rng(0).random((20, 2))


def turned(points, angle):
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, -s], [s, c]])


@pytest.mark.parametrize("frame", [5, 30, 60])
def test_landmarks_of_a_house_are_found_again(frame):
    match = op.match_graphs(HOUSE[0], HOUSE[frame])
    np.testing.assert_array_equal(match.assignment, np.arange(30))
    assert match.result.converged


@pytest.mark.parametrize(
    "change", [lambda P: P, lambda P: turned(P, 1.0), lambda P: P * [-1, 1], lambda P: P + 7], ids=range(4)
)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_turned_moved_mirrored_and_reordered_points_are_the_same(change, unit):
    order = np.random.default_rng(1).permutation(20)
    match = op.match_graphs(unit * POINTS, unit * change(POINTS)[order])
    np.testing.assert_array_equal(order[match.assignment], np.arange(20))
    assert match.score == pytest.approx(1.0, abs=1e-9)


def test_the_score_is_the_mean_affinity_of_matched_edges():
    width = 0.05
    match = op.match_graphs(POINTS, POINTS + 0.02 * np.random.default_rng(2).standard_normal((20, 2)), width=width)
    second = {frozenset(edge) for edge in match.edges2.tolist()}

    def length(points, i, j):
        return np.linalg.norm(points[i] - points[j])

    total = 0.0
    for i, j in match.edges1.tolist():
        a, b = match.assignment[[i, j]]
        if frozenset((a, b)) in second:
            total += np.exp(-((length(match.points1, i, j) - length(match.points2, a, b)) ** 2) / width)
    assert match.score == pytest.approx(total / min(len(match.edges1), len(second)), rel=1e-12)


def test_sets_of_different_sizes_match_the_smaller_one_in_both_orders():
    fewer, more = POINTS[:17], POINTS
    first, second = op.match_graphs(fewer, more), op.match_graphs(more, fewer)
    assert first.score == pytest.approx(second.score)
    assert np.all(first.assignment >= 0)
    assert np.sum(second.assignment < 0) == 3
    np.testing.assert_array_equal(first.pairs, second.pairs[np.argsort(second.pairs[:, 1])][:, ::-1])


def test_equal_calls_have_equal_results_and_more_starts_never_a_lower_score():
    one, again = (op.match_graphs(HOUSE[0], HOUSE[90], n_starts=1) for _ in range(2))
    np.testing.assert_array_equal(one.assignment, again.assignment)
    assert op.match_graphs(HOUSE[0], HOUSE[90], n_starts=4).score >= one.score


def test_a_match_is_frozen_and_prints_briefly():
    match = op.match_graphs(POINTS, POINTS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        match.score = 0.0
    assert "points1" not in repr(match)


def test_the_picture_has_a_line_for_each_edge_and_each_pair():
    pytest.importorskip("matplotlib")
    match = op.match_graphs(POINTS[:10], POINTS)
    axes = match.plot().axes[0]
    assert len(axes.lines) == len(match.edges1) + len(match.edges2) + 10
    assert "10 pairs" in axes.get_title()
    for line, (i, j) in zip(axes.lines[-10:], match.pairs, strict=True):
        (x, u), _ = line.get_data()
        assert x < u, (i, j)  # from left to right


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        (POINTS[:2], {}, "points2 has 2 point"),
        (POINTS[:, :1], {}, "points2"),
        (np.zeros((5, 2)), {}, "cannot be triangulated"),
        (np.full((5, 2), np.nan), {}, "points2"),
        (POINTS, {"width": 0.0}, "width"),
        (POINTS, {"n_starts": 0}, "n_starts"),
        (POINTS, {"mu": -1.0}, "mu"),
    ],
)
def test_what_cannot_be_matched_is_told(points, options, message):
    with pytest.raises(ValueError, match=message):
        op.match_graphs(POINTS, points, **options)
