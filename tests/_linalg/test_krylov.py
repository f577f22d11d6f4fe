"""Conjugate gradients, without and with a trust region."""

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal, symmetric
from orthoprox import stiefel
from orthoprox._linalg.krylov import conjugate_gradients, trust_region
from twins import same


@pytest.mark.parametrize("shape", [(1, 1), (6, 1), (12, 4)])
@given(seed=SEEDS, tol=st.sampled_from([1e-2, 1e-6, 1e-10]))
@EXAMPLES
def test_conjugate_gradients_solve(shape, seed, tol):
    """|AS - B| <= tol |B|, which for a well-conditioned A is the solution of numpy.linalg.solve."""
    A = np.eye(shape[0]) + symmetric(seed, shape[0]) @ symmetric(seed, shape[0]) / shape[0]
    B = normal(seed + 1, *shape)
    S = conjugate_gradients(lambda P: A @ P, B, tol=tol, max_iterations=200)
    assert stiefel.norm(A @ S - B) <= 1.001 * tol * stiefel.norm(B)
    np.testing.assert_allclose(S, np.linalg.solve(A, B), atol=1.01 * tol * stiefel.norm(B))  # |A^-1|_2 <= 1


@given(seed=SEEDS)
@EXAMPLES
def test_conjugate_gradients_on_matrices(seed):
    """The operator may act on both sides: S -> PS + SP + S with P nonnegative is inverted as a
    matrix of n^2 rows.
    """
    n = 4
    P, B = symmetric(seed, n) @ symmetric(seed, n), symmetric(seed + 1, n)
    explicit = np.kron(P, np.eye(n)) + np.kron(np.eye(n), P) + np.eye(n * n)
    S = conjugate_gradients(lambda S: P @ S + S @ P + S, B, tol=1e-12, max_iterations=500)
    np.testing.assert_allclose(S, np.linalg.solve(explicit, B.ravel()).reshape(n, n), atol=1e-9 * stiefel.norm(B))


def test_conjugate_gradients_stop_where_the_operator_is_flat():
    """On a singular operator the part of B that it can reach is solved; without curvature nothing
    moves.
    """
    flat = np.diag([2.0, 1.0, 0.0])
    B = np.array([[2.0], [3.0], [0.0]])
    np.testing.assert_allclose(
        conjugate_gradients(lambda P: flat @ P, B, tol=1e-12, max_iterations=9), [[1.0], [3.0], [0.0]], atol=1e-12
    )
    unreachable = np.array([[0.0], [0.0], [1.0]])
    assert stiefel.norm(conjugate_gradients(lambda P: flat @ P, unreachable, tol=1e-12, max_iterations=9)) == 0
    assert stiefel.norm(conjugate_gradients(lambda P: flat @ P, 0 * B, tol=1e-12, max_iterations=9)) == 0


def test_conjugate_gradients_keep_within_their_budget():
    """The operator is applied at most ``max_iterations`` times, and each iterate is better than the
    last in its norm.
    """
    A = np.diag(np.geomspace(1, 1e4, 50))
    B, calls, energies = normal(0, 50, 1), [], []

    def apply(P):
        calls.append(1)
        return A @ P

    for budget in range(6):
        calls.clear()
        S = conjugate_gradients(apply, B, tol=1e-12, max_iterations=budget)
        assert len(calls) == budget
        energies.append(stiefel.inner(S, A @ S) / 2 - stiefel.inner(B, S))
    assert np.all(np.diff(energies) < 0)


def test_conjugate_gradients_follow_the_standard():
    """The Krylov solver of a strict library is that of NumPy."""
    A, B = symmetric(0, 5) @ symmetric(0, 5), normal(1, 5, 2)
    AA, BB = strict.asarray(A), strict.asarray(B)
    result = conjugate_gradients(lambda P: AA @ P, BB, tol=1e-3, max_iterations=50)
    same(result, conjugate_gradients(lambda P: A @ P, B, tol=1e-3, max_iterations=50))


