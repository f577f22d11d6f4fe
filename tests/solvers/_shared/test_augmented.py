"""The augmented Lagrangian, its derivatives and Newton's method for it."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers._shared import augmented, rgbb
from small_problems import ELL, X0, spread

LAGRANGIANS = {"L1": L1(0.3), "L1 bounded": L1(0.3, bound=0.4), "L21": L21(0.5), "Zero": Zero()}


def lagrangian(name, s=2.0):
    """The augmented Lagrangian of a problem with a linear part, at a multiplier that is as large as
    the gradient.
    """
    return augmented.Lagrangian(op.Problem(ELL, LAGRANGIANS[name], (20, 3)), 0.2 * normal(5, 20, 3), s)


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_the_augmented_lagrangian_is_least_in_y(name):
    """F(X) is the least value of l(X) + g(Y) + <Lam, X - Y> + s/2 |X - Y|^2 over Y, plus |Lam|^2 /
    2s; no Y is better.
    """
    F = lagrangian(name)
    ell, g, Lam, s = ELL, LAGRANGIANS[name], F.Lam, F.s

    def full(Y):
        return (
            ell.value(X0)
            + g.value(Y)
            + stiefel.inner(Lam, X0 - Y)
            + s / 2 * stiefel.norm(X0 - Y) ** 2
            + stiefel.norm(Lam) ** 2 / (2 * s)
        )

    point = F.at(X0)
    Y, next_multiplier = point.more.e.point, Lam + s * (X0 - point.more.e.point)
    assert point.value == pytest.approx(full(Y), rel=1e-13)
    assert all(full(Y) <= full(Y + size * normal(k, 20, 3)) for k in range(20) for size in (1e-3, 1.0))
    np.testing.assert_allclose(point.gradient, ell.grad(X0) + next_multiplier, atol=1e-14)
    assert F.known(X0, float(ell.value(X0)), ell.grad(X0)).value == point.value


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_gradient_and_hessian_of_the_augmented_lagrangian_are_its_derivatives(name):
    """F(polar(X + hV)) = F(X) + h <xi, V> + h^2/2 <V, H[V]> + O(h^3) along tangent V; H is
    symmetric and maps to tangents.
    """
    F, h = lagrangian(name), 1e-4
    point = F.at(X0)
    xi, H = stiefel.tangent(X0, point.gradient), F.hessian(point)
    directions = [stiefel.tangent(X0, normal(k, 20, 3)) for k in range(10, 18)]
    for V in directions:
        ahead, back = (F.at(stiefel.polar(X0 + s * h * V)).value for s in (1, -1))
        assert stiefel.inner(xi, V) == pytest.approx((ahead - back) / (2 * h), abs=1e-6)
        assert stiefel.inner(V, H(V)) == pytest.approx((ahead - 2 * point.value + back) / h**2, abs=2e-3 * stiefel.norm(V) ** 2)
        assert stiefel.norm(stiefel.sym(X0.T @ H(V))) <= 1e-12
    for V, W in pairwise(directions):
        assert stiefel.inner(W, H(V)) == pytest.approx(stiefel.inner(V, H(W)), abs=1e-8)


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_a_newton_equation_is_solved_or_negative_curvature_is_met(name):
    """|(H + shift) Z + xi| <= tol |xi| with a tangent Z where H + shift is positive; with too small
    a shift the run says so.
    """
    F = lagrangian(name)
    point = F.at(X0)
    xi, H = stiefel.tangent(X0, point.gradient), F.hessian(point)
    solution = augmented.solve(H, xi, 5.0, 1e-6)
    Z = solution.Z
    assert stiefel.norm(H(Z) + 5.0 * Z + xi) <= 2e-6 * stiefel.norm(xi)
    assert stiefel.norm(stiefel.sym(X0.T @ Z)) <= 1e-10
    assert 0 < solution.lowest
    assert solution.products > 3
    assert augmented.solve(H, xi, -5.0, 1e-6).lowest < 0


@pytest.mark.parametrize("by_value", [True, False])
@pytest.mark.parametrize("shift", [1e-6, 0.3])
@pytest.mark.parametrize("name", ["L1", "L21", "Zero"])
def test_newton_minimises_the_augmented_lagrangian(name, shift, by_value):
    """From near a minimiser |xi| falls as far as the shift lets it in ten steps, F does not rise,
    and the shift falls.
    """
    F = lagrangian(name)
    near = rgbb.rgbb(F.at, F.at(X0), first=0.1, tol=1e-2, max_steps=500)
    found = augmented.newton(F, near.point, tol=1e-10, accuracy=1e-12, shift=shift, by_value=by_value)
    assert found.size <= (1e-10 if shift == 1e-6 else 0.01 * near.size)
    assert found.size == pytest.approx(stiefel.norm(stiefel.tangent(found.point.X, found.point.gradient)), rel=1e-10)
    assert found.point.value <= near.point.value
    assert stiefel.norm(stiefel.defect(found.point.X)) <= 1e-13
    assert found.trials >= 1
    assert found.shift < shift


@pytest.mark.parametrize(("by_value", "shift", "s"), [(True, 1.5, 1e3), (False, 5.0, 1e4)])
def test_a_newton_step_decreases_what_its_line_search_compares(by_value, shift, s, monkeypatch):
    """F falls by a tenth of -a <xi, Z>, or |xi|^2 by a tenth of a |xi|^2; where no a does it, X
    stays.
    """
    monkeypatch.setattr(augmented, "_STEPS", 1)
    F, shortened = lagrangian("L1", s), 0
    for seed in range(20):
        start = F.at(stiefel.random_point(20, 3, seed=seed))
        xi = stiefel.tangent(start.X, start.gradient)
        found = augmented.newton(F, start, tol=1e-10, accuracy=1e-12, shift=shift, by_value=by_value)
        if found.point is start:
            assert found.size == stiefel.norm(xi)
            continue
        Z = augmented.solve(F.hessian(start), xi, shift, 1e-3).Z
        a = 0.5 ** (found.trials - 1)
        np.testing.assert_allclose(found.point.X, stiefel.qr(start.X + a * Z), atol=1e-12)
        if by_value:
            assert found.point.value <= start.value + 0.1 * a * stiefel.inner(xi, Z) + 1e-13
        else:
            assert found.size**2 <= (1 - 0.1 * a) * stiefel.norm(xi) ** 2
        shortened += found.trials > 1
    assert shortened > 0


def test_newton_raises_its_shift_above_negative_curvature():
    """At a maximiser H + shift is negative: the shift rises until a step is possible, and F
    falls.
    """
    ell = smooth.Quadratic(spread(0, 20, np.linspace(-1, 1, 20)))
    F = augmented.Lagrangian(op.Problem(ell, Zero(), (20, 3)), 0 * X0, 2.0)
    top = stiefel.polar(np.linalg.eigh(ell.A)[1][:, -3:] + 1e-3 * normal(1, 20, 3))
    found = augmented.newton(F, F.at(top), tol=1e-10, accuracy=1e-12, shift=1e-3, by_value=True)
    assert found.shift > 0.1
    assert found.point.value < float(ell.value(top))
