"""Solving grad l(X) + cX = R: exactly for quadratics, however their data are stored, by gradient
steps elsewhere.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, SMOOTH, normal, symmetric
from orthoprox import stiefel
from orthoprox.smooth import Function, LogCosh, Quadratic, Variance
from orthoprox.smooth.base import HasResolvent, HasWeakConvexity
from orthoprox.smooth.resolvent import GRADIENT_STEPS, resolvent, resolvents
from stored import FORMATS, on_disk

every_kind = pytest.mark.parametrize("kind", FORMATS)


def solves(ell, c, R):
    """grad l(X) + cX = R at X = resolvent(R), to 1e-9 of R, made for one c or for many; and the
    start does not matter.
    """
    for solve in (resolvent(ell, c, R), resolvents(ell, R)(c)):
        X = solve(R, 0 * R)
        assert stiefel.norm(ell.grad(X) + c * X - R) <= 1e-9 * stiefel.norm(R)
        np.testing.assert_array_equal(solve(R, R), X)
        assert X.shape == R.shape


@every_kind
@pytest.mark.parametrize("linear", [False, True], ids=["A", "A and B"])
@pytest.mark.parametrize("m", [5, 30])
def test_resolvent_of_a_quadratic(kind, linear, m):
    """(A + cI) X + B = R, for every c above the modulus."""
    ell = Quadratic(FORMATS[kind](symmetric(0, m)), normal(1, m, 3) if linear else None)
    for margin in (1.1, 3.0, 100.0):
        solves(ell, margin * ell.modulus, normal(2, m, 3))


@pytest.mark.parametrize("kind", [*FORMATS, "memmap"])
@pytest.mark.parametrize("rows", [40, 2], ids=["tall", "wide"])
def test_resolvent_of_a_variance(kind, rows, tmp_path):
    """(cI - 2A'A) X = R, through A'A where it is kept, through AA' where A is wide, and by products
    alone.
    """
    A = normal(0, rows, 15)
    ell = Variance(on_disk(A, tmp_path) if kind == "memmap" else FORMATS[kind](A))
    assert (ell.hessian is None) == (rows == 2 or kind == "operator")
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
    assert {type(ell) for ell in SMOOTH.values() if isinstance(ell, HasWeakConvexity)} == {LogCosh, Quadratic, Variance}


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
    """For log cosh, with curvature in [0, 1], each step of length 1 / (L + c) shrinks the error by
    L / (L + c) at least.
    """
    ell, R, X = SMOOTH["Function log-cosh"], normal(seed, 7, 3), normal(seed + 1, 7, 3)
    solve, family = resolvent(ell, c, X), resolvents(ell, X)
    np.testing.assert_array_equal(family(c)(R, X), solve(R, X))
    exact = X
    for _ in range(200):
        exact = solve(R, exact)
    assert stiefel.norm(ell.grad(exact) + c * exact - R) <= 1e-10 * (1 + stiefel.norm(R))
    rate = (1.1 / (1.1 + c)) ** GRADIENT_STEPS
    assert stiefel.norm(solve(R, X) - exact) <= rate * stiefel.norm(X - exact) + 1e-12


def test_gradient_steps_know_the_answer_when_they_see_it():
    """At the minimiser the steps do not move."""
    ell = Quadratic(symmetric(0, 6))
    c, R = 2 * ell.modulus, normal(1, 6, 2)
    exact = ell.resolvent(c)(R)
    steps = resolvent(Function(ell.value, ell.grad), c, R)
    np.testing.assert_allclose(steps(R, exact), exact, atol=1e-13)