M, N = SHAPE = 8, 2
SPECTRA = {
    "positive": np.linspace(1, 3, M),
    "stiff": np.geomspace(1e-2, 1e2, M),
    "both signs": np.linspace(-1, 2, M),
    "negative": np.linspace(-2, -1, M),
    "flat": np.zeros(M),
}
POSITIVE = ["positive", "stiff"]


def matrix(spectrum, seed):
    """A symmetric matrix with these eigenvalues."""
    Q = np.linalg.qr(normal(seed, M, M))[0]
    return stiefel.sym((Q * SPECTRA[spectrum]) @ Q.T)


def solve(A, R, radius=np.inf, precondition=lambda Q: Q, tol=1e-12, max_iterations=100):
    return trust_region(lambda V: A @ V, precondition, R, radius, tol=tol, max_iterations=max_iterations)


def model(A, R, V):
    return stiefel.inner(R, V) + stiefel.inner(V, A @ V) / 2


@pytest.mark.parametrize("spectrum", SPECTRA)
@given(seed=SEEDS, radius=st.sampled_from([1e-3, 1.0, 30.0]), budget=st.integers(0, 30))
@EXAMPLES
def test_step_is_within_the_radius_and_knows_what_it_gains(spectrum, seed, radius, budget):
    """|V| <= radius, with equality at the border, and ``decrease`` is what the model falls, for any
    symmetric operator.
    """
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    step = solve(A, R, radius, max_iterations=budget)
    assert stiefel.norm(step.V) <= (1 + 1e-9) * radius
    assert not step.edge or stiefel.norm(step.V) == pytest.approx(radius)
    assert step.decrease == pytest.approx(-model(A, R, step.V), rel=1e-9, abs=1e-12)
    assert (step.decrease > 0) == (budget > 0)


