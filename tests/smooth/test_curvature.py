"""Estimated Lipschitz constants, second derivatives, weak convexity."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import orthoprox as op
from cases import EXAMPLES, SEEDS, SHAPE, SMOOTH, normal, symmetric
from orthoprox import stiefel
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.smooth import Function, Quadratic
from orthoprox.smooth.curvature import hessian, hessian_within, lipschitz, steepness, weak_convexity


def test_a_known_constant_is_used_as_it_is():
    """A term with a Lipschitz constant of its own is not estimated."""
    ell = SMOOTH["Quadratic"]
    assert lipschitz(ell, np.zeros((7, 3))) == ell.lipschitz


@pytest.mark.parametrize("shape", [(4, 1), (12, 3), (40, 5)])
@given(seed=SEEDS, scale=st.sampled_from([1e-6, 1.0, 1e6]))
@EXAMPLES
def test_estimate_of_a_quadratic(shape, seed, scale):
    """For l(X) = tr(X'AX)/2 + tr(B'X) the estimate is between .8 and 1.3 times |A|_2."""
    A, B = scale * symmetric(seed, shape[0]), scale * normal(seed + 1, *shape)
    ell = Quadratic(A, B)
    estimate = lipschitz(Function(ell.value, ell.grad), stiefel.random_point(*shape, seed=seed))
    assert 0.8 * np.linalg.norm(A, 2) <= estimate <= 1.3 * np.linalg.norm(A, 2)


@given(seed=SEEDS)
@EXAMPLES
def test_estimate_of_a_quartic_is_local(seed):
    """For l(X) = |X|_4^4 / 4 the second derivative at X is 3 max x_ij^2, which the estimate meets
    to 30 %.
    """
    X = stiefel.random_point(12, 3, seed=seed)
    quartic = Function(lambda X: np.sum(X**4) / 4, lambda X: X**3)
    true = 3 * np.max(X**2)
    assert 0.7 * true <= lipschitz(quartic, X) <= 1.3 * true


def test_estimate_is_never_far_above_a_global_constant():
    """log cosh has second derivatives in [0, 1]: the estimate is positive and at most 1.1."""
    for seed in range(5):
        assert 0.5 <= lipschitz(SMOOTH["Function log-cosh"], stiefel.random_point(7, 3, seed=seed)) <= 1.1


def test_estimate_of_a_linear_function_is_zero():
    """A gradient that does not change has L = 0, without a division by zero."""
    B = normal(0, 7, 3)
    assert lipschitz(Function(lambda X: np.sum(B * X), lambda X: B), stiefel.random_point(7, 3)) == 0


def test_estimate_in_single_precision():
    """The finite differences survive float32."""
    A = symmetric(0, 12).astype(np.float32)
    ell = Quadratic(A)
    estimate = lipschitz(Function(ell.value, ell.grad), stiefel.random_point(12, 3).astype(np.float32))
    assert 0.8 * np.linalg.norm(A, 2) <= estimate <= 1.3 * np.linalg.norm(A, 2)


def test_estimate_of_a_batch_covers_all_of_it():
    """One constant serves all problems of a batch."""
    A = np.stack([symmetric(k, 6) for k in range(3)])
    ell = Quadratic(A)
    X = np.stack([stiefel.random_point(6, 2, seed=k) for k in range(3)])
    true = max(np.linalg.norm(a, 2) for a in A)
    assert 0.8 * true <= lipschitz(Function(ell.value, ell.grad), X) <= 1.3 * true


def second_derivative(name, seed):
    X = stiefel.random_point(*SHAPE, seed=seed)
    return X, hessian(SMOOTH[name], X, SMOOTH[name].grad(X))


@pytest.mark.parametrize("name", [name for name in SMOOTH if name.startswith(("Quadratic", "Variance"))])
@given(seed=SEEDS, scale=st.sampled_from([1e-8, 1.0, 1e8]))
@EXAMPLES
def test_second_derivative_of_a_quadratic_is_exact(name, seed, scale):
    """l''(X)[V] = grad l(V) - grad l(0) for quadratics, up to rounding, whatever the size of V."""
    ell, V = SMOOTH[name], scale * normal(seed + 1, *SHAPE)
    exact = ell.grad(V) - ell.grad(0 * V)
    assert stiefel.norm(second_derivative(name, seed)[1](V) - exact) <= 1e-8 * ell.lipschitz * stiefel.norm(V)


@given(seed=SEEDS)
@EXAMPLES
def test_second_derivative_of_log_cosh(seed):
    """It is V / cosh^2(X), entry by entry."""
    X, second = second_derivative("Function log-cosh", seed)
    V = normal(seed + 1, *SHAPE)
    np.testing.assert_allclose(second(V), V / np.cosh(X) ** 2, atol=1e-4 * stiefel.norm(V))


@pytest.mark.parametrize("name", SMOOTH)
def test_second_derivative_fits_the_value_and_is_symmetric(name):
    """<V, l''[V]> is the limit of (l(X + hV) - 2 l(X) + l(X - hV)) / h^2, and <V, l''[W]> =
    <l''[V], W>.
    """
    X, second = second_derivative(name, 0)
    V, W, value, h = normal(1, *SHAPE), normal(2, *SHAPE), SMOOTH[name].value, 1e-3
    size = stiefel.norm(second(V)) * stiefel.norm(W)
    assert stiefel.inner(V, second(V)) == pytest.approx(
        (value(X + h * V) - 2 * value(X) + value(X - h * V)) / h**2, abs=1e-3 * size
    )
    assert stiefel.inner(V, second(W)) == pytest.approx(stiefel.inner(second(V), W), abs=1e-3 * size)


def test_second_derivative_along_nothing_is_zero():
    """V = 0 gives 0, without a division by zero and without a gradient."""
    assert stiefel.norm(hessian(None, stiefel.random_point(*SHAPE), np.zeros(SHAPE))(np.zeros(SHAPE))) == 0


@pytest.mark.parametrize("center", [False, True])
def test_second_derivative_within_a_mask_is_that_of_the_whole(center):
    """Of sparse data, their multiples and some of their columns; it counts as one gradient."""
    A = normal(0, 30, 60) * (np.random.default_rng(1).random((30, 60)) < 0.1)
    whole, mask = op.smooth.Variance(sp.csr_array(A), center=center), np.random.default_rng(2).random((60, 3)) < 0.1
    assert whole.columns.within(mask) is not None  # whose columns the other terms must not take over
    for ell, at in ((whole, slice(None)), (whole.times(4.0), slice(None)), (whole.at_rows(np.arange(40), 1), slice(40))):
        V, problem = mask[at] * normal(3, *mask[at].shape), op.Problem(ell, op.nonsmooth.L1(0.1), mask[at].shape)
        assert ell.columns.within(mask[at]) is not None
        work = Work()
        second = hessian_within(counted(problem, work).smooth, V, V, mask[at])
        np.testing.assert_allclose(mask[at] * second(V), mask[at] * ell.grad(V), atol=1e-12)
        assert work.gradients == 1


def test_second_derivative_costs_one_gradient():
    """The gradient at X is given, the one at X + hV is computed."""
    calls, X = [], stiefel.random_point(*SHAPE)
    ell = Function(np.sum, lambda X: calls.append(1) or X)
    second = hessian(ell, X, X)
    assert not calls
    second(X)
    assert len(calls) == 1


def test_second_derivative_in_single_precision():
    """The finite differences survive float32."""
    A, X, V = (
        symmetric(0, 12).astype(np.float32),
        stiefel.random_point(12, 3).astype(np.float32),
        normal(1, 12, 3).astype(np.float32),
    )
    ell = Quadratic(A)
    change = hessian(ell, X, ell.grad(X))(V)
    assert change.dtype == np.float32
    assert stiefel.norm(change - A @ V) <= 1e-3 * stiefel.norm(A @ V)


def test_weak_convexity_is_the_terms_own_or_the_lipschitz_constant():
    """A term that does not tell is taken for as concave as its gradient allows."""
    X, ell = stiefel.random_point(7, 3), SMOOTH["Quadratic"]
    assert weak_convexity(ell, X) == ell.modulus
    bare = Function(ell.value, ell.grad)
    assert weak_convexity(bare, X) == lipschitz(bare, X)


def test_steepness_is_the_larger_of_curvature_and_gradient():
    """max(L, |D|_2), which is L on the manifold where l has no linear part."""
    X = stiefel.random_point(7, 3)
    for factor, larger in ((0.0, "curvature"), (100.0, "gradient")):
        ell = Quadratic(symmetric(0, 7), factor * normal(1, 7, 3))
        D = ell.grad(X)
        expected = ell.lipschitz if larger == "curvature" else np.linalg.norm(D, 2)
        assert steepness(ell, X, D) == pytest.approx(expected, rel=1e-12)
