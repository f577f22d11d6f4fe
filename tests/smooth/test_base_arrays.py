"""Smooth terms with arrays of another library, and with batches."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import SHAPE, SMOOTH, M, N, normal, smooth_terms, symmetric
from orthoprox.smooth.base import HasLipschitz, HasResolvent, HasWeakConvexity
from orthoprox.smooth.curvature import lipschitz
from twins import BATCH, STRICT_SMOOTH, equals_stack, same


@pytest.mark.parametrize("name", STRICT_SMOOTH)
@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_smooth_terms_follow_the_standard(name, leading):
    """Values, gradients and Lipschitz constants of a strict library are those of NumPy."""
    ell, twin, X = STRICT_SMOOTH[name], SMOOTH[name], normal(0, *leading, *SHAPE)
    XX = strict.asarray(X)
    same(ell.value(XX), twin.value(X))
    same(ell.grad(XX), twin.grad(X))
    for result, expected in zip(ell.value_and_grad(XX), twin.value_and_grad(X), strict=True):
        same(result, expected)
    assert lipschitz(ell, XX) == pytest.approx(lipschitz(twin, X), rel=1e-12)
    if isinstance(twin, HasWeakConvexity):
        assert ell.modulus == pytest.approx(twin.modulus, rel=1e-12)
    if isinstance(twin, HasResolvent):
        c = 2 * twin.modulus + 1
        same(ell.resolvent(c)(XX), twin.resolvent(c)(X))
        same(ell.resolvents()(c)(XX), twin.resolvents()(c)(X))


@pytest.mark.parametrize("name", smooth_terms())
def test_smooth_terms_take_batches_of_points(name):
    """One term at many points: each number and each gradient is that of a single call."""
    ell, X = SMOOTH[name], normal(0, BATCH, *SHAPE)
    value, grad = ell.value_and_grad(X)
    assert value.shape == (BATCH,)
    for values in (value, ell.value(X)):
        equals_stack(values, [ell.value(x) for x in X])
    for grads in (grad, ell.grad(X)):
        equals_stack(grads, [ell.grad(x) for x in X])


def test_smooth_terms_take_batches_of_data():
    """Many terms at many points: data with leading axes are one term for each problem."""
    A, B = np.stack([symmetric(k, M) for k in range(BATCH)]), normal(1, BATCH, M, N)
    for rows in (20, 2):
        data, X = normal(2, BATCH, rows, M), normal(3, BATCH, M, N)
        quadratic, variance = op.smooth.Quadratic(A, B), op.smooth.Variance(data)
        for batch, singles in (
            (quadratic, [op.smooth.Quadratic(a, b) for a, b in zip(A, B, strict=True)]),
            (variance, [op.smooth.Variance(a) for a in data]),
        ):
            equals_stack(batch.value(X), [ell.value(x) for ell, x in zip(singles, X, strict=True)])
            equals_stack(batch.grad(X), [ell.grad(x) for ell, x in zip(singles, X, strict=True)])
            assert isinstance(batch, HasLipschitz)
            assert batch.lipschitz == pytest.approx(max(ell.lipschitz for ell in singles), rel=1e-3)
