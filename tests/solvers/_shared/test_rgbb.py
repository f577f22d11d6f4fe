"""The Barzilai-Borwein steps inside other methods."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import inner, norm, polar, random_point, tangent
from orthoprox.solvers._shared.rgbb import Point, rgbb

A, B = op.datasets.random_quadratic(20, 3, seed=0)
X0 = random_point(20, 3, seed=1)


def at_point(X):
    """The function tr(X'AX)/2 + <B, X>; its value is what is kept."""
    value = value_of(X)
    return Point(X, value, A @ X + B, value)


def value_of(X):
    return float(np.sum(X * (A @ X)) / 2 + np.sum(B * X))


def test_barzilai_borwein_steps_by_their_formulas():
    """The first step is the given one; then |<s, y>| / <y, y> and <s, s> / |<s, y>| in turn, each taken where it descends."""
    points = [X0] + [rgbb(at_point, at_point(X0), first=0.3, tol=0.0, max_steps=k).point.X for k in (1, 2, 3)]
    xi = [tangent(X, A @ X + B) for X in points]
    lengths = [0.3]
    for k in (1, 2):
        s, y = points[k] - points[k - 1], xi[k] - xi[k - 1]
        cross = abs(inner(s, y))
        lengths.append(cross / inner(y, y) if k == 1 else inner(s, s) / cross)
    for k, length in enumerate(lengths):
        np.testing.assert_allclose(points[k + 1], polar(points[k] - length * xi[k]), atol=1e-12)


def test_barzilai_borwein_steps_end_where_they_should():
    """At the tolerance, or at the cap; the point is what was evaluated there, and every evaluation is counted."""
    calls = []

    def at(X):
        calls.append(1)
        return at_point(X)

    start = at_point(X0)
    end = rgbb(at, start, first=1.0, tol=1e-9, max_steps=500)
    assert end.size == pytest.approx(norm(tangent(end.point.X, A @ end.point.X + B)), abs=1e-13)
    assert end.size <= 1e-9
    assert end.trials == len(calls) >= end.steps
    assert end.steps < 500
    assert end.point.value == value_of(end.point.X) < start.value
    assert end.point.more == end.point.value
    assert rgbb(at, start, first=1.0, tol=1e-9, max_steps=7).steps == 7
    assert rgbb(at, start, first=1.0, tol=1e9, max_steps=7).steps == 1  # one step is always taken


def test_a_line_search_gives_up_after_its_trials():
    """Where nothing descends, a, a/5, a/25, ... are tried and the last is taken; where one does, it is taken."""
    for trials in (1, 3, 5):
        tried = []

        def rising(X, tried=tried):
            tried.append(X)
            return Point(X, float(len(tried)), A @ X + B, None)

        start = Point(X0, 0.0, A @ X0 + B, None)
        end = rgbb(rising, start, first=0.1, tol=0.0, max_steps=1, trials=trials)
        assert end.trials == len(tried) == trials
        np.testing.assert_allclose(end.point.X, polar(X0 - 0.1 * 0.2 ** (trials - 1) * tangent(X0, A @ X0 + B)), atol=1e-14)
    near = rgbb(at_point, at_point(X0), first=1.0, tol=1e-3, max_steps=100).point
    end = rgbb(at_point, near, first=1e4, tol=0.0, max_steps=1, trials=50)
    assert 1 < end.trials < 50
    assert end.point.value < near.value


def test_a_step_has_to_descend_in_proportion_to_its_length():
    """A trial is good where the value falls by decrease a |xi|^2: each trial here falls by half of a |xi|^2."""
    xi = tangent(X0, A @ X0 + B)
    lengths = [1e-3, 2e-4, 4e-5]

    def at(X):
        length = min(lengths, key=lambda a: norm(X - polar(X0 - a * xi)))
        return Point(X, -length * norm(xi) ** 2 / 2, A @ X + B, None)

    start = Point(X0, 0.0, A @ X0 + B, None)
    assert rgbb(at, start, first=1e-3, tol=0.0, max_steps=1, decrease=0.4).trials == 1
    assert rgbb(at, start, first=1e-3, tol=0.0, max_steps=1, decrease=0.6).trials == 3
