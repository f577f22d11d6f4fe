"""The model of RPG and its descent."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from cases import normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers import RPG, rpg
from orthoprox.solvers._shared import tangent_prox
from small_problems import PROBLEMS, run


@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_rpg_descends(name):
    """F(X+) <= F(X) - |V|^2 / 10000t with X+ = polar(X + V), V tangent; t is halved after failures,
    and grows by 1.05.
    """
    problem, solver = PROBLEMS[name], RPG(step_size=20.0)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 40)
    for old, new in pairwise(states):
        assert new.used == old.t * 0.5 ** (new.trials - 1)
        assert new.t == pytest.approx(1.05 * new.used)
        assert new.here.F == float(problem.value(new.here.X))
        assert new.here.F <= old.here.F - 1e-4 * stiefel.norm(new.V) ** 2 / new.used + 1e-13 * abs(old.here.F)
        assert stiefel.norm(stiefel.sym(old.here.X.T @ new.V)) <= 1e-13
        np.testing.assert_allclose(new.here.X, stiefel.polar(old.here.X + new.V), atol=1e-13)
    assert any(state.trials > 1 for state in states)


@pytest.mark.parametrize("g", [L1(0.3), L21(0.5), Zero()], ids=["L1", "L21", "Zero"])
@pytest.mark.parametrize("shape", [(12, 3), (9, 1), (20, 8)])
def test_rpg_minimises_its_model_of_the_retracted_step(g, shape, monkeypatch):
    """No tangent step nearby does better in  <D, V> + |V|^2 / 2t + g(polar(X + V));  the step of
    ManPG is not so good.
    """
    monkeypatch.setattr(rpg, "_SMALL", 0.0)
    monkeypatch.setattr(rpg, "_TINY", 1e-10)
    monkeypatch.setattr(rpg, "inner_tolerance", lambda size: 1e-27)
    problem, t = op.Problem(smooth.Quadratic(symmetric(1, shape[0]), normal(2, *shape)), g, shape), 0.05
    X = stiefel.random_point(*shape, seed=3)
    first, last = (_model_step(problem, RPG(step_size=t, max_cycles=cycles), X) for cycles in (1, 60))
    D = problem.smooth.grad(X)

    def model(V):
        return stiefel.inner(D, V) + stiefel.norm(V) ** 2 / (2 * t) + g.value(stiefel.polar(X + V))

    for k in range(30):
        T = stiefel.tangent(X, normal(k + 10, *shape))
        for size in (1e-6, 1e-4, 1e-2):
            assert model(last) <= model(last + size * T) + 1e-10
    flat = tangent_prox.tangent_prox(g, X, D, t, np.zeros((shape[1],) * 2), tol=1e-24, dual=True).V
    if not isinstance(g, Zero):
        assert model(last) < model(first) < model(flat) - 1e-6
    else:
        np.testing.assert_allclose(last, -t * stiefel.tangent(X, D), atol=1e-9)


def test_rpg_shortens_a_step_whose_subproblem_is_hopeless():
    """g dwarfs l, and the prox with t = 1/L is 0 whatever the multiplier: nothing tangent comes of
    it until t is shorter.
    """
    problem = op.problems.sparse_pca(1e-3 * op.datasets.five_components(50, 20), 3, 0.5)
    result = op.minimize(problem, "random", method="rpg", tol=1e-6, max_iterations=20)
    assert result.converged
    assert result.objective == pytest.approx(1.5, abs=1e-4)


def _model_step(problem, solver, X):
    return solver._minimise(problem, solver.init(problem, X), solver.step_size).V
