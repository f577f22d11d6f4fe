"""The first-order step: inertia, divergence and restarts."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import X0, scaled
from orthoprox._adaptive import first_order
from orthoprox._adaptive.workspace import FullSpace


@pytest.mark.parametrize(("tilt", "before", "anew"), [(0.2, 0.1, True), (0.2, 0.2, False), (0.1, 0.1, False)])
def test_inertia_starts_anew_where_columns_begin_to_tilt(monkeypatch, coherence, before, anew):
    """Beyond an entry of E'E - I of .15, once: a large |E'E - I| that many columns share is none of its business."""
    problem = scaled(1.0)["sparse_pca"]
    state = replace(first_order.first(problem, X0)[0], t=5.0, G=before * np.ones((4, 4)))
    monkeypatch.setattr(
        FullSpace, "products", lambda self, E: (problem.smooth.grad(E), coherence * np.ones((4, 4)), lambda S: E @ S)
    )
    assert (first_order.step(FullSpace(problem), state).t == 1.0) == anew


def test_a_return_doubles_the_curvature_and_takes_more_care():
    problem = scaled(1.0)["sparse_pca"]
    lsalm, _ = first_order.first(problem, X0)
    again = first_order.recovered(problem, replace(lsalm, X=5 * X0, blank=20), X0)
    np.testing.assert_allclose(again.X, X0, atol=1e-12)  # the last good point, not the last one
    assert (again.c, again.care, again.grip) == (2 * lsalm.c, 1.5, 2.0)


def test_the_curvature_after_a_loss_is_that_near_the_manifold():
    """Twice the c of the last point with |E'E - I| <= .5, not of the points on the way out."""
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    state, _ = first_order.first(problem, op.stiefel.random_point(20, 4, seed=0))
    for _ in range(30):
        state = first_order.step(FullSpace(problem), state)
    assert state.feasibility <= 0.5
    assert state.near_curvature == state.c
    out = replace(state, c=100 * state.c)
    assert first_order.recovered(problem, out, state.X).c == 2 * state.near_curvature
    far = first_order.step(
        FullSpace(problem), replace(state, E=3 * state.E, G=op.stiefel.defect(3 * state.E), Y=state.Y - 9 * np.eye(4))
    )
    assert far.feasibility > 0.5
    assert far.near_curvature == state.near_curvature
