"""The polar retraction, its inverse and the inverse of its derivative."""

import numpy as np
import pytest

from cases import normal, symmetric
from orthoprox import stiefel
from orthoprox.solvers._shared import retraction


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.5, 5.0])
@pytest.mark.parametrize("shape", [(12, 4), (6, 6), (5, 1)])
def test_the_derivative_of_the_retraction_is_inverted(shape, size):
    """T^-1 undoes T, the derivative of V -> polar(X + V); <T^-# W, Z> = <W, T^-1 Z>; they are
    tangent at X and at Y.
    """
    X, h = stiefel.random_point(*shape, seed=1), 1e-5
    V = stiefel.tangent(X, normal(2, *shape))
    V = size * V / (stiefel.norm(V) or 1.0)
    to = retraction.retract(X, V)
    np.testing.assert_allclose(to.Y, stiefel.polar(X + V), atol=1e-15)
    for k in range(5):
        U, W = stiefel.tangent(X, normal(k + 10, *shape)), normal(k + 20, *shape)
        Z = (stiefel.polar(X + V + h * U) - stiefel.polar(X + V - h * U)) / (2 * h)  # = T U
        np.testing.assert_allclose(to.back(stiefel.tangent(to.Y, Z)), U, atol=1e-7)
        Z = stiefel.tangent(to.Y, normal(k + 30, *shape))
        assert stiefel.norm(stiefel.sym(X.T @ to.back(Z))) <= 1e-12
        assert stiefel.norm(stiefel.sym(to.Y.T @ to.adjoint_back(W))) <= 1e-12
        assert stiefel.inner(to.adjoint_back(W), Z) == pytest.approx(stiefel.inner(W, to.back(Z)), abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_the_retraction_is_inverted_where_it_can_be(seed):
    """R_X^-1(R_X(V)) = V for tangent V; a point far away, and one that is not a number, has no
    inverse.
    """
    X = stiefel.random_point(12, 4, seed=seed)
    for size in (1e-8, 0.1, 1.0):
        V = stiefel.tangent(X, normal(seed + 10, 12, 4))
        V = size * V / stiefel.norm(V)
        np.testing.assert_allclose(retraction.inverse(X, stiefel.polar(X + V)), V, atol=1e-13)
    assert retraction.inverse(X, -X) is None
    assert retraction.inverse(X, np.nan * X) is None


@pytest.mark.parametrize("n", [1, 5])
def test_lyapunov_equations_are_solved(n):
    """M S + S M' = C with a symmetric S, for M with eigenvalues near the imaginary axis, too."""
    for seed, shift in enumerate((1.0, 0.1, 1e-3)):
        K, C = normal(seed, n, n), symmetric(seed + 10, n)
        M = shift * np.eye(n) + K - K.T
        S = retraction.lyapunov(M, C)
        np.testing.assert_array_equal(S, S.T)
        np.testing.assert_allclose(M @ S + S @ M.T, C, atol=1e-11 / shift)
