"""LSALM: Algorithm 1, its residuals, its default parameters and its advice."""

import re

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox.stopping import MaxIterations, Stationary
from small_problems import SPARSE, X0, A, B


def counting(problem):
    """The problem, with its smooth and nonsmooth term counting their calls."""
    calls = {"value": 0, "grad": 0, "prox": 0}

    def counted(name, method):
        def call(*arguments):
            calls[name] += 1
            return method(*arguments)

        return call

    ell, g = problem.smooth, problem.nonsmooth
    smooth = op.smooth.Function(counted("value", ell.value), counted("grad", ell.grad))
    nonsmooth = op.nonsmooth.Function(g.value, counted("prox", g.prox))
    return op.Problem(smooth, nonsmooth, problem.shape), calls


def test_one_gradient_and_one_prox_for_each_iteration():
    """LSALM costs one gradient and one prox a step, and no value of the objective."""
    problem, calls = counting(SPARSE)
    solver = op.LSALM(rho=1.0, lam=0.1, r=1.0, alpha=1.0, beta=0.5, eps=0.0, Y0=0.0)
    state = solver.init(problem, X0)
    calls.update(value=0, grad=0, prox=0)
    for _ in range(10):
        old, state = state, solver.step(problem, state)
        for residual in solver.residuals(problem, old, state).values():
            residual()
    assert calls == {"value": 0, "grad": 10, "prox": 10}


def test_given_parameters_are_used_exactly():
    given = {"rho": 0.3, "lam": 0.21, "r": 0.7, "alpha": 0.11, "beta": 0.45, "eps": 1e-7}
    result = op.solve(SPARSE, op.LSALM(**given), X0, stop=MaxIterations(3))
    assert result.parameters == given


def test_open_parameters_follow_the_safe_rule():
    """The documented formulas, evaluated here once more."""
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(0))
    L = SPARSE.smooth.lipschitz
    D = A @ X0 + B
    s = L * (X0 - SPARSE.nonsmooth.prox(X0, 1 / L))
    S = X0.T @ (D + s)
    Y0 = -(S + S.T) / 4
    size = np.linalg.norm(Y0, 2)
    rho = max(L / 6, size / 2)
    lam = 1 / (L + 2 * size + 4 * rho)
    expected = {"rho": rho, "lam": lam, "r": 0.1 / lam, "alpha": rho, "beta": 0.9, "eps": 1e-10 / rho}
    np.testing.assert_allclose(result.multiplier, Y0, rtol=1e-12)
    assert result.parameters == pytest.approx(expected)


