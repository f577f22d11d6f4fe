"""Geometry with arrays of another library, and with batches."""

import array_api_strict as strict
import numpy as np
import pytest

from cases import SHAPE, normal
from orthoprox._linalg import stiefel
from twins import BATCH, equals_stack, same


@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_geometry_follows_the_standard(leading):
    """Every function of points in a strict library is that of NumPy, in all branches of polar."""
    X, Y = normal(0, *leading, *SHAPE), normal(1, *leading, *SHAPE)
    XX, YY = strict.asarray(X), strict.asarray(Y)
    same(stiefel.norm(XX), stiefel.norm(X))
    same(stiefel.inner(XX, YY), stiefel.inner(X, Y))
    same(stiefel.sym(XX.mT @ YY), stiefel.sym(X.mT @ Y))
    same(stiefel.defect(XX), stiefel.defect(X))
    same(stiefel.tangent(XX, YY), stiefel.tangent(X, Y))
    same(stiefel.qr(XX), stiefel.qr(X))
    same(stiefel.polar((1 + 1e-10) * stiefel.polar(XX)), stiefel.polar((1 + 1e-10) * stiefel.polar(X)))
    same(stiefel.polar(XX), stiefel.polar(X))
    same(stiefel.polar(XX * strict.nan), stiefel.polar(X * np.nan))
    thin = np.array([1.0, 1.0, 1e-3])
    same(stiefel.polar(XX * strict.asarray(thin)), stiefel.polar(X * thin))


def test_geometry_takes_batches():
    """Each function of a batch is the batch of its values, for two leading axes too."""
    X, Y = normal(0, 2, BATCH, *SHAPE), normal(1, 2, BATCH, *SHAPE)
    flat, other = X.reshape(-1, *SHAPE), Y.reshape(-1, *SHAPE)
    assert stiefel.norm(X).shape == (2, BATCH)
    equals_stack(stiefel.norm(X).ravel(), [stiefel.norm(x) for x in flat])
    equals_stack(stiefel.inner(X, Y).ravel(), [stiefel.inner(x, y) for x, y in zip(flat, other, strict=True)])
    turned = [stiefel.qr, lambda X: stiefel.sym(X.mT @ X[..., :, ::-1]), lambda X: stiefel.tangent(X, X[..., ::-1, :])]
    for function in (stiefel.defect, stiefel.polar, *turned):
        equals_stack(function(X).reshape(2 * BATCH, *function(flat[0]).shape), [function(x) for x in flat])
