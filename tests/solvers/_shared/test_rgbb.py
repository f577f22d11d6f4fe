"""The Barzilai-Borwein steps inside other methods."""

import numpy as np
import pytest

from cases import normal
from orthoprox import stiefel
from orthoprox.solvers._shared.rgbb import Point, canonical, euclidean, rgbb
from small_problems import X0, A, B


def at_point(X):
    """The function tr(X'AX)/2 + <B, X>; its value is what is kept."""
    value = value_of(X)
    return Point(X, value, A @ X + B, value)


def value_of(X):
    return float(np.sum(X * (A @ X)) / 2 + np.sum(B * X))


def test_barzilai_borwein_steps_by_their_formulas():
    """The first step is the given one; then |<s, y>| / <y, y> and <s, s> / |<s, y>| in turn, each
    taken where it descends.
    """
    points = [X0] + [rgbb(at_point, at_point(X0), first=0.3, tol=0.0, max_steps=k).point.X for k in (1, 2, 3)]
    xi = [stiefel.tangent(X, A @ X + B) for X in points]
    lengths = [0.3]
    for k in (1, 2):
        s, y = points[k] - points[k - 1], xi[k] - xi[k - 1]
        cross = abs(stiefel.inner(s, y))
        lengths.append(cross / stiefel.inner(y, y) if k == 1 else stiefel.inner(s, s) / cross)
    for k, length in enumerate(lengths):
        np.testing.assert_allclose(points[k + 1], stiefel.polar(points[k] - length * xi[k]), atol=1e-12)


def test_barzilai_borwein_steps_end_where_they_should():
    """At the tolerance, or at the cap; the point is what was evaluated there, and every evaluation
    is counted.
    """
    calls = []

    def at(X):
        calls.append(1)
        return at_point(X)

    start = at_point(X0)
    end = rgbb(at, start, first=1.0, tol=1e-9, max_steps=500)
    assert end.size == pytest.approx(stiefel.norm(stiefel.tangent(end.point.X, A @ end.point.X + B)), abs=1e-13)
    assert end.size <= 1e-9
    assert end.trials == len(calls) >= end.steps
    assert end.steps < 500
    assert end.point.value == value_of(end.point.X) < start.value
    assert end.point.more == end.point.value
    assert rgbb(at, start, first=1.0, tol=1e-9, max_steps=7).steps == 7
    assert rgbb(at, start, first=1.0, tol=1e9, max_steps=7).steps == 1  # one step is always taken


def test_a_line_search_gives_up_after_its_trials():
    """Where nothing descends, a, a/5, a/25, ... are tried and the last is taken; where one does, it
    is taken.
    """
    for trials in (1, 3, 5):
        tried = []

        def rising(X, tried=tried):
            tried.append(X)
            return Point(X, float(len(tried)), A @ X + B, None)

        start = Point(X0, 0.0, A @ X0 + B, None)
        end = rgbb(rising, start, first=0.1, tol=0.0, max_steps=1, trials=trials)
        assert end.trials == len(tried) == trials
        np.testing.assert_allclose(
            end.point.X, stiefel.polar(X0 - 0.1 * 0.2 ** (trials - 1) * stiefel.tangent(X0, A @ X0 + B)), atol=1e-14
        )
    near = rgbb(at_point, at_point(X0), first=1.0, tol=1e-3, max_steps=100).point
    end = rgbb(at_point, near, first=1e4, tol=0.0, max_steps=1, trials=50)
    assert 1 < end.trials < 50
    assert end.point.value < near.value


def test_a_step_has_to_descend_in_proportion_to_its_length():
    """A trial is good where the value falls by decrease a |xi|^2: each trial here falls by half of
    a |xi|^2.
    """
    xi = stiefel.tangent(X0, A @ X0 + B)
    lengths = [1e-3, 2e-4, 4e-5]

    def at(X):
        length = min(lengths, key=lambda a: stiefel.norm(X - stiefel.polar(X0 - a * xi)))
        return Point(X, -length * stiefel.norm(xi) ** 2 / 2, A @ X + B, None)

    start = Point(X0, 0.0, A @ X0 + B, None)
    assert rgbb(at, start, first=1e-3, tol=0.0, max_steps=1, decrease=0.4).trials == 1
    assert rgbb(at, start, first=1e-3, tol=0.0, max_steps=1, decrease=0.6).trials == 3


def test_the_canonical_gradient_is_a_gradient():
    """<P_T(W), V> = <eta, (I - XX'/2) V> for tangent V, eta is tangent, and the length is that of
    P_T(W).
    """
    W = normal(3, 20, 3)
    eta, size = canonical(X0, W)
    xi, length = euclidean(X0, W)
    assert size == pytest.approx(stiefel.norm(xi), rel=1e-12)
    assert length == stiefel.norm(xi)
    assert stiefel.norm(stiefel.sym(X0.T @ eta)) <= 1e-13
    for k in range(5):
        V = stiefel.tangent(X0, normal(k, 20, 3))
        assert stiefel.inner(xi, V) == pytest.approx(stiefel.inner(eta, V - X0 @ (X0.T @ V) / 2), abs=1e-12)
