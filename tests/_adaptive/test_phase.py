"""What the phases exchange: a point with its multiplier and two gradients."""

import numpy as np
import pytest

from adaptive_cases import X0, scaled
from orthoprox import stiefel
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.phase import Verdict
from orthoprox._adaptive.polish import Polish
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.smoothing_newton import SmoothingNewton

PHASES = [FirstOrder(SETTINGS), SmoothingNewton(SETTINGS, 0.3), Polish(SETTINGS)]


@pytest.mark.parametrize("of", PHASES, ids=lambda of: type(of).__name__)
def test_each_phase_starts_where_another_left_and_hands_a_point_on(of):
    """From any point: the memory is kept, nothing has failed, and what is handed on is finite and
    near.
    """
    problem = scaled(1.0)["sparse_pca"]
    first = FirstOrder(SETTINGS).first(problem, X0)
    state = of.start(problem, first.memory.start, first.memory)
    assert (state.memory, state.failed) == (first.memory, "")
    point = of.point(problem, state)
    for M, shape in [(point.X, (30, 4)), (point.Y, (4, 4)), (point.D, (30, 4)), (point.S, (30, 4))]:
        assert M.shape == shape
        assert np.all(np.isfinite(M))
    np.testing.assert_array_equal(point.D, problem.smooth.grad(point.X))
    assert stiefel.norm(point.X - X0) <= 2 * SETTINGS.widths[0] * 2
    assert all(residual >= 0 for residual in of.residuals(state))
    assert all(np.isfinite(value) for value in of.parameters(state).values())
    new = of.step(problem, state)
    assert type(new) is type(state)
    assert of.verdict(problem, state, new) in Verdict
    assert new.memory.start is first.memory.start


def test_what_a_run_remembers_is_that_of_its_start():
    problem = scaled(1.0)["sparse_pca"]
    memory = FirstOrder(SETTINGS).first(problem, X0).memory
    np.testing.assert_array_equal(memory.start.X, X0)
    assert memory.value == problem.value(X0)
    assert 0 < memory.floor < stiefel.norm(problem.smooth.grad(X0))
    assert memory.step == pytest.approx(1 / memory.curvature)
    assert (memory.safety, memory.divergences) == (1.0, 0)
