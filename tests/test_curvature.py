"""Spectral norms, estimated Lipschitz constants, conjugate gradients, second derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, SHAPE, SMOOTH, normal, symmetric
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.spectrum import dense_norm, spectral_norm
from orthoprox._linalg.stiefel import inner, norm, random_point, sym
from orthoprox.smooth import Function, Quadratic
from orthoprox.smooth.curvature import hessian, lipschitz

# --- norms ------------------------------------------------------------------------------------------------------------

SPECTRA = {
    "random": lambda m: np.linalg.eigvalsh(symmetric(m, m)),
    "identity": np.ones,
    "negative": lambda m: -np.linspace(1, 2, m),
    "both signs": lambda m: np.linspace(-1, 1, m),
    "one": lambda m: np.eye(m)[0],
    "crowded": lambda m: 1 - np.linspace(0, 1, m) ** 3,
    "tiny": lambda m: 1e-100 * np.linspace(1, 2, m),
    "nothing": np.zeros,
}


@pytest.mark.parametrize("m", [1, 3, 16, 17, 90])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_spectral_norm_is_sharp(spectrum, m):
    """The bound is at least |A|_2 and at most 2 % larger, whatever the spectrum."""
    w, Q = SPECTRA[spectrum](m), np.linalg.qr(normal(0, m, m))[0]
    A, true = sym((Q * w) @ Q.T), np.max(np.abs(w))
    for bound in (spectral_norm(lambda V: A @ V, m), dense_norm(A)):
        assert (1 - 1e-12) * true <= bound <= 1.02 * true


def test_norm_of_a_batch_is_the_largest():
    """One constant serves all problems of a batch."""
    A = np.stack([symmetric(k, 5) for k in range(4)])
    true = max(np.linalg.norm(a, 2) for a in A)
    assert true <= dense_norm(A) <= 1.02 * true
    assert Quadratic(A).lipschitz == dense_norm(A)


# --- estimates --------------------------------------------------------------------------------------------------------


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
    estimate = lipschitz(Function(ell.value, ell.grad), random_point(*shape, seed=seed))
    assert 0.8 * np.linalg.norm(A, 2) <= estimate <= 1.3 * np.linalg.norm(A, 2)


@given(seed=SEEDS)
@EXAMPLES
def test_estimate_of_a_quartic_is_local(seed):
    """For l(X) = |X|_4^4 / 4 the second derivative at X is 3 max x_ij^2, which the estimate meets to 30 %."""
    X = random_point(12, 3, seed=seed)
    quartic = Function(lambda X: np.sum(X**4) / 4, lambda X: X**3)
    true = 3 * np.max(X**2)
    assert 0.7 * true <= lipschitz(quartic, X) <= 1.3 * true


def test_estimate_is_never_far_above_a_global_constant():
    """log cosh has second derivatives in [0, 1]: the estimate is positive and at most 1.1."""
    for seed in range(5):
        assert 0.5 <= lipschitz(SMOOTH["Function log-cosh"], random_point(7, 3, seed=seed)) <= 1.1


def test_estimate_of_a_linear_function_is_zero():
    """A gradient that does not change has L = 0, without a division by zero."""
    B = normal(0, 7, 3)
    assert lipschitz(Function(lambda X: np.sum(B * X), lambda X: B), random_point(7, 3)) == 0


def test_estimate_in_single_precision():
    """The finite differences survive float32."""
    A = symmetric(0, 12).astype(np.float32)
    ell = Quadratic(A)
    estimate = lipschitz(Function(ell.value, ell.grad), random_point(12, 3).astype(np.float32))
    assert 0.8 * np.linalg.norm(A, 2) <= estimate <= 1.3 * np.linalg.norm(A, 2)


def test_estimate_of_a_batch_covers_all_of_it():
    """One constant serves all problems of a batch."""
    A = np.stack([symmetric(k, 6) for k in range(3)])
    ell = Quadratic(A)
    X = np.stack([random_point(6, 2, seed=k) for k in range(3)])
    true = max(np.linalg.norm(a, 2) for a in A)
    assert 0.8 * true <= lipschitz(Function(ell.value, ell.grad), X) <= 1.3 * true


# --- conjugate gradients ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (6, 1), (12, 4)])
@given(seed=SEEDS, tol=st.sampled_from([1e-2, 1e-6, 1e-10]))
@EXAMPLES
def test_conjugate_gradients_solve(shape, seed, tol):
    """|AS - B| <= tol |B|, which for a well-conditioned A is the solution of numpy.linalg.solve."""
    A = np.eye(shape[0]) + symmetric(seed, shape[0]) @ symmetric(seed, shape[0]) / shape[0]
    B = normal(seed + 1, *shape)
    S = conjugate_gradients(lambda P: A @ P, B, tol=tol, max_iterations=200)
    assert norm(A @ S - B) <= 1.001 * tol * norm(B)
    np.testing.assert_allclose(S, np.linalg.solve(A, B), atol=1.01 * tol * norm(B))  # |A^-1|_2 <= 1


@given(seed=SEEDS)
@EXAMPLES
def test_conjugate_gradients_on_matrices(seed):
    """The operator may act on both sides: S -> PS + SP + S with P nonnegative is inverted as a matrix of n^2 rows."""
    n = 4
    P, B = symmetric(seed, n) @ symmetric(seed, n), symmetric(seed + 1, n)
    explicit = np.kron(P, np.eye(n)) + np.kron(np.eye(n), P) + np.eye(n * n)
    S = conjugate_gradients(lambda S: P @ S + S @ P + S, B, tol=1e-12, max_iterations=500)
    np.testing.assert_allclose(S, np.linalg.solve(explicit, B.ravel()).reshape(n, n), atol=1e-9 * norm(B))


def test_conjugate_gradients_stop_where_the_operator_is_flat():
    """On a singular operator the part of B that it can reach is solved; without curvature nothing moves."""
    flat = np.diag([2.0, 1.0, 0.0])
    B = np.array([[2.0], [3.0], [0.0]])
    np.testing.assert_allclose(
        conjugate_gradients(lambda P: flat @ P, B, tol=1e-12, max_iterations=9), [[1.0], [3.0], [0.0]], atol=1e-12
    )
    unreachable = np.array([[0.0], [0.0], [1.0]])
    assert norm(conjugate_gradients(lambda P: flat @ P, unreachable, tol=1e-12, max_iterations=9)) == 0
    assert norm(conjugate_gradients(lambda P: flat @ P, 0 * B, tol=1e-12, max_iterations=9)) == 0


def test_conjugate_gradients_keep_within_their_budget():
    """The operator is applied at most ``max_iterations`` times, and each iterate is better than the last in its norm."""
    A = np.diag(np.geomspace(1, 1e4, 50))
    B, calls, energies = normal(0, 50, 1), [], []

    def apply(P):
        calls.append(1)
        return A @ P

    for budget in range(6):
        calls.clear()
        S = conjugate_gradients(apply, B, tol=1e-12, max_iterations=budget)
        assert len(calls) == budget
        energies.append(inner(S, A @ S) / 2 - inner(B, S))
    assert np.all(np.diff(energies) < 0)


# --- second derivatives -----------------------------------------------------------------------------------------------


def second_derivative(name, seed):
    X = random_point(*SHAPE, seed=seed)
    return X, hessian(SMOOTH[name], X, SMOOTH[name].grad(X))


@pytest.mark.parametrize("name", [name for name in SMOOTH if name.startswith(("Quadratic", "Variance"))])
@given(seed=SEEDS, scale=st.sampled_from([1e-8, 1.0, 1e8]))
@EXAMPLES
def test_second_derivative_of_a_quadratic_is_exact(name, seed, scale):
    """l''(X)[V] = grad l(V) - grad l(0) for quadratics, up to rounding, whatever the size of V."""
    ell, V = SMOOTH[name], scale * normal(seed + 1, *SHAPE)
    exact = ell.grad(V) - ell.grad(0 * V)
    assert norm(second_derivative(name, seed)[1](V) - exact) <= 1e-8 * ell.lipschitz * norm(V)


@given(seed=SEEDS)
@EXAMPLES
def test_second_derivative_of_log_cosh(seed):
    """It is V / cosh^2(X), entry by entry."""
    X, second = second_derivative("Function log-cosh", seed)
    V = normal(seed + 1, *SHAPE)
    np.testing.assert_allclose(second(V), V / np.cosh(X) ** 2, atol=1e-4 * norm(V))


@pytest.mark.parametrize("name", SMOOTH)
def test_second_derivative_fits_the_value_and_is_symmetric(name):
    """<V, l''[V]> is the limit of (l(X + hV) - 2 l(X) + l(X - hV)) / h^2, and <V, l''[W]> = <l''[V], W>."""
    X, second = second_derivative(name, 0)
    V, W, value, h = normal(1, *SHAPE), normal(2, *SHAPE), SMOOTH[name].value, 1e-3
    size = norm(second(V)) * norm(W)
    assert inner(V, second(V)) == pytest.approx((value(X + h * V) - 2 * value(X) + value(X - h * V)) / h**2, abs=1e-3 * size)
    assert inner(V, second(W)) == pytest.approx(inner(second(V), W), abs=1e-3 * size)


def test_second_derivative_along_nothing_is_zero():
    """V = 0 gives 0, without a division by zero and without a gradient."""
    assert norm(hessian(None, random_point(*SHAPE), np.zeros(SHAPE))(np.zeros(SHAPE))) == 0


def test_second_derivative_costs_one_gradient():
    """The gradient at X is given, the one at X + hV is computed."""
    calls, X = [], random_point(*SHAPE)
    ell = Function(np.sum, lambda X: calls.append(1) or X)
    second = hessian(ell, X, X)
    assert not calls
    second(X)
    assert len(calls) == 1


def test_second_derivative_in_single_precision():
    """The finite differences survive float32."""
    A, X, V = symmetric(0, 12).astype(np.float32), random_point(12, 3).astype(np.float32), normal(1, 12, 3).astype(np.float32)
    ell = Quadratic(A)
    change = hessian(ell, X, ell.grad(X))(V)
    assert change.dtype == np.float32
    assert norm(change - A @ V) <= 1e-3 * norm(A @ V)
