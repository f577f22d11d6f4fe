"""The multipliers of PAMAL."""

from itertools import pairwise

import pytest

from orthoprox import stiefel
from orthoprox.solvers import PAMAL
from small_problems import PROBLEMS, run


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_pamal_multipliers_are_a_subgradient_and_a_normal(name):
    """After one cycle -(L1 + c dQ) lies in dg(Q), L2 + c dP is normal at P: the proximal terms are
    all that is missing.
    """
    problem, solver = PROBLEMS[name], PAMAL(max_cycles=1, clip=1e9)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        c = solver.proximal * new.unit
        assert stiefel.norm(problem.nonsmooth.min_norm_subgradient(new.Q, new.L1 + c * (new.Q - old.Q))) <= 1e-11 * (
            old.rho + c
        )
        assert stiefel.norm(stiefel.tangent(new.P, new.L2 + c * (new.P - old.P))) <= 1e-11 * (old.rho + c)
        grown = max(new.gaps[0] / max(old.gaps[0], 1e-99), new.gaps[1] / max(old.gaps[1], 1e-99)) > solver.ratio
        assert new.rho == pytest.approx(solver.growth * old.rho if grown else old.rho)