@pytest.mark.parametrize("spectrum", POSITIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_interior_step_solves_the_equation(spectrum, seed):
    """With room enough V = -A^(-1) R for a positive definite A."""
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    exact = np.linalg.solve(A, -R)
    step = solve(A, R, 1.01 * stiefel.norm(exact))
    assert not step.edge
    np.testing.assert_allclose(step.V, exact, atol=1e-7 * stiefel.norm(exact))
    assert step.decrease == pytest.approx(-stiefel.inner(R, exact) / 2, rel=1e-9)


@given(seed=SEEDS, tol=st.sampled_from([0.3, 1e-2, 1e-6]))
@EXAMPLES
def test_interior_step_is_as_exact_as_asked(seed, tol):
    """The residual R + AV falls to ``tol`` times R, in the norm <., B .> of a preconditioner B."""
    A, B, R = matrix("stiff", seed), matrix("positive", seed + 2), normal(seed + 1, *SHAPE)
    rest = R + A @ solve(A, R, precondition=lambda Q: B @ Q, tol=tol).V
    assert stiefel.inner(rest, B @ rest) <= (1.01 * tol) ** 2 * stiefel.inner(R, B @ R)


@pytest.mark.parametrize("spectrum", SPECTRA)
@given(seed=SEEDS)
@EXAMPLES
def test_border_is_reached_where_the_minimiser_lies_beyond(spectrum, seed):
    """|V| = radius, and the model is below its minimum along -R within the radius, Cauchy's
    point.
    """
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    radius = 0.5 * stiefel.norm(np.linalg.solve(A, R)) if spectrum in POSITIVE else 20.0
    step = solve(A, R, radius)
    assert step.edge
    assert stiefel.norm(step.V) == pytest.approx(radius)
    along = np.linspace(0, radius / stiefel.norm(R), 200)
    assert -step.decrease <= min(model(A, R, -t * R) for t in along) + 1e-12


def test_negative_curvature_is_followed_to_the_border():
    """The model (x^2 - y^2) / 2 + x + y / 1000 has no minimum; in a large circle nearly its least
    value, -r^2 / 2, is found.
    """
    A, R = np.diag([1.0, -1.0]), np.array([[1.0], [1e-3]])
    step = solve(A, R, 100.0)
    assert step.edge
    assert stiefel.norm(step.V) == pytest.approx(100.0)
    assert step.decrease == pytest.approx(5000, rel=1e-2)


@pytest.mark.parametrize("flat", [0.0, -1.0])
def test_without_positive_curvature_the_step_goes_straight_to_the_border(flat):
    """For A = 0 and A = -I, V is -R, scaled to the radius, after one product."""
    R, calls = normal(0, *SHAPE), []

    def apply(V):
        calls.append(1)
        return flat * V

    step = trust_region(apply, lambda Q: Q, R, 0.7, tol=1e-12, max_iterations=100)
    np.testing.assert_allclose(step.V, -0.7 * R / stiefel.norm(R), atol=1e-15)
    assert step.edge
    assert len(calls) == 1


@pytest.mark.parametrize("spectrum", POSITIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_preconditioner_does_not_change_the_solution(spectrum, seed):
    """In the interior V is the same with any positive definite preconditioner; A^(-1) itself takes
    one product.
    """
    A, B, R = matrix(spectrum, seed), matrix("positive", seed + 2), normal(seed + 1, *SHAPE)
    exact = np.linalg.solve(A, -R)
    for precondition, budget in ((lambda Q: B @ Q, 100), (lambda Q: np.linalg.solve(A, Q), 1)):
        step = solve(A, R, 1e6, precondition, max_iterations=budget)
        assert not step.edge
        np.testing.assert_allclose(step.V, exact, atol=1e-7 * stiefel.norm(exact))


def test_preconditioner_keeps_the_step_in_its_range():
    """With the projection to a tangent space the step is tangent, and solves the projected
    equation.
    """
    X, A, W = stiefel.random_point(*SHAPE, seed=0), matrix("stiff", 1), normal(2, *SHAPE)

    def project(V):
        return stiefel.tangent(X, V)

    V = trust_region(lambda V: project(A @ V), project, project(W), 1e6, tol=1e-12, max_iterations=100).V
    assert stiefel.norm(stiefel.sym(X.T @ V)) <= 1e-12 * stiefel.norm(V)
    assert stiefel.norm(project(A @ V + W)) <= 1e-9 * stiefel.norm(W)


def test_more_iterations_gain_more():
    """Each iterate has a lower model than the last, and the operator is applied at most
    ``max_iterations`` times.
    """
    A, R, calls = np.diag(np.geomspace(1, 1e4, 50)), normal(0, 50, 1), []

    def apply(V):
        calls.append(1)
        return A @ V

    gains = []
    for budget in range(8):
        calls.clear()
        gains.append(trust_region(apply, lambda Q: Q, R, 1e6, tol=1e-12, max_iterations=budget).decrease)
        assert len(calls) == budget
    assert np.all(np.diff(gains) > 0)


def test_at_a_stationary_point_nothing_moves():
    """R = 0 gives V = 0, without a product, even where the curvature is negative."""
    step = trust_region(None, lambda Q: Q, np.zeros(SHAPE), 1.0, tol=0.1, max_iterations=9)
    assert stiefel.norm(step.V) == 0
    assert step.decrease == 0
    assert not step.edge


@pytest.mark.parametrize("radius", [1e-2, 1e6])
def test_step_keeps_the_dtype(radius):
    """In float32 the step is in float32, and that of float64 but for rounding."""
    A, R = np.eye(M) + symmetric(0, M) @ symmetric(0, M), normal(1, *SHAPE)
    step = solve(A.astype(np.float32), R.astype(np.float32), radius, tol=1e-5)
    assert step.V.dtype == np.float32
    np.testing.assert_allclose(step.V, solve(A, R, radius, tol=1e-5).V, atol=1e-3 * min(radius, stiefel.norm(R)))
