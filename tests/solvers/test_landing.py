"""The landing field and its safe step."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import Zero
from orthoprox.solvers import Landing
from small_problems import SMOOTH, X0, A, B, run, spread


@pytest.mark.parametrize("seed", range(5))
def test_the_safe_step_of_landing_is_safe(seed):
    """|X'X - I|_F <= 1/2 at every iterate, even with a step of 100 / L; and the bound is nearly
    reached.
    """
    problem = op.Problem(smooth.Quadratic(spread(seed, 20, np.linspace(-1, 1, 20)), normal(seed, 20, 3)), Zero(), (20, 3))
    states = run(Landing(step_size=100.0), problem, stiefel.random_point(20, 3, seed=seed), 200)
    secant_norms = [stiefel.norm(state.G) for state in states]
    assert max(secant_norms) <= 0.5 * (1 + 1e-12)
    assert max(secant_norms) > 0.2


def test_the_landing_field_has_orthogonal_parts():
    """field = skew(D X')X + lam X(X'X - I), and its two parts are orthogonal at every X."""
    for state in run(Landing(attraction=0.7), SMOOTH, X0, 5)[1:]:
        X, D = state.X, A @ state.X + B
        relative, attraction = (D @ X.T - X @ D.T) @ X / 2, X @ (X.T @ X - np.eye(3))
        np.testing.assert_allclose(state.field, relative + 0.7 * attraction, atol=1e-13)
        assert abs(stiefel.inner(relative, attraction)) <= 1e-14
