"""The certificate brackets the distance to stationarity, whatever the term and wherever the
point.
"""

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

import orthoprox as op
from cases import normal
from orthoprox import stiefel
from orthoprox._certify.certificate import certify, proximal_step

M, N = 14, 3
A = np.random.default_rng(7).standard_normal((20, M))
WEIGHTS = np.random.default_rng(8).uniform(0, 1.5, (M, N))
TERMS = {
    "Zero": op.nonsmooth.Zero(),
    "L1": op.nonsmooth.L1(3.0),
    "L1 weighted": op.nonsmooth.L1(WEIGHTS),
    "L1 bounded": op.nonsmooth.L1(2.0, bound=0.35),
    "L21": op.nonsmooth.L21(6.0),
    "MCP": op.nonsmooth.MCP(3.0, 2.0),
    "SCAD": op.nonsmooth.SCAD(2.0),
    "Nonnegative": op.nonsmooth.Nonnegative(),
    "Box": op.nonsmooth.Box(-0.3, 0.4),
}


def problem_with(g):
    return op.Problem(op.smooth.Variance(A), g, (M, N))


def true_distance(problem, P):
    """The least |grad l(P) + 2PY + dg(P)| over symmetric Y, by a general-purpose optimiser from
    several starts.
    """
    g, C = problem.nonsmooth, problem.smooth.grad(P)
    lower = np.tril_indices(N)

    def unpack(y):
        Y = np.zeros((N, N))
        Y[lower] = y
        return Y + np.tril(Y, -1).T

    def fun(y):
        R = g.min_norm_subgradient(P, C + 2 * P @ unpack(y))
        G = 2 * stiefel.sym(P.T @ R)
        G = 2 * G - np.diag(np.diag(G))
        return 0.5 * np.sum(R**2), G[lower]

    runs = [
        scipy_minimize(fun, start, jac=True, method="L-BFGS-B", options={"maxiter": 20_000, "ftol": 1e-30, "gtol": 1e-13})
        for start in (np.zeros(6), -stiefel.sym(P.T @ C)[lower] / 2)
    ]
    return min(float(np.sqrt(2 * run.fun)) for run in runs)


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("seed", range(3))
def test_bounds_bracket_the_true_distance(name, seed):
    """lower <= dist <= upper at a random point, and both meet: the multiplier found is the best."""
    problem = problem_with(TERMS[name])
    proof = op.certificate(problem, stiefel.random_point(M, N, seed))
    distance = true_distance(problem, proof.point)
    assert proof.lower <= distance * (1 + 1e-9)
    assert proof.upper >= distance * (1 - 1e-6)
    assert proof.upper <= distance * (1 + 1e-4)
    assert proof.lower >= 0.99 * proof.upper


@pytest.mark.parametrize("name", TERMS)
def test_bounds_hold_off_the_manifold(name):
    """Neither bound needs X'X = I."""
    problem = problem_with(TERMS[name])
    X = stiefel.random_point(M, N, 4) * np.array([0.5, 1.2, 0.9])
    proof = op.certificate(problem, X)
    distance = true_distance(problem, proof.point)
    assert proof.lower <= distance * (1 + 1e-9)
    assert proof.upper >= distance * (1 - 1e-6)
    assert proof.upper <= distance * (1 + 1e-4)
    assert proof.feasibility > 0.01


@pytest.mark.parametrize("name", TERMS)
def test_a_converged_point_is_certified(name):
    """After a run to 1e-8 the upper bound is that small, and the lower bound close to it (or both
    are rounding).
    """
    problem = problem_with(TERMS[name])
    result = op.minimize(problem, tol=1e-8)
    proof = result.certificate
    assert result.converged
    assert result.stationarity <= 1e-8
    assert proof.upper <= 1e-8 * proof.gradient
    assert proof.lower <= proof.upper
    assert proof.lower >= 0.9 * proof.upper or proof.upper <= 1e-12 * proof.gradient


def test_eigenvectors_are_stationary_for_a_smooth_quadratic():
    """With g = 0 the certificate vanishes exactly at invariant subspaces."""
    _, Q = np.linalg.eigh(A.T @ A)
    proof = op.certificate(problem_with(op.nonsmooth.Zero()), Q[:, [0, 5, 9]])
    assert proof.upper <= 1e-12 * proof.gradient
    assert proof.distance <= 1e-12


def test_smooth_certificate_is_the_riemannian_gradient():
    """With g = 0 and P near the manifold, upper is |grad l(P) - P sym(P'grad l(P))| up to the
    distance from it.
    """
    problem = problem_with(op.nonsmooth.Zero())
    _, Q = np.linalg.eigh(A.T @ A)
    X = stiefel.polar(Q[:, -N:] + 1e-5 * np.random.default_rng(0).standard_normal((M, N)))
    proof = op.certificate(problem, X)
    C = problem.smooth.grad(proof.point)
    riemannian = stiefel.norm(C - proof.point @ stiefel.sym(proof.point.T @ C))
    assert proof.upper == pytest.approx(riemannian, rel=1e-3)
    assert proof.upper > 1e-7


