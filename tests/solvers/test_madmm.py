"""The gradient steps of MADMM."""

from itertools import pairwise

import numpy as np
import pytest

from orthoprox import stiefel
from orthoprox.solvers import MADMM, RADMM
from small_problems import PROBLEMS, SPARSE, X0, A, B, run


@pytest.mark.parametrize("cycles", [1, 3])
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_madmm_takes_its_gradient_steps(name, cycles):
    """Each goes along P_T(grad l(X) + Lam + rho (X - Z)) with Z and Lam held; then Lam lies in
    dg(Z). With one it is RADMM.
    """
    problem, ell, g = PROBLEMS[name], PROBLEMS[name].smooth, PROBLEMS[name].nonsmooth
    start = stiefel.random_point(*problem.shape, seed=1)
    states = run(MADMM(max_cycles=cycles), problem, start, 30)
    for old, new in pairwise(states):
        X, rho, eta = old.X, new.p.rho, new.p.eta
        for _ in range(cycles):
            X = stiefel.polar(X - eta * stiefel.tangent(X, ell.grad(X) + old.Lam + rho * (X - old.Z)))
        np.testing.assert_allclose(new.X, X, atol=1e-12)
        np.testing.assert_allclose(new.Z, g.prox(new.X + old.Lam / rho, 1 / rho), atol=1e-12)
        np.testing.assert_allclose(new.Lam, old.Lam + rho * (new.X - new.Z), atol=1e-12 * rho)
        assert stiefel.norm(g.min_norm_subgradient(new.Z, -new.Lam)) <= 1e-11 * rho
        gradient = ell.grad(new.X) + new.Lam
        left = gradient + 2 * new.X @ MADMM().multiplier(new)
        np.testing.assert_allclose(left, stiefel.tangent(new.X, gradient), atol=1e-11 * rho)
        assert new.cycles == cycles
    if cycles == 1:
        np.testing.assert_allclose(states[-1].X, run(RADMM(), problem, start, 30)[-1].X, atol=1e-8)


def test_madmm_ends_its_steps_at_a_minimiser():
    """With steps to spare, |P_T(grad l(X) + Lam + rho (X - Z))| <= accuracy rho at X+, Z and Lam
    the old ones.
    """
    states = run(MADMM(accuracy=1e-7, max_cycles=1000), SPARSE, X0, 10)
    for old, new in pairwise(states):
        rho = new.p.rho
        assert stiefel.norm(stiefel.tangent(new.X, A @ new.X + B + old.Lam + rho * (new.X - old.Z))) <= 1.001e-7 * rho
        assert 1 < new.cycles < 1000