def test_step_is_algorithm_1():
    """One step against the paper's formulas, written out with explicit sums; box and dual ball
    active.
    """
    p = {"rho": 0.3, "lam": 0.4, "r": 0.7, "alpha": 2.0, "beta": 0.45, "eps": 0.01}
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    Y = rng.standard_normal((3, 3))
    Y = Y + Y.T
    Z = rng.standard_normal((20, 3))
    solver = op.LSALM(**p, box=0.5, dual_radius=1.0, Y0=Y, Z0=Z)
    state = solver.step(SPARSE, solver.init(SPARSE, X))
    G = X.T @ X - np.eye(3)
    W = (X / 0.4 + 0.7 * Z - (A @ X + B + 2 * X @ Y + 2 * 0.3 * X @ G)) / (0.7 + 1 / 0.4)
    t = 0.1 / (0.7 + 1 / 0.4)
    X1 = np.sign(W) * np.minimum(np.maximum(np.abs(W) - t, 0), 0.5)
    Z1 = Z + 0.45 * (X1 - Z)
    Y1 = Y + 2.0 * (X1.T @ X1 - np.eye(3) - 0.01 * Y)
    Y1 = Y1 * min(1, 1 / np.linalg.norm(Y1))
    np.testing.assert_allclose(state.X, X1, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(state.Z, Z1, rtol=1e-12)
    np.testing.assert_allclose(state.Y, Y1, rtol=1e-12)


def test_residuals_are_what_they_are_called():
    """step, smoothing, update, constraint against their definitions; kkt with a subgradient that
    belongs to g at X+.
    """
    solver = op.LSALM()
    old = solver.init(SPARSE, X0)
    for _ in range(5):
        new = solver.step(SPARSE, old)
        residual = {name: float(value()) for name, value in solver.residuals(SPARSE, old, new).items()}
        assert residual["step"] == pytest.approx(np.linalg.norm(new.X - old.X))
        assert residual["smoothing"] == pytest.approx(np.linalg.norm(new.X - old.Z))
        assert residual["update"] == pytest.approx(residual["step"] + residual["smoothing"])
        assert residual["constraint"] == pytest.approx(np.linalg.norm(new.X.T @ new.X - np.eye(3)))
        W = A @ new.X + B + 2 * new.X @ new.Y
        assert residual["kkt"] >= np.linalg.norm(SPARSE.nonsmooth.min_norm_subgradient(new.X, W)) * (1 - 1e-9)
        old = new
    smooth = op.Problem(SPARSE.smooth, op.nonsmooth.Zero(), (20, 3))
    old = solver.init(smooth, X0)
    for _ in range(5):
        new = solver.step(smooth, old)
        residual = solver.residuals(smooth, old, new)
        assert float(residual["kkt"]()) == pytest.approx(np.linalg.norm(A @ new.X + B + 2 * new.X @ new.Y))
        G = old.X.T @ old.X - np.eye(3)
        stationary = A @ old.X + B + 2 * old.X @ (old.Y + new.p.rho * G)
        assert float(residual["prox"]()) == pytest.approx(np.linalg.norm(stationary))
        old = new


def test_scaling_the_objective_scales_the_run():
    """The safe rule is scale invariant: f -> c f with c a power of two leaves the iterates as they
    are.
    """
    base = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(100))
    for c in (2.0**-20, 2.0**20):
        scaled = op.problems.quadratic(c * A, c * B, 0.1 * c)
        result = op.solve(scaled, op.LSALM(), X0, stop=MaxIterations(100))
        np.testing.assert_allclose(result.X, base.X, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "g", [op.nonsmooth.MCP(1.0), op.nonsmooth.SCAD(1.0), op.nonsmooth.Box(-0.5, 0.5), op.nonsmooth.L1(1.0)]
)
@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_flat_and_linear_objectives(g, slope):
    """No curvature at all: the run starts, says something truthful, and never divides by zero."""
    problem = op.Problem(op.smooth.Quadratic(np.zeros((6, 6)), slope * stiefel.random_point(6, 2, 3)), g, (6, 2))
    result = op.solve(problem, op.LSALM(), stiefel.random_point(6, 2, 0), stop=Stationary(1e-4) | MaxIterations(3000))
    assert np.isfinite(result.X).all()
    assert result.stationarity >= 0


def test_the_safe_rule_leaves_room_for_a_weakly_convex_term():
    """1/lam grows by the modulus of g, so that its prox stays single-valued even where l is nearly
    flat.
    """
    flat = op.smooth.Quadratic(1e-3 * A)
    sharp = op.Problem(flat, op.nonsmooth.MCP(1.0, 0.01), (20, 3))
    result = op.solve(sharp, op.LSALM(), X0, stop=MaxIterations(5))
    assert 1 / result.parameters["lam"] > sharp.nonsmooth.modulus


def test_a_given_multiplier_is_made_symmetric():
    Y = np.random.default_rng(0).standard_normal((3, 3))
    state = op.LSALM(Y0=Y).init(SPARSE, X0)
    np.testing.assert_array_equal(state.Y, (Y + Y.T) / 2)


@pytest.mark.parametrize("name", ["beta", "alpha", "rho", "lam"])
def test_advice_names_the_parameter_that_would_help(name):
    """The message gives a value with which the stability radius is below 1."""
    good = {"rho": 0.2, "lam": 0.3, "r": 0.1, "alpha": 0.3, "beta": 0.9, "eps": 0.0}
    bad = {**good, name: {"beta": 40.0, "alpha": 10.0, "rho": 4.0, "lam": 60.0}[name]}
    solver = op.LSALM(**bad)
    advice = solver.advice(SPARSE, solver.init(SPARSE, X0))
    named, value = re.search(r"below with (\w+) = ([\d.e-]+)\.", advice).groups()
    assert op.stability_radius(**bad) >= 1
    assert op.stability_radius(**{**bad, named: float(value)}) < 1
    assert "Set a smaller lam" in op.LSALM(**good).advice(SPARSE, op.LSALM(**good).init(SPARSE, X0))
