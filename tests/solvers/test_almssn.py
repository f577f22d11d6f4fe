"""The multiplier, the penalty and the accuracy of ALMSSN."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from cases import symmetric
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1
from orthoprox.solvers import ALMSSN
from orthoprox.stopping import MaxIterations, Stationary
from small_problems import ELL, PROBLEMS, X0, run


@pytest.mark.parametrize("search", ["value", "gradient"])
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21"])
def test_almssn_multiplier_is_a_subgradient_at_the_prox_point(name, search):
    """Lam lies in dg(Y), Lam+ = Lam + s (X+ - Y+), the inner problem is solved to its tolerance,
    and s follows its rule.
    """
    problem, g = PROBLEMS[name], PROBLEMS[name].nonsmooth
    solver = ALMSSN(search=search, growth=1.5, coarse=0.05)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 25)
    for old, new in pairwise(states):
        assert stiefel.norm(g.min_norm_subgradient(new.Y, -new.Lam)) <= 1e-13 * old.s
        np.testing.assert_allclose(new.Y, g.prox(new.X + old.Lam / old.s, 1 / old.s), atol=1e-14)
        np.testing.assert_allclose(new.Lam, old.Lam + old.s * (new.X - new.Y), atol=1e-13 * old.s)
        assert new.size == pytest.approx(
            stiefel.norm(stiefel.tangent(new.X, problem.smooth.grad(new.X) + new.Lam)), rel=1e-6, abs=1e-13
        )
        assert new.size <= max(solver._tolerance(old), old.coarse)
        balance = new.unit * stiefel.norm(new.X - new.Y) * (1 + stiefel.norm(new.X)) / new.size
        grows = (np.max(np.abs(new.X - new.Y)) >= 0.99 * old.gap and balance > 0.04) or balance > 2.5
        assert new.s == pytest.approx(max(1.5 * old.s, stiefel.norm(new.Lam)) if grows else old.s)
    assert any(state.products for state in states)
    assert states[-1].s > states[0].s


def test_almssn_does_not_let_its_penalty_grow_for_ever():
    """Four entries of at most .3 have no norm 1: the gap stays, and s grows only as far as rounding
    errors allow.
    """
    problem = op.Problem(smooth.Quadratic(symmetric(1, 4)), L1(0.1, bound=0.3), (4, 1))
    states = run(ALMSSN(growth=10.0), problem, stiefel.random_point(4, 1, seed=1), 20)
    assert states[-1].gap > 0.1
    assert states[-1].s == states[-1].most
    assert np.all(np.isfinite(states[-1].X))


def test_the_penalty_of_almssn_catches_up_with_a_heavy_g():
    """With g far steeper than l, s goes straight to |Lam|, and a few iterations do."""
    problem = op.Problem(ELL, L1(1e4), (20, 3))
    states = run(ALMSSN(), problem, X0, 30)
    grown = [new for old, new in pairwise(states) if new.s > old.s]
    assert all(state.s >= stiefel.norm(state.Lam) for state in grown)
    assert states[-1].gap <= 1e-8


def test_almssn_asks_for_more_first_order_steps_where_newton_fails():
    """With a huge shift ten Newton steps do not reach the tolerance: it takes over later, at half
    the gradient.
    """
    problem = PROBLEMS["sparse_pca"]
    solver = ALMSSN(shift=1e6, coarse=0.1)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 20)
    failures = [new.products > 0 and new.size > solver._tolerance(old) for old, new in pairwise(states)]
    for (old, new), failed in zip(pairwise(states), failures, strict=True):
        assert new.coarse == (max(old.coarse / 2, 1e-3 * states[0].coarse) if failed else old.coarse)
    assert sum(failures) >= 3


@pytest.mark.parametrize("seed", range(3))
def test_almssn_is_accurate_without_tuning(seed):
    """Certificates of 1e-11 on sparse PCA and of 1e-4 on compressed modes, both at (100, 10)."""
    data = op.datasets.five_components(300, 100, seed=seed)
    sparse, modes = op.problems.sparse_pca(data, 10, 0.5), op.problems.compressed_modes(100, 10, 0.1)
    for problem, tol in ((sparse, 1e-11), (modes, 1e-4)):
        result = op.solve(
            problem, ALMSSN(), stiefel.random_point(100, 10, seed=seed), stop=Stationary(tol) | MaxIterations(120)
        )
        assert result.converged
        assert result.stationarity <= tol
