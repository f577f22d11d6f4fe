"""The proximal step in the tangent space."""

import numpy as np
import pytest

from cases import normal
from orthoprox import stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers._shared import tangent_prox
from small_problems import X0


@pytest.mark.parametrize("branch", ["direct", "conjugate gradients"])
@pytest.mark.parametrize("g", [L1(0.3), L21(0.5), Zero()], ids=["L1", "L21", "Zero"])
@pytest.mark.parametrize("shape", [(12, 3), (9, 1), (20, 16)])
def test_the_tangent_prox_solves_its_subproblem(branch, g, shape, monkeypatch):
    """V is tangent, and no tangent step does better in  <D, V> + |V|^2 / 2t + g(X + V)."""
    monkeypatch.setattr(tangent_prox, "DIRECT", 10**9 if branch == "direct" else 0)
    X, D, t = stiefel.random_point(*shape, seed=1), normal(2, *shape), 0.2
    inner_solution = tangent_prox.tangent_prox(g, X, D, t, np.zeros((shape[1],) * 2), tol=1e-20, dual=True)
    V = inner_solution.V

    def model(V):
        return stiefel.inner(D, V) + stiefel.norm(V) ** 2 / (2 * t) + g.value(X + V)

    assert stiefel.norm(X.T @ V + V.T @ X) <= 1e-9
    if isinstance(g, Zero):
        np.testing.assert_allclose(V, -t * stiefel.tangent(X, D), atol=1e-9)
    for k in range(30):
        T = stiefel.tangent(X, normal(k + 10, *shape))
        for size in (1e-4, 1e-2, 1.0):
            assert model(V) <= model(V + size * T) + 1e-9
    again = tangent_prox.tangent_prox(g, X, D, t, inner_solution.Lam, tol=1e-20, dual=True)
    assert again.proxes == 1  # a good multiplier is recognised


def test_symmetric_matrices_have_an_orthonormal_basis():
    """n (n + 1) / 2 symmetric matrices, orthonormal in the inner product of matrices."""
    basis = tangent_prox.symmetric_basis(5, X0)
    assert basis.shape == (15, 5, 5)
    np.testing.assert_array_equal(basis, basis.mT)
    np.testing.assert_allclose(np.einsum("aij,bij->ab", basis, basis), np.eye(15), atol=1e-15)
