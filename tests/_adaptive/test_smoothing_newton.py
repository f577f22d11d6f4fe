"""Newton's method for the smoothed problem."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import X0, begin, newton_run, scaled, small_pca
from cases import NONSMOOTH, SHAPE, SMOOTH, normal, symmetric
from orthoprox import stiefel
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.smoothing_newton import SmoothingNewton
from orthoprox.nonsmooth import L1, L21, MCP, SCAD, Function, Zero
from orthoprox.problems.smoothed import curvature
from orthoprox.smooth import Quadratic

EPS = np.finfo(float).eps
every_term = pytest.mark.parametrize("name", NONSMOOTH)
PHASE = SmoothingNewton(SETTINGS, 0.3, until_end=True)
step = PHASE.step


def metric(problem, point):
    """The preconditioner at a point."""
    return PHASE._metric(problem, point, curvature(problem.nonsmooth, point.X, point.nu))


def started(ell, g, seed=0, width=0.3):
    problem = op.Problem(ell, g, SHAPE)
    return problem, begin(problem, stiefel.random_point(*SHAPE, seed=seed), width)


# --- points ---


@every_term
def test_begin_goes_to_the_nearest_point_of_the_manifold(name):
    """X is the polar factor of what is given, and all that a point holds belongs to it."""
    g, W = NONSMOOTH[name], 3 * normal(0, *SHAPE)
    point = begin(op.Problem(SMOOTH["Quadratic"], g, SHAPE), W)
    np.testing.assert_allclose(point.X, stiefel.polar(W), atol=1e-14)
    np.testing.assert_allclose(point.D, SMOOTH["Quadratic"].grad(point.X), atol=1e-13)
    np.testing.assert_allclose(point.e.point, g.prox(point.X, point.nu), atol=1e-14)
    assert point.ell == pytest.approx(SMOOTH["Quadratic"].value(point.X))


def test_begin_keeps_a_point_of_the_manifold_bit_for_bit():
    X = np.linalg.qr(normal(0, *SHAPE))[0]
    np.testing.assert_array_equal(begin(op.Problem(SMOOTH["Quadratic"], L1(0.4), SHAPE), X).X, X)


@pytest.mark.parametrize("mu", [0.0, 1e-3, 0.4, 30.0])
@pytest.mark.parametrize("kind", [L1, L21, MCP, SCAD])
def test_begin_smooths_by_at_most_the_width(kind, mu):
    """|P - X| <= width sqrt(n) at first, however heavy the penalty is."""
    for width in (1e-3, 0.3):
        _, point = started(SMOOTH["Function log-cosh"], kind(mu), width=width)
        assert point.width <= width
        assert 0 < point.nu < np.inf


@pytest.mark.parametrize("g", [MCP(0.4, gamma=0.2), SCAD(0.4, a=1.2)], ids=["MCP", "SCAD"])
def test_begin_respects_the_modulus(g):
    """A weakly convex g has an envelope for nu < 1 / modulus only, whatever the width."""
    _, point = started(SMOOTH["Function log-cosh"], g, width=1.0)
    assert 0 < point.nu < 1 / g.modulus


def test_begin_ends_outside_the_domain():
    """Where no smoothing brings P near to X, as for mu |X|_1 in a box that X is not in, some nu > 0
    is found all the same.
    """
    bounded, calls = L1(0.4, bound=0.3), []

    def prox(X, t):
        calls.append(1)
        assert len(calls) < 1000
        return bounded.prox(X, t)

    _, point = started(SMOOTH["Variance tall"], Function(bounded.value, prox), width=1e-3)
    assert 0 < point.nu < np.inf


@every_term
def test_residual_is_the_gradient_along_the_manifold(name):
    """F(polar(X + hV)) changes by h <residual, V>, and residual = grad F + 2XY with the multiplier
    Y.
    """
    h = 1e-6
    problem, point = started(SMOOTH["Function log-cosh"], NONSMOOTH[name])
    V = stiefel.tangent(point.X, normal(1, *SHAPE))

    def F(X):
        P = problem.nonsmooth.prox(X, point.nu)
        return problem.smooth.value(X) + problem.nonsmooth.value(P) + stiefel.norm(X - P) ** 2 / (2 * point.nu)

    assert point.value == pytest.approx(F(point.X))
    difference = (F(stiefel.polar(point.X + h * V)) - F(stiefel.polar(point.X - h * V))) / (2 * h)
    assert stiefel.inner(point.residual, V) == pytest.approx(difference, abs=1e-3)
    np.testing.assert_allclose(point.residual, point.D + point.e.gradient + 2 * point.X @ point.multiplier, atol=1e-12)
    assert stiefel.norm(stiefel.sym(point.X.T @ point.residual)) <= 1e-12 * (1 + stiefel.norm(point.residual))


# --- steps ---


@every_term
@pytest.mark.parametrize("ell", ["Variance tall", "Function log-cosh", "Matching"])
def test_steps_stay_on_the_manifold_and_never_raise_the_value(name, ell):
    """X'X = I after each step; F falls or stays, but for rounding, as long as nu is the same; nu
    never grows.
    """
    problem, point = started(SMOOTH[ell], NONSMOOTH[name], seed=1)
    for _ in range(25):
        new = step(problem, point)
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-13
        assert new.nu <= point.nu
        if new.nu == point.nu:
            assert new.value <= point.value + 200 * EPS * (abs(point.value) + abs(point.ell))
        point = new


@pytest.mark.parametrize("shape", [(12, 1), (12, 3), (30, 8)])
@pytest.mark.parametrize("seed", range(3))
def test_variance_reaches_the_sum_of_the_largest_eigenvalues(shape, seed):
    """min -|AX|^2 is the sum of the n largest eigenvalues of A'A, found to ten digits in a few
    dozen steps.
    """
    problem = small_pca(0, shape)
    best = -np.sum(np.linalg.eigvalsh(problem.smooth.A.T @ problem.smooth.A)[-shape[1] :])
    points = newton_run(problem, begin(problem, stiefel.random_point(*shape, seed=seed)), lambda p: p.value <= best + 1e-10, 50)
    assert points[-1].value >= best - 1e-10
    assert points[-1].nu == points[0].nu
    assert points[-1].width == 0


def test_convergence_is_faster_than_linear():
    """Near a minimiser of a smooth problem the residual falls by more and more."""
    problem = op.Problem(Quadratic(symmetric(1, 12), normal(2, 12, 3)), Zero(), (12, 3))
    points = newton_run(problem, begin(problem, stiefel.random_point(12, 3)), lambda p: stiefel.norm(p.residual) <= 1e-9, 50)
    r = [stiefel.norm(p.residual) for p in points[-4:]]
    assert r[3] / r[2] < r[2] / r[1] < 0.3
    assert r[3] / r[2] < 1e-2


@pytest.mark.parametrize("seed", range(3))
def test_smoothing_vanishes(seed):
    """For an l1 penalty nu shrinks step by step until |P - X| <= 1e-6 sqrt(n): P has exact zeros
    and is nearly stationary.
    """
    problem = small_pca()
    points = newton_run(problem, begin(problem, stiefel.random_point(12, 3, seed=seed)), lambda p: p.width <= 1e-6, 300)
    nus = np.array([p.nu for p in points])
    assert np.all(np.diff(nus) <= 0)
    assert nus[-1] < 1e-4 * nus[0]
    P = points[-1].e.point
    assert np.any(P == 0)
    assert stiefel.norm(stiefel.defect(P)) <= 1e-5
    assert op.certificate(problem, P).relative() <= 1e-4


@pytest.mark.parametrize("shape", [(1, 1), (4, 4)])
def test_where_the_value_is_constant_nothing_happens(shape):
    """-|AX|^2 is the same for all square orthogonal X: steps neither fail nor change it."""
    problem = small_pca(0, shape)
    point = begin(problem, stiefel.random_point(*shape))
    for _ in range(5):
        new = step(problem, point)
        assert new.value == pytest.approx(point.value, rel=1e-13)
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-13
        point = new


@pytest.mark.parametrize("c", [1e-9, 1e9])
def test_the_scale_of_the_problem_does_not_matter(c):
    """From l + g to cl + cg, X stays the same, nu is divided by c."""
    A = symmetric(1, SHAPE[0])
    one, two = (started(Quadratic(s * A), L1(0.4 * s)) for s in (1.0, c))
    for _ in range(5):
        one, two = ((problem, step(problem, point)) for problem, point in (one, two))
    np.testing.assert_allclose(two[1].X, one[1].X, atol=1e-6)
    assert two[1].nu == pytest.approx(one[1].nu / c, rel=1e-6)
    assert two[1].value == pytest.approx(c * one[1].value, rel=1e-6)


@pytest.mark.parametrize("mu", [0.0, 2.0])
def test_steps_keep_the_dtype(mu):
    """In float32 a run is in float32 throughout, and gets as far as its rounding allows."""
    problem = small_pca(mu, dtype=np.float32)
    point = begin(problem, stiefel.random_point(12, 3).astype(np.float32))
    for _ in range(60):
        point = step(problem, point)
        for array in (point.X, point.D, point.e.point, point.e.gradient, point.residual, point.multiplier):
            assert array.dtype == np.float32
        assert stiefel.norm(stiefel.defect(point.X)) <= 1e-5
    if mu == 0:
        A = problem.smooth.A.astype(float)
        assert point.value == pytest.approx(-np.sum(np.linalg.eigvalsh(A.T @ A)[-3:]), rel=1e-5)
    else:
        assert point.width < 0.1


# --- the preconditioner ---


def preconditioned(name):
    """A point near the kinks of g where the smoothing is small, and its preconditioner."""
    problem, point = started(SMOOTH["Quadratic"], NONSMOOTH[name])
    for _ in range(15):
        point = step(problem, point)
    return point, metric(problem, point)


@every_term
def test_preconditioner_is_symmetric_positive_on_tangent_vectors(name):
    """<R1, M R2> = <M R1, R2> and <R, M R> > 0 for R != 0 with sym(X'R) = 0; what it returns is
    tangent again.
    """
    point, M = preconditioned(name)
    R1, R2 = (stiefel.tangent(point.X, normal(seed, *SHAPE)) for seed in (1, 2))
    for R in (R1, R2, R1 - R2):
        assert stiefel.norm(stiefel.sym(point.X.T @ M(R))) <= 1e-8 * stiefel.norm(M(R))
        assert stiefel.inner(R, M(R)) > 0
    assert stiefel.inner(R1, M(R2)) == pytest.approx(
        stiefel.inner(M(R1), R2), abs=1e-8 * stiefel.norm(R1) * stiefel.norm(M(R2))
    )


@every_term
def test_preconditioner_sees_tangent_parts_only(name):
    """M(R + XS) = M(R) for symmetric S."""
    point, M = preconditioned(name)
    R, S = normal(1, *SHAPE), symmetric(2, SHAPE[1])
    np.testing.assert_allclose(M(R + point.X @ S), M(R), atol=1e-8 * stiefel.norm(M(R)))


def test_preconditioner_of_a_smooth_problem_is_the_projection():
    """Where nothing is held fast, M(R) is a multiple of the tangent part of R."""
    point, M = preconditioned("Zero")
    R = normal(1, *SHAPE)
    V, T = M(R), stiefel.tangent(point.X, R)
    np.testing.assert_allclose(V / stiefel.norm(V), T / stiefel.norm(T), atol=1e-8)


def test_preconditioner_hardly_moves_what_the_prox_holds():
    """At the zeros of P the entries of M(R) are as small as nu; elsewhere they are not."""
    problem = small_pca()
    point = begin(problem, stiefel.random_point(12, 3))
    point = newton_run(problem, point, lambda p: p.width <= 1e-6, 300)[-1]
    held, R = point.e.point == 0, stiefel.tangent(point.X, normal(1, 12, 3))
    V = metric(problem, point)(R)
    assert np.any(held)
    assert np.max(np.abs(V[held])) <= 10 * point.nu * stiefel.norm(R)
    assert stiefel.norm(V) >= 1e3 * point.nu * stiefel.norm(R)
    assert stiefel.norm(stiefel.sym(point.X.T @ V)) <= 1e-8 * stiefel.norm(V)


def test_preconditioner_keeps_the_dtype():
    """In float32 as well the answer is tangent, up to rounding."""
    problem = small_pca(dtype=np.float32)
    point = replace(begin(problem, stiefel.random_point(12, 3).astype(np.float32)), nu=1e-3)
    V = metric(problem, point)(normal(1, 12, 3).astype(np.float32))
    assert V.dtype == np.float32
    assert stiefel.norm(stiefel.sym(point.X.T @ V)) <= 1e-5 * stiefel.norm(V)


# --- the path ---


def first_reduction(problem, point):
    """The point before nu shrinks for the first time, and the one after."""
    points = newton_run(problem, point, lambda now: now.nu < point.nu, budget=100)
    return points[-2], points[-1]


def test_the_path_goes_on_along_its_tangent_where_that_helps():
    """From the second change of nu on X starts no further from stationary than at P + (X - P) /
    2.
    """
    problem = small_pca()
    _, second = first_reduction(problem, begin(problem, stiefel.random_point(12, 3, seed=1)))
    old, new = first_reduction(problem, second)
    plain = step(problem, replace(old, before=None))
    assert plain.nu == new.nu
    assert stiefel.norm(new.residual) <= stiefel.norm(plain.residual)
    ahead = stiefel.polar(plain.X + (old.e.point - old.before) / 2)
    assert min(stiefel.norm(new.X - ahead), stiefel.norm(new.X - plain.X)) < 1e-12
    np.testing.assert_array_equal(new.before, old.e.point)


def test_the_tangent_helps_where_supports_stay():
    """Where the supports stay, P(nu) is smooth, and the tangent leaves a smaller residual most of
    the time.
    """
    problem = small_pca(mu=0.3)
    point = begin(problem, stiefel.random_point(12, 3, seed=1))
    gains = []
    for _ in range(5):
        old, point = first_reduction(problem, point)
        gains.append(
            float(stiefel.norm(point.residual)) < float(stiefel.norm(step(problem, replace(old, before=None)).residual))
        )
    assert sum(gains) >= 3


@pytest.mark.parametrize("width", [0.3, 0.02])
def test_stages_are_short(width):
    """nu shrinks after so many steps with it, or so many rejected ones, solved or not; of a smooth
    problem it never does.
    """
    problem = small_pca()
    point = begin(problem, stiefel.random_point(12, 3, seed=1), width)
    assert step(problem, point).nu == point.nu
    for spent in ({"steps": SETTINGS.newton_steps}, {"rejected": SETTINGS.rejections}):
        new = step(problem, replace(point, **spent))
        assert new.nu < point.nu
        assert (new.steps, new.rejected) == (0, 0)
        smooth = begin(small_pca(0), stiefel.random_point(12, 3, seed=1), width)
        assert step(small_pca(0), replace(smooth, **spent)).nu == smooth.nu


def test_less_smoothing_keeps_the_prox_point():
    """P and the subgradient (X - P) / nu stay as they are when nu and X - P are halved, up to the
    way back to the manifold.
    """
    problem = scaled(1.0)["sparse_pca"]
    point = begin(problem, X0, 1e-3)
    sharper = PHASE._reduce_smoothing(problem, point)
    assert sharper.width == pytest.approx(point.width / 2, rel=0.1)
    assert stiefel.norm(sharper.e.gradient - point.e.gradient) <= 0.2 * stiefel.norm(point.e.gradient)
    assert stiefel.norm(sharper.X - point.X) >= 0.1 * stiefel.norm(point.X - point.e.point)
