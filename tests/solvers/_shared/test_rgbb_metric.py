"""The two Riemannian gradients that the Barzilai-Borwein steps may follow."""

import pytest

from cases import normal
from orthoprox import stiefel
from orthoprox.solvers._shared import rgbb
from small_problems import X0


def test_the_canonical_gradient_is_a_gradient():
    """<P_T(W), V> = <eta, (I - XX'/2) V> for tangent V, eta is tangent, and the length is that of P_T(W)."""
    W = normal(3, 20, 3)
    eta, size = rgbb.canonical(X0, W)
    xi, length = rgbb.euclidean(X0, W)
    assert size == pytest.approx(stiefel.norm(xi), rel=1e-12)
    assert length == stiefel.norm(xi)
    assert stiefel.norm(stiefel.sym(X0.T @ eta)) <= 1e-13
    for k in range(5):
        V = stiefel.tangent(X0, normal(k, 20, 3))
        assert stiefel.inner(xi, V) == pytest.approx(stiefel.inner(eta, V - X0 @ (X0.T @ V) / 2), abs=1e-12)
