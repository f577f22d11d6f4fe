"""Newton's method for the smoothed problem as a phase: what it says and what it hands on."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import begin, newton_run, small_pca
from cases import NONSMOOTH, SHAPE, SMOOTH, symmetric
from orthoprox import stiefel
from orthoprox._adaptive.phase import Verdict
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.smoothing_newton import SmoothingNewton
from orthoprox.nonsmooth import L1

PHASE = SmoothingNewton(SETTINGS, 0.3, until_end=True)


@pytest.mark.parametrize("until_end", [False, True])
def test_supports_are_identified_where_nu_is_reduced_and_p_is_near(until_end):
    """Only with the step that reduces nu, and never if the method goes on to the end."""
    problem, phase = small_pca(), SmoothingNewton(SETTINGS, 0.3, until_end=until_end)
    start = begin(problem, stiefel.random_point(12, 3))
    points = newton_run(problem, start, lambda point: point.width <= SETTINGS.identified / 10, 300)
    verdicts = [phase.verdict(problem, old, new) for old, new in pairwise(points)]
    expected = [not until_end and new.nu < old.nu and new.width <= SETTINGS.identified for old, new in pairwise(points)]
    assert any(expected) is not until_end
    assert [verdict is Verdict.IDENTIFIED for verdict in verdicts] == expected
    assert set(verdicts) <= {Verdict.IDENTIFIED, Verdict.GOING}


@pytest.mark.parametrize("name", NONSMOOTH)
def test_what_is_handed_on_is_the_prox_point_with_its_gradients(name):
    """P with exact zeros, grad l(P), and (X - P) / nu, a subgradient of g at P: the prox of P + nu
    S is P.
    """
    problem = op.Problem(SMOOTH["Quadratic"], NONSMOOTH[name], SHAPE)
    point = begin(problem, stiefel.random_point(*SHAPE))
    for _ in range(5):
        point = PHASE.step(problem, point)
    found = PHASE.point(problem, point)
    for one, other in zip((found.X, found.Y), PHASE.output(point), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found.D, problem.smooth.grad(found.X), atol=1e-13)
    np.testing.assert_allclose(problem.nonsmooth.prox(found.X + point.nu * found.S, point.nu), found.X, atol=1e-12)


def test_the_residuals_bound_the_distance_to_stationarity():
    """|P'P - I| at the point that is reported, and the gradient of F plus |X - P| in units of l."""
    point = begin(op.Problem(SMOOTH["Quadratic"], L1(0.4), SHAPE), stiefel.random_point(*SHAPE))
    constraint, prox = PHASE.residuals(point)
    assert constraint == pytest.approx(stiefel.norm(stiefel.defect(point.e.point)))
    assert prox >= stiefel.norm(point.residual)


@pytest.mark.parametrize("broken", ["hessian", "gradient"])
def test_derivatives_that_are_not_finite_are_a_failure_and_say_so(broken):
    """X stays where it is, and no NaN gets into it."""
    problem = small_pca()
    point = begin(problem, stiefel.random_point(12, 3))
    if broken == "gradient":
        point = replace(point, D=np.nan * point.D)
    ell = op.smooth.Function(problem.smooth.value, lambda X: np.nan * X)
    with np.errstate(invalid="ignore"):
        new = PHASE.step(op.Problem(ell, problem.nonsmooth, problem.shape), point)
    assert "not finite" in new.failed
    np.testing.assert_array_equal(new.X, point.X)
    assert point.failed == ""


def test_a_gradient_that_is_not_finite_at_the_next_point_rejects_the_step():
    """The trust region shrinks, and X stays."""
    A = symmetric(1, 12)
    start = stiefel.random_point(12, 3)

    def grad(X):
        return A @ X if stiefel.norm(X - start) <= 1e-2 else np.nan * X

    own = op.Problem(op.smooth.Function(lambda X: np.sum(X * grad(X)) / 2, grad), L1(0.1), (12, 3))
    point = begin(own, start)
    with np.errstate(invalid="ignore"):
        new = PHASE.step(own, point)
    np.testing.assert_array_equal(new.X, point.X)
    assert (new.rejected, new.failed) == (1, "")
    assert new.radius < point.radius
