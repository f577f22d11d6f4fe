"""Nonsmooth terms with arrays of another library, and with batches."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import BOX, NONSMOOTH, SHAPE, WEIGHTS, normal
from orthoprox.nonsmooth.base import HasProxDerivative, HasSubdifferential
from twins import BATCH, COLUMN, STRICT_NONSMOOTH, equals_stack, same


@pytest.mark.parametrize("name", STRICT_NONSMOOTH)
@pytest.mark.parametrize("leading", [(), (2,)], ids=["single", "batch"])
def test_nonsmooth_terms_follow_the_standard(name, leading):
    """Values, proxes, subgradients and derivatives of a strict library are those of NumPy; t may be
    an array.
    """
    g, twin = STRICT_NONSMOOTH[name], NONSMOOTH[name]
    X, V = normal(0, *leading, *SHAPE), normal(1, *leading, *SHAPE)
    XX, VV = strict.asarray(X), strict.asarray(V)
    same(g.value(XX), twin.value(X))
    for t in (0.3, np.asarray(0.3), np.full((2, 1, 1), 0.3))[: 3 if leading else 2]:
        same(g.prox(XX, t if isinstance(t, float) else strict.asarray(t)), twin.prox(X, t))
    P, PP = twin.prox(X, 0.3), g.prox(XX, 0.3)
    same(g.value(PP), twin.value(P))
    if isinstance(twin, HasSubdifferential):
        same(g.min_norm_subgradient(PP, VV), twin.min_norm_subgradient(P, V))
        same(g.directional_derivative(PP, VV), twin.directional_derivative(P, V))
        W = twin.prox(V, 0.1) - P  # a direction of finite derivative
        same(g.directional_derivative(PP, strict.asarray(W)), twin.directional_derivative(P, W))
    if isinstance(twin, HasProxDerivative):
        same(g.prox_derivative(XX, 0.3)(VV), twin.prox_derivative(X, 0.3)(V))


@pytest.mark.parametrize("name", NONSMOOTH)
def test_nonsmooth_terms_take_batches_of_points(name):
    """One term at many points, with one step or one step for each point."""
    g, X, V = NONSMOOTH[name], normal(0, BATCH, *SHAPE), normal(1, BATCH, *SHAPE)
    steps = np.linspace(0.1, 0.9, BATCH)
    P = g.prox(X, steps.reshape(COLUMN))
    equals_stack(P, [g.prox(x, t) for x, t in zip(X, steps, strict=True)])
    equals_stack(g.prox(X, 0.5), [g.prox(x, 0.5) for x in X])
    for points in (X, P):
        assert g.value(points).shape == (BATCH,)
        equals_stack(g.value(points), [g.value(x) for x in points])
    if isinstance(g, HasSubdifferential):
        equals_stack(g.min_norm_subgradient(P, V), [g.min_norm_subgradient(p, v) for p, v in zip(P, V, strict=True)])
        equals_stack(g.directional_derivative(P, V), [g.directional_derivative(p, v) for p, v in zip(P, V, strict=True)])
    if isinstance(g, HasProxDerivative):
        J = g.prox_derivative(X, steps.reshape(COLUMN))(V)
        equals_stack(J, [g.prox_derivative(x, t)(v) for x, t, v in zip(X, steps, V, strict=True)])
        J = g.prox_derivative(X[0], 0.5)(V)  # one point, many directions
        equals_stack(J, [g.prox_derivative(X[0], 0.5)(v) for v in V])


def test_nonsmooth_terms_take_batches_of_weights():
    """Weights and bounds with leading axes are one term for each problem."""
    mu, X, V = np.linspace(0, 1, BATCH), normal(0, BATCH, *SHAPE), normal(1, BATCH, *SHAPE)
    weights = mu.reshape(COLUMN) * WEIGHTS
    families = [
        (op.nonsmooth.L1(mu.reshape(COLUMN)), [op.nonsmooth.L1(w) for w in mu]),
        (op.nonsmooth.L1(weights), [op.nonsmooth.L1(w) for w in weights]),
        (op.nonsmooth.Box(-mu.reshape(COLUMN), BOX[1]), [op.nonsmooth.Box(-w, BOX[1]) for w in mu]),
    ]
    for batch, singles in families:
        P = batch.prox(X, 0.5)
        equals_stack(P, [g.prox(x, 0.5) for g, x in zip(singles, X, strict=True)])
        equals_stack(batch.value(P), [g.value(p) for g, p in zip(singles, P, strict=True)])
        equals_stack(
            batch.min_norm_subgradient(P, V), [g.min_norm_subgradient(p, v) for g, p, v in zip(singles, P, V, strict=True)]
        )
