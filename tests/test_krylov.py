"""Conjugate gradients in a trust region; those without are in ``test_curvature.py``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal, symmetric
from orthoprox._linalg.krylov import trust_region
from orthoprox._linalg.stiefel import inner, norm, random_point, sym, tangent

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
    return sym((Q * SPECTRA[spectrum]) @ Q.T)


def solve(A, R, radius=np.inf, precondition=lambda Q: Q, tol=1e-12, max_iterations=100):
    return trust_region(lambda V: A @ V, precondition, R, radius, tol=tol, max_iterations=max_iterations)


def model(A, R, V):
    return inner(R, V) + inner(V, A @ V) / 2


@pytest.mark.parametrize("spectrum", SPECTRA)
@given(seed=SEEDS, radius=st.sampled_from([1e-3, 1.0, 30.0]), budget=st.integers(0, 30))
@EXAMPLES
def test_step_is_within_the_radius_and_knows_what_it_gains(spectrum, seed, radius, budget):
    """|V| <= radius, with equality at the border, and ``decrease`` is what the model falls, for any symmetric operator."""
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    step = solve(A, R, radius, max_iterations=budget)
    assert norm(step.V) <= (1 + 1e-9) * radius
    assert not step.edge or norm(step.V) == pytest.approx(radius)
    assert step.decrease == pytest.approx(-model(A, R, step.V), rel=1e-9, abs=1e-12)
    assert (step.decrease > 0) == (budget > 0)


@pytest.mark.parametrize("spectrum", POSITIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_interior_step_solves_the_equation(spectrum, seed):
    """With room enough V = -A^(-1) R for a positive definite A."""
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    exact = np.linalg.solve(A, -R)
    step = solve(A, R, 1.01 * norm(exact))
    assert not step.edge
    np.testing.assert_allclose(step.V, exact, atol=1e-7 * norm(exact))
    assert step.decrease == pytest.approx(-inner(R, exact) / 2, rel=1e-9)


@given(seed=SEEDS, tol=st.sampled_from([0.3, 1e-2, 1e-6]))
@EXAMPLES
def test_interior_step_is_as_exact_as_asked(seed, tol):
    """The residual R + AV falls to ``tol`` times R, in the norm <., B .> of a preconditioner B."""
    A, B, R = matrix("stiff", seed), matrix("positive", seed + 2), normal(seed + 1, *SHAPE)
    rest = R + A @ solve(A, R, precondition=lambda Q: B @ Q, tol=tol).V
    assert inner(rest, B @ rest) <= (1.01 * tol) ** 2 * inner(R, B @ R)


@pytest.mark.parametrize("spectrum", SPECTRA)
@given(seed=SEEDS)
@EXAMPLES
def test_border_is_reached_where_the_minimiser_lies_beyond(spectrum, seed):
    """|V| = radius, and the model is below its minimum along -R within the radius, Cauchy's point."""
    A, R = matrix(spectrum, seed), normal(seed + 1, *SHAPE)
    radius = 0.5 * norm(np.linalg.solve(A, R)) if spectrum in POSITIVE else 20.0
    step = solve(A, R, radius)
    assert step.edge
    assert norm(step.V) == pytest.approx(radius)
    along = np.linspace(0, radius / norm(R), 200)
    assert -step.decrease <= min(model(A, R, -t * R) for t in along) + 1e-12


def test_negative_curvature_is_followed_to_the_border():
    """The model (x^2 - y^2) / 2 + x + y / 1000 has no minimum; in a large circle nearly its least value, -r^2 / 2, is found."""
    A, R = np.diag([1.0, -1.0]), np.array([[1.0], [1e-3]])
    step = solve(A, R, 100.0)
    assert step.edge
    assert norm(step.V) == pytest.approx(100.0)
    assert step.decrease == pytest.approx(5000, rel=1e-2)


@pytest.mark.parametrize("flat", [0.0, -1.0])
def test_without_positive_curvature_the_step_goes_straight_to_the_border(flat):
    """For A = 0 and A = -I, V is -R, scaled to the radius, after one product."""
    R, calls = normal(0, *SHAPE), []

    def apply(V):
        calls.append(1)
        return flat * V

    step = trust_region(apply, lambda Q: Q, R, 0.7, tol=1e-12, max_iterations=100)
    np.testing.assert_allclose(step.V, -0.7 * R / norm(R), atol=1e-15)
    assert step.edge
    assert len(calls) == 1


@pytest.mark.parametrize("spectrum", POSITIVE)
@given(seed=SEEDS)
@EXAMPLES
def test_preconditioner_does_not_change_the_solution(spectrum, seed):
    """In the interior V is the same with any positive definite preconditioner; A^(-1) itself takes one product."""
    A, B, R = matrix(spectrum, seed), matrix("positive", seed + 2), normal(seed + 1, *SHAPE)
    exact = np.linalg.solve(A, -R)
    for precondition, budget in ((lambda Q: B @ Q, 100), (lambda Q: np.linalg.solve(A, Q), 1)):
        step = solve(A, R, 1e6, precondition, max_iterations=budget)
        assert not step.edge
        np.testing.assert_allclose(step.V, exact, atol=1e-7 * norm(exact))


def test_preconditioner_keeps_the_step_in_its_range():
    """With the projection to a tangent space the step is tangent, and solves the projected equation."""
    X, A, W = random_point(*SHAPE, seed=0), matrix("stiff", 1), normal(2, *SHAPE)

    def project(V):
        return tangent(X, V)

    V = trust_region(lambda V: project(A @ V), project, project(W), 1e6, tol=1e-12, max_iterations=100).V
    assert norm(sym(X.T @ V)) <= 1e-12 * norm(V)
    assert norm(project(A @ V + W)) <= 1e-9 * norm(W)


def test_more_iterations_gain_more():
    """Each iterate has a lower model than the last, and the operator is applied at most ``max_iterations`` times."""
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
    assert norm(step.V) == 0
    assert step.decrease == 0
    assert not step.edge


@pytest.mark.parametrize("radius", [1e-2, 1e6])
def test_step_keeps_the_dtype(radius):
    """In float32 the step is in float32, and that of float64 but for rounding."""
    A, R = np.eye(M) + symmetric(0, M) @ symmetric(0, M), normal(1, *SHAPE)
    step = solve(A.astype(np.float32), R.astype(np.float32), radius, tol=1e-5)
    assert step.V.dtype == np.float32
    np.testing.assert_allclose(step.V, solve(A, R, radius, tol=1e-5).V, atol=1e-3 * min(radius, norm(R)))
