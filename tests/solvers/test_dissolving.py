"""The dissolved function, its penalty and its inner methods."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import orthoprox as op
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import Zero
from orthoprox.solvers import Dissolving
from small_problems import SMOOTH, SPARSE, X0, run, spread


def test_the_dissolved_function_has_the_gradient_that_is_followed():
    """h(X) = l(A(X)) + g(A(X)) + b/4 |X'X - I|^2 with A(X) = X (3I - X'X) / 2, off the manifold and
    away from kinks.
    """
    b, size = 0.7, 1e-6

    def dissolved(X):
        C = X.T @ X
        return SPARSE.value(X @ (3 * np.eye(3) - C) / 2) + b / 4 * stiefel.norm(C - np.eye(3)) ** 2

    for seed in range(5):
        X = X0 + 0.05 * normal(seed, 20, 3)
        state = Dissolving(penalty=b).init(SPARSE, X)
        V = state.V
        assert state.h + SPARSE.nonsmooth.value(state.A) == pytest.approx(dissolved(X), rel=1e-12)
        for k in range(5):
            T = normal(k + 10, 20, 3)
            slope = (dissolved(X + size * T) - dissolved(X - size * T)) / (2 * size)
            assert stiefel.inner(V, T) == pytest.approx(slope, abs=1e-7)


def test_the_penalty_of_dissolving_makes_the_manifold_attract():
    """b = max(L, |W0|_2, 1.6 w): for a convex l, whose multiplier at X0 has a large eigenvalue w,
    gradient steps come back.
    """
    C = spread(0, 20, np.linspace(0.9, 1.0, 20))
    problem, solver = op.Problem(smooth.Quadratic(C), Zero(), (20, 3)), Dissolving(inner="gradient")
    b = solver.init(problem, X0).p.b
    assert b == pytest.approx(1.6 * np.linalg.eigvalsh(X0.T @ C @ X0)[-1])
    assert stiefel.norm(run(Dissolving(inner="gradient", penalty=b), problem, 0.95 * X0, 300)[-1].G) <= 1e-3
    assert stiefel.norm(run(Dissolving(inner="gradient", penalty=b / 1.6), problem, 0.95 * X0, 300)[-1].G) > 0.2


@pytest.mark.parametrize(("inner_method", "problem", "decay"), [("subgradient", SPARSE, 0.9), ("gradient", SMOOTH, 1.0)])
def test_dissolving_takes_the_steps_of_its_rule(inner_method, problem, decay):
    """X+ = X - t decay^k V for subgradients, with a constant step for gradients."""
    solver = Dissolving(inner=inner_method, step_size=0.2, decay=0.9)
    for k, (old, new) in enumerate(pairwise(run(solver, problem, X0, 10))):
        np.testing.assert_allclose(new.X, old.X - 0.2 * decay**k * old.V, atol=1e-14)


def test_lbfgs_descends_and_a_failure_is_replaced_by_a_gradient_step(monkeypatch):
    """h falls in every iteration, by more than the gradient step would; where L-BFGS gets nowhere
    that step is taken.
    """
    solver, gradient = Dissolving(max_cycles=4), Dissolving(inner="gradient")
    states = run(solver, SMOOTH, X0, 8)
    assert isinstance(SMOOTH.nonsmooth, Zero)
    for old, new in pairwise(states):
        assert new.h <= gradient.step(SMOOTH, replace(old, p=replace(old.p, inner="gradient"))).h
        assert 4 < new.cycles <= 3 * 4 + 22  # evaluations: at most maxfun and one more line search
    again = solver.step(SMOOTH, states[3])
    np.testing.assert_array_equal(again.X, states[4].X)  # no memory outside the state

    for far in (0.0, 1e3):
        fake = lambda *_, x0_scale=far, **__: OptimizeResult(x=np.full(60, x0_scale), nfev=7)  # noqa: E731
        monkeypatch.setattr("scipy.optimize.minimize", fake)
        new = solver.step(SMOOTH, states[0])
        np.testing.assert_array_equal(new.X, X0 - states[0].p.t * states[0].V)
        assert new.cycles == 9


def test_lbfgs_is_turned_back_where_the_dissolved_function_is_unbounded():
    """h falls to minus infinity far from the manifold; the first line searches, long as they are,
    do not go there.
    """
    problem = op.Problem(smooth.Variance(op.datasets.five_components(50, 30, seed=1)), Zero(), (30, 4))
    states = run(Dissolving(), problem, stiefel.random_point(30, 4, seed=0), 2)
    h = [Dissolving().init(problem, c * states[0].X).h for c in (1, 10)]
    assert h[1] < h[0]
    assert stiefel.norm(states[2].V) <= 1e-6 * stiefel.norm(states[0].V)
    assert states[1].cycles + states[2].cycles <= 150

    convex = op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(1, 2, 20))), Zero(), (20, 10))
    old, new = run(Dissolving(step_size=20.0), convex, stiefel.random_point(20, 10, seed=0), 1)  # the first trial is far away
    assert new.h < old.h
    assert stiefel.norm(new.G) <= 0.1
