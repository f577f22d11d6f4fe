"""The multipliers of SOC."""

from itertools import pairwise

import pytest

from orthoprox import stiefel
from orthoprox.solvers import SOC
from small_problems import PROBLEMS, run


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_soc_multipliers_are_a_subgradient_and_a_normal(name):
    """After every step b V lies in dg(Q), U is normal to the manifold at P, and grad l(X) + b (2X -
    P + U - Q + V) = 0.
    """
    problem = PROBLEMS[name]
    ell, g = problem.smooth, problem.nonsmooth
    states = run(SOC(), problem, stiefel.random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        b = new.b
        assert stiefel.norm(g.min_norm_subgradient(new.Q, -b * new.V)) <= 1e-11 * b
        assert stiefel.norm(stiefel.tangent(new.P, new.U)) <= 1e-11
        stationary = ell.grad(new.X) + b * (2 * new.X - old.P + old.U - old.Q + old.V)
        assert stiefel.norm(stationary) <= 1e-11 * b * (1 + stiefel.norm(old.U))