def test_relative_stationarity_does_not_change_with_the_scale_of_f():
    """f -> c f leaves the relative certificate as it is."""
    X = stiefel.random_point(M, N, 3)
    values = []
    for c in (2.0**-20, 1.0, 2.0**20):
        problem = op.Problem(op.smooth.Variance(np.sqrt(c) * A), op.nonsmooth.L1(3.0 * c), (M, N))
        values.append(op.certificate(problem, X).relative())
    np.testing.assert_allclose(values, values[1], rtol=1e-9)


def test_projection_destroys_what_the_prox_point_keeps():
    """A sparse solution, slightly infeasible and then polar-projected, has no zeros left; its
    certificate stays small.
    """
    result = op.minimize(problem_with(op.nonsmooth.L1(3.0)), tol=1e-9)
    loose = result.X + 1e-6 * np.random.default_rng(0).standard_normal(result.X.shape)
    projected = stiefel.polar(loose)
    assert np.count_nonzero(projected) == projected.size
    proof = op.certificate(problem_with(op.nonsmooth.L1(3.0)), projected)
    assert np.count_nonzero(proof.point) == np.count_nonzero(result.X)
    assert proof.relative() <= 1e-4


def test_the_multiplier_of_the_solver_is_a_good_start():
    """Any symmetric multiplier gives an upper bound, about its own prox point; both are as good as
    the run asked for.
    """
    problem = problem_with(op.nonsmooth.L1(3.0))
    result = op.minimize(problem, method="lsalm", tol=1e-6)
    with_own = op.certificate(problem, result.X, multiplier=result.multiplier)
    without = op.certificate(problem, result.X)
    assert max(with_own.upper, without.upper) <= 1e-6 * with_own.gradient
    assert np.array_equal(with_own.multiplier, with_own.multiplier.T)


def test_a_bare_prox_is_certified_from_above():
    """A user's prox shows one subgradient: the upper bound is rigorous, the lower bound is 0."""
    known = op.nonsmooth.L1(3.0)
    bare = problem_with(op.nonsmooth.Function(known.value, known.prox))
    X = stiefel.random_point(M, N, 1)
    proof = op.certificate(bare, X)
    distance = true_distance(problem_with(known), proof.point)
    assert proof.lower == 0
    assert proof.upper >= distance * (1 - 1e-9)
    assert op.minimize(bare, tol=1e-7).stationarity <= 1e-7


def test_no_smooth_part():
    """Where l = 0 the bound is relative to the subgradient."""
    problem = op.Problem(op.smooth.Quadratic(np.zeros((M, M))), op.nonsmooth.L1(1.0), (M, N))
    assert op.certificate(problem, np.eye(M)[:, :N]).relative() <= 1e-12
    assert 0 < op.certificate(problem, stiefel.random_point(M, N, 0)).relative() <= 1


def test_proximal_step_respects_the_modulus():
    """The step stays below 1 / modulus even where l is flat."""
    problem = op.Problem(op.smooth.Quadratic(np.zeros((M, M))), op.nonsmooth.MCP(1.0, 0.5), (M, N))
    assert proximal_step(problem, stiefel.random_point(M, N, 0)) < 0.5


def test_an_asymmetric_multiplier_is_made_symmetric():
    """Only symmetric multipliers prove anything."""
    problem = problem_with(op.nonsmooth.L1(3.0))
    X = stiefel.random_point(M, N, 2)
    Y = np.random.default_rng(0).standard_normal((N, N))
    given, made = op.certificate(problem, X, multiplier=Y), op.certificate(problem, X, multiplier=stiefel.sym(Y))
    assert given.upper == made.upper
    np.testing.assert_allclose(given.multiplier, given.multiplier.T)


@pytest.mark.parametrize(("far", "refined"), [(1e-13, True), (0.0, False)])
def test_only_what_rounding_leaves_is_not_refined(far, refined):
    """1e-13 away from stationary is more than rounding, and has a lower bound; 0 has none to
    find.
    """
    A = np.diag(np.arange(1.0, 31.0))
    X = np.eye(30, 3)
    problem = op.Problem(op.smooth.Quadratic(A), op.nonsmooth.Zero(), (30, 3))
    V = normal(0, 30, 3)
    V[:3] = 0.0
    proof = certify(problem, X + far * V, None, 1e-2, work=100)
    assert (proof.lower > 0.1 * proof.upper) == refined
