"""Solving grad l(X) + cX = R: exactly for quadratics, however their data are stored, by gradient steps elsewhere."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from cases import EXAMPLES, SEEDS, SMOOTH, normal, symmetric
from orthoprox._linalg import spectrum as curvature
from orthoprox._linalg.inverse import shifted_inverse, shifted_inverses
from orthoprox._linalg.spectrum import smallest_eigenvalue
from orthoprox._linalg.stiefel import norm, random_point
from orthoprox.smooth import Function, Quadratic, Variance
from orthoprox.smooth.base import HasResolvent, HasWeakConvexity
from orthoprox.smooth.curvature import steepness, weak_convexity
from orthoprox.smooth.resolvent import GRADIENT_STEPS, resolvent, resolvents

KINDS = {"dense": np.asarray, "sparse": sp.csr_array, "csc_matrix": sp.csc_matrix, "operator": aslinearoperator}
every_kind = pytest.mark.parametrize("kind", KINDS)


def on_disk(A, path):
    rows = np.memmap(path / "rows.bin", dtype=A.dtype, mode="w+", shape=A.shape)
    rows[:] = A
    return rows


def solves(ell, c, R):
    """grad l(X) + cX = R at X = resolvent(R), to 1e-9 of R, made for one c or for many; and the start does not matter."""
    for solve in (resolvent(ell, c, R), resolvents(ell, R)(c)):
        X = solve(R, 0 * R)
        assert norm(ell.grad(X) + c * X - R) <= 1e-9 * norm(R)
        np.testing.assert_array_equal(solve(R, R), X)
        assert X.shape == R.shape


@every_kind
@pytest.mark.parametrize("linear", [False, True], ids=["A", "A and B"])
@pytest.mark.parametrize("m", [5, 30])
def test_resolvent_of_a_quadratic(kind, linear, m):
    """(A + cI) X + B = R, for every c above the modulus."""
    ell = Quadratic(KINDS[kind](symmetric(0, m)), normal(1, m, 3) if linear else None)
    for margin in (1.1, 3.0, 100.0):
        solves(ell, margin * ell.modulus, normal(2, m, 3))


@pytest.mark.parametrize("kind", [*KINDS, "memmap"])
@pytest.mark.parametrize("rows", [40, 4], ids=["tall", "wide"])
def test_resolvent_of_a_variance(kind, rows, tmp_path):
    """(cI - 2A'A) X = R, through A'A where it is kept, through AA' where A is wide, and by products alone."""
    A = normal(0, rows, 15)
    ell = Variance(on_disk(A, tmp_path) if kind == "memmap" else KINDS[kind](A))
    assert (ell._hessian is None) == (rows == 4 or kind == "operator")
    for margin in (1.1, 3.0, 100.0):
        solves(ell, margin * ell.modulus, normal(2, 15, 3))


@pytest.mark.parametrize("name", [name for name, ell in SMOOTH.items() if isinstance(ell, HasResolvent)])
def test_resolvents_of_all_terms(name):
    """Every term that offers a resolvent means what it says."""
    ell = SMOOTH[name]
    solves(ell, 1.5 * ell.modulus + 0.1, normal(0, 7, 3))


def test_only_quadratics_have_a_resolvent():
    """A resolvent comes with the modulus that says for which c it exists."""
    assert {type(ell) for ell in SMOOTH.values() if isinstance(ell, HasResolvent)} == {Quadratic, Variance}
    assert {type(ell) for ell in SMOOTH.values() if isinstance(ell, HasWeakConvexity)} == {Quadratic, Variance}


@pytest.mark.parametrize("ell", [Quadratic(np.diag([1.0, -2.0])), Variance([[1.0, 0.0]])], ids=["Quadratic", "Variance"])
def test_a_weight_below_the_modulus_is_refused(ell):
    """Without strong convexity there is no unique minimiser; the message gives both numbers."""
    ell.resolvent(1.01 * ell.modulus)
    for c in (ell.modulus, 0.5 * ell.modulus, float("nan")):
        message = rf"weight {c:g} was added to a smooth term of weak convexity modulus {ell.modulus:g}; .* larger penalty"
        with pytest.raises(ValueError, match=message):
            ell.resolvent(c)
        with pytest.raises(ValueError, match=message):
            ell.resolvents()(c)


@given(seed=SEEDS, c=st.floats(0.5, 20.0))
@EXAMPLES
def test_gradient_steps_contract_towards_the_resolvent(seed, c):
    """For log cosh, with curvature in [0, 1], five steps of length 1 / (L + c) shrink the error by (L / (L + c))^5 at least."""
    ell, R, X = SMOOTH["Function log-cosh"], normal(seed, 7, 3), normal(seed + 1, 7, 3)
    solve, family = resolvent(ell, c, X), resolvents(ell, X)
    np.testing.assert_array_equal(family(c)(R, X), solve(R, X))
    exact = X
    for _ in range(200):
        exact = solve(R, exact)
    assert norm(ell.grad(exact) + c * exact - R) <= 1e-10 * (1 + norm(R))
    rate = (1.1 / (1.1 + c)) ** GRADIENT_STEPS
    assert norm(solve(R, X) - exact) <= rate * norm(X - exact) + 1e-12


def test_gradient_steps_know_the_answer_when_they_see_it():
    """At the minimiser the steps do not move."""
    ell = Quadratic(symmetric(0, 6))
    c, R = 2 * ell.modulus, normal(1, 6, 2)
    exact = ell.resolvent(c)(R)
    steps = resolvent(Function(ell.value, ell.grad), c, R)
    np.testing.assert_allclose(steps(R, exact), exact, atol=1e-13)


@every_kind
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shifted_inverse_keeps_the_precision(kind, dtype):
    """(A + cI) X = R in the dtype of the data."""
    A, R = (symmetric(0, 8) @ symmetric(0, 8)).astype(dtype), normal(1, 8, 2).astype(dtype)
    for X in (shifted_inverse(KINDS[kind](A), 1.0)(R), shifted_inverses(KINDS[kind](A))(1.0)(R)):
        assert X.dtype == dtype
        np.testing.assert_allclose(A @ X + X, R, atol=1e-2 if dtype is np.float32 else 1e-10)


def test_one_decomposition_serves_all_shifts(monkeypatch):
    """PAMAL changes its penalty in most iterations: for a dense A the eigenvalues are computed once."""
    calls, eigh = [], np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda A: calls.append(1) or eigh(A))
    family = Quadratic(symmetric(0, 6)).resolvents()
    R = normal(1, 6, 2)
    for c in (20.0, 30.0, 40.0):
        X = family(c)(R)
        np.testing.assert_allclose(symmetric(0, 6) @ X + c * X, R, atol=1e-12)
    assert len(calls) == 1


