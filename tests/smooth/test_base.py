"""All smooth terms: gradients, Lipschitz constants, and what they keep."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import orthoprox as op
from cases import EXAMPLES, SEEDS, SHAPE, SMOOTH, M, N, normal, operator_terms, smooth_terms, symmetric
from orthoprox import stiefel
from orthoprox.checks import check_grad
from orthoprox.smooth import Function, Quadratic, Sharded, Variance
from orthoprox.smooth.base import HasLipschitz, HasResolvent, HasWeakConvexity
from refusals import locked

LOCKED = smooth_terms(locked) | operator_terms()
every_term = pytest.mark.parametrize("name", SMOOTH)


@every_term
@given(seed=SEEDS, spread=st.sampled_from([0.1, 1.0, 3.0]))
@EXAMPLES
def test_grad_is_the_derivative_of_value(name, seed, spread):
    """(l(X + hV) - l(X - hV)) / 2h = <grad l(X), V> up to O(h^2), in every direction V."""
    check_grad(SMOOTH[name], spread * normal(seed, *SHAPE), seed=seed)


@every_term
def test_value_and_grad_are_value_and_grad(name):
    """Computing both at once changes neither."""
    ell, X = SMOOTH[name], normal(0, *SHAPE)
    value, grad = ell.value_and_grad(X)
    assert value == pytest.approx(ell.value(X), rel=1e-13)
    np.testing.assert_allclose(grad, ell.grad(X), rtol=1e-13)


@every_term
def test_methods_do_not_touch_their_input(name):
    """Terms are pure: X is the same before and after, and the data of the term may be locked."""
    ell, X = LOCKED[name], locked(normal(0, *SHAPE))
    before = X.copy()
    ell.value_and_grad(X), ell.value(X), ell.grad(X), check_grad(ell, X)
    if isinstance(ell, HasResolvent):
        ell.resolvent(2 * ell.modulus + 1)(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("name", smooth_terms())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_terms_keep_the_dtype(name, dtype):
    """A term whose data have one precision computes in it."""
    ell, X = smooth_terms(lambda A: A.astype(dtype))[name], normal(0, *SHAPE).astype(dtype)
    value, grad = ell.value_and_grad(X)
    assert value.dtype == ell.value(X).dtype == grad.dtype == ell.grad(X).dtype == dtype
    np.testing.assert_allclose(grad, SMOOTH[name].grad(X.astype(float)), atol=1e-4)
    if isinstance(ell, HasResolvent):
        assert ell.resolvent(2 * ell.modulus + 1)(X).dtype == dtype


@every_term
@given(seed=SEEDS)
@EXAMPLES
def test_lipschitz_bounds_the_change_of_the_gradient(name, seed):
    """|grad l(X) - grad l(Y)| <= L |X - Y|."""
    ell, X, Y = SMOOTH[name], normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    if isinstance(ell, HasLipschitz):
        assert stiefel.norm(ell.grad(X) - ell.grad(Y)) <= ell.lipschitz * stiefel.norm(X - Y)
    else:
        assert isinstance(ell, (Function, Sharded))


@every_term
@given(seed=SEEDS)
@EXAMPLES
def test_modulus_makes_up_for_the_concavity(name, seed):
    """<grad l(X) - grad l(Y), X - Y> >= -modulus |X - Y|^2."""
    ell, X, Y = SMOOTH[name], normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    if isinstance(ell, HasWeakConvexity):
        assert stiefel.inner(ell.grad(X) - ell.grad(Y), X - Y) >= -ell.modulus * stiefel.norm(X - Y) ** 2 * (1 + 1e-12)


@pytest.mark.parametrize("name", [name for name, ell in SMOOTH.items() if not isinstance(ell, Function)])
def test_terms_know_their_shape(name):
    """A problem whose X has another number of rows is refused."""
    with pytest.raises(ValueError, match=str(M + 1)):
        op.Problem(SMOOTH[name], op.nonsmooth.Zero(), (M + 1, N))


@pytest.mark.parametrize("ell", [Variance(normal(6, 50, M)), Quadratic(symmetric(7, M), normal(8, M, N))])
def test_a_quadratic_shows_its_second_derivative(ell):
    X = normal(9, M, N)
    np.testing.assert_allclose(ell.hessian @ X, ell.grad(X) - ell.grad(0 * X), atol=1e-10)


def test_a_quadratic_without_a_matrix_does_not():
    assert Variance(normal(6, 3, M)).hessian is None
    assert Quadratic(sp.csr_array(symmetric(7, M))).hessian is None
