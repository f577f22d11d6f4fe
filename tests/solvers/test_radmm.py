"""The multiplier of RADMM."""

from itertools import pairwise

import numpy as np
import pytest

from orthoprox import stiefel
from orthoprox.solvers import RADMM
from small_problems import PROBLEMS, run


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
@pytest.mark.parametrize("gamma", [1e-12, 0.01])
def test_radmm_multiplier_is_a_subgradient_at_the_prox_point(name, gamma):
    """Lam lies in dg(W) at W = prox(X + Lam_old / rho), and Lam is the gradient of the Moreau
    envelope: Z = W + gamma Lam.
    """
    problem, g = PROBLEMS[name], PROBLEMS[name].nonsmooth
    states = run(RADMM(gamma=gamma), problem, stiefel.random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        rho = new.p.rho
        W = g.prox(new.X + old.Lam / rho, 1 / rho + gamma)
        assert stiefel.norm(g.min_norm_subgradient(W, -new.Lam)) <= 1e-11 * rho
        np.testing.assert_allclose(new.Z, W + gamma * new.Lam, atol=1e-12)
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-12