# --- how far from convex ----------------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("m", [3, 30])
@pytest.mark.parametrize("shift", [-5.0, 0.0, 50.0])
def test_modulus_of_a_quadratic(kind, m, shift):
    """The negative part of the smallest eigenvalue of A, however A is stored; 0 where l is convex."""
    A = symmetric(0, m) + shift * np.eye(m)
    assert Quadratic(KINDS[kind](A)).modulus == pytest.approx(max(0.0, -np.linalg.eigvalsh(A)[0]), abs=1e-12)


def test_modulus_of_a_batch_serves_all_of_it():
    """A batch has one modulus, at least that of each of its matrices."""
    A = np.stack([symmetric(k, 5) for k in range(3)])
    assert Quadratic(A).modulus >= max(Quadratic(a).modulus for a in A)


@every_kind
def test_a_variance_is_concave(kind):
    """Its modulus is its Lipschitz constant."""
    ell = Variance(KINDS[kind](normal(0, 9, 5)))
    assert ell.modulus == ell.lipschitz >= 2 * np.linalg.norm(normal(0, 9, 5), 2) ** 2


@pytest.mark.parametrize("m", [5, 17, 90])
@pytest.mark.parametrize("seed", range(4))
def test_smallest_eigenvalue(m, seed, monkeypatch):
    """Exact up to its dense size; above it a lower bound, off by at most 2 % of the norm."""
    A = symmetric(seed, m) - [0.0, 40.0, -40.0, 3.0][seed] * np.eye(m)
    true, size = np.linalg.eigvalsh(A)[0], np.linalg.norm(A, 2)
    assert smallest_eigenvalue(lambda V: A @ V, m) == pytest.approx(true, abs=1e-12 * size)
    monkeypatch.setattr(curvature, "_EIGENVALUES", 0)
    bound = smallest_eigenvalue(lambda V: A @ V, m)
    assert true - 0.02 * size <= bound <= true + 1e-12 * size


def test_weak_convexity_is_the_terms_own_or_the_lipschitz_constant():
    """A term that does not tell is taken for as concave as its gradient allows."""
    X, ell = random_point(7, 3), SMOOTH["Quadratic"]
    assert weak_convexity(ell, X) == ell.modulus
    bare = Function(ell.value, ell.grad)
    assert weak_convexity(bare, X) == curvature.lipschitz(bare, X)


def test_steepness_is_the_larger_of_curvature_and_gradient():
    """max(L, |D|_2), which is L on the manifold where l has no linear part."""
    X = random_point(7, 3)
    for factor, larger in ((0.0, "curvature"), (100.0, "gradient")):
        ell = Quadratic(symmetric(0, 7), factor * normal(1, 7, 3))
        D = ell.grad(X)
        expected = ell.lipschitz if larger == "curvature" else np.linalg.norm(D, 2)
        assert steepness(ell, X, D) == pytest.approx(expected, rel=1e-12)
