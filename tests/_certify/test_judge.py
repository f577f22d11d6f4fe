"""The judge of tests/judge.py against other ways to compute the same, and the library's claims of
convergence before the judge.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import claims
import judge
import orthoprox as op
from cases import normal


def by_descent(C, P, dg):
    """The distance by a general method: over Y alone, with the best s for each Y."""
    n = P.shape[1]

    def residual(y):
        Y = y.reshape(n, n)
        W = C + P @ (Y + Y.T)
        if isinstance(dg, judge.Box):
            return W + np.clip(-W, dg.lower, dg.upper)
        sizes = np.linalg.norm(W, axis=1, keepdims=True)
        inside = W * np.maximum(1 - dg.radius / np.where(sizes > 0, sizes, 1), 0)
        return np.where(dg.radius > 0, inside, W + dg.centre)

    def half_square(y):
        R = residual(y)
        G = P.T @ R
        return np.sum(R**2) / 2, (G + G.T).ravel()

    found = minimize(half_square, np.zeros(n * n), jac=True, method="BFGS", options={"gtol": 1e-12, "maxiter": 5000})
    return np.linalg.norm(residual(found.x))


def kinked(seed, m=8, n=3):
    P = np.linalg.qr(normal(seed, m, n))[0]
    P[np.abs(P) < 0.25] = 0.0
    P[seed % m] = 0.0
    return np.clip(P, -0.6, 0.6)


SUBDIFFERENTIALS = {
    "zero": judge.zero,
    "l1": lambda P: judge.l1(P, 0.7),
    "l1 bounded": lambda P: judge.l1(P, 0.7, 0.6),
    "l1 weighted": lambda P: judge.l1(P, np.arange(3) / 2),
    "l21": lambda P: judge.l21(P, 0.9),
    "mcp": lambda P: judge.mcp(P, 0.4, 1.5),
    "scad": lambda P: judge.scad(P, 0.2, 2.5),
    "box": lambda P: judge.box(P, -0.6, 0.6),
    "nonnegative": lambda P: judge.nonnegative(np.abs(P)),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", SUBDIFFERENTIALS)
def test_the_distance_is_the_minimum_over_multipliers_and_subgradients(kind, seed):
    P, C = kinked(seed), normal(seed + 50, 8, 3)
    P = np.abs(P) if kind == "nonnegative" else P
    dg = SUBDIFFERENTIALS[kind](P)
    assert judge.distance(C, P, dg) == pytest.approx(by_descent(C, P, dg), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e150])
@pytest.mark.parametrize("kind", ["l1", "l21"])
def test_the_distance_scales_with_the_problem(kind, scale):
    P, C, dg = kinked(1), normal(51, 8, 3), SUBDIFFERENTIALS[kind](kinked(1))
    scaled = type(dg)(*(scale * part for part in vars(dg).values()))
    assert judge.distance(scale * C, P, scaled) / scale == pytest.approx(judge.distance(C, P, dg), rel=1e-9)


def test_a_point_that_is_stationary_has_distance_zero():
    P, mu = np.eye(5, 2), 0.3
    Y = np.array([[1.0, 0.4], [0.4, -2.0]])
    C = -2 * P @ Y - mu * P + 0.2 * (P == 0)
    assert judge.distance(C, P, judge.l1(P, mu)) < 1e-14


def solved(problem, X0):
    return op.minimize(problem, X0, tol=1e-6)


def test_a_false_claim_is_found_out():
    """The judge must not agree with everything."""
    A, X0 = normal(0, 20, 8), np.linalg.qr(normal(1, 8, 2))[0]
    plain = judge.Plain(lambda X: -2 * A.T @ (A @ X), lambda P: judge.l1(P, 0.5), 1.0)
    result = solved(op.problems.sparse_pca(A, 2, 0.5), X0)
    assert not judge.judge(result, plain, 1e-6, start=X0).complaints
    proof = result.certificate
    moved = replace(result, X=result.X + 1e-3)
    off = replace(result, certificate=replace(proof, point=np.where(proof.point == 0, 1e-5, proof.point)))
    low = replace(result, certificate=replace(proof, lower=1e-2, upper=1e-2))
    assert any("|X'X - I|" in text for text in judge.judge(moved, plain, 1e-6, start=X0).complaints)
    assert any("relative distance" in text for text in judge.judge(off, plain, 1e-6, start=X0).complaints)
    assert any("lower bound" in text for text in judge.judge(low, plain, 1e-6, start=X0).complaints)


def test_no_claim_of_convergence_is_false():
    """Every method on every term it suits; a thousand claims by ``python -m claims``."""
    docket = claims.Docket()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        claims.session(docket, seed=0, iterations=60)
    assert not docket.false
    assert docket.claims.total() >= 50
    assert {term for _, term in docket.claims} == set(claims.NONSMOOTH)
