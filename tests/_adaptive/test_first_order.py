"""The first-order step: inertia, divergence and restarts."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import X0, scaled
from orthoprox._adaptive import first_order
from orthoprox._adaptive.workspace import FullSpace


@pytest.mark.parametrize(("now", "before", "anew"), [(1.3, 0.7, True), (1.3, 1.3, False), (0.7, 0.7, False)])
def test_inertia_starts_anew_where_columns_become_coherent(monkeypatch, now, before, anew):
    """When the largest entry of E'E - I passes its limit, and only then: a large |E'E - I| of many
    small entries is fine.
    """
    problem, ones = scaled(1.0)["sparse_pca"], first_order._COHERENT * np.ones((4, 4))
    state = replace(first_order.first(problem, X0)[0], t=5.0, G=before * ones)
    monkeypatch.setattr(FullSpace, "products", lambda self, E: (problem.smooth.grad(E), now * ones, lambda S: E @ S))
    assert (first_order.step(FullSpace(problem), state).t == 1.0) == anew


def test_a_restart_begins_at_the_last_good_point_and_is_safer():
    """Not at the last point; with more curvature, and with larger safety factors."""
    problem = scaled(1.0)["sparse_pca"]
    state, _ = first_order.first(problem, X0)
    again = first_order.restarted(problem, replace(state, X=5 * X0, vanished=20), X0)
    np.testing.assert_allclose(again.X, X0, atol=1e-12)
    assert again.c > state.c
    assert again.safety > state.safety
    assert again.penalty_safety > state.penalty_safety
    assert first_order.restarted(problem, state, X0).penalty_safety == state.penalty_safety  # no column has vanished


def test_safety_factors_are_bounded():
    """However often a run restarts."""
    problem = scaled(1.0)["sparse_pca"]
    state, _ = first_order.first(problem, X0)
    factors = []
    for _ in range(20):
        state = first_order.restarted(problem, replace(state, vanished=20), X0)
        factors.append((state.safety, state.penalty_safety))
    assert np.all(np.diff(factors, axis=0) >= 0)
    assert factors[-1] == factors[9]


def test_the_curvature_after_a_divergence_is_that_near_the_manifold():
    """It does not depend on the points on the way out, where the penalty itself is steep."""
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    state, _ = first_order.first(problem, op.stiefel.random_point(20, 4, seed=0))
    for _ in range(30):
        state = first_order.step(FullSpace(problem), state)
    assert state.feasibility <= first_order._NEAR_FEASIBLE
    assert state.near_curvature == state.c
    out = replace(state, c=100 * state.c)
    assert first_order.restarted(problem, out, state.X).c == first_order.restarted(problem, state, state.X).c
    far = first_order.step(
        FullSpace(problem), replace(state, E=3 * state.E, G=op.stiefel.defect(3 * state.E), Y=state.Y - 9 * np.eye(4))
    )
    assert far.feasibility > first_order._NEAR_FEASIBLE
    assert far.near_curvature == state.near_curvature
