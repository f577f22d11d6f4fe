"""The two-phase and the dynamic rule of smoothing gradient descent."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox.problems.smoothed import envelope
from orthoprox.solvers import SmoothingRGD
from small_problems import PROBLEMS, SPARSE, X0, run


@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21", "MCP", "Nonnegative", "Function"])
def test_two_phase_smoothing_descends_until_each_smoothed_problem_is_solved(name):
    """l + e undercuts the average, which never rises while nu stays; nu falls by the factor exactly
    where the rule says so.
    """
    problem, solver = PROBLEMS[name], SmoothingRGD(factor=0.4, accuracy=0.5)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 150)
    for old, new in pairwise(states):
        error, S = stiefel.norm(old.X - old.e.point) / np.sqrt(problem.shape[1]), (old.X - old.e.point) / old.nu
        solved = stiefel.norm(stiefel.tangent(old.X, old.D + S)) <= 0.5 * error * max(stiefel.norm(old.D), stiefel.norm(S))
        assert new.nu == pytest.approx(max(0.4 * old.nu, 2**-26 * old.p.nu) if solved else old.nu, rel=1e-12, abs=0)
        assert new.steps == (1 if new.nu < old.nu else old.steps + 1)
        start = envelope(problem.nonsmooth, old.X, new.nu).value + old.f if new.nu < old.nu else old.C
        assert new.f + new.e.value <= start + 1e-12 * abs(start)
        assert new.C <= start + 1e-12 * abs(start)
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-12
    assert states[-1].nu < 0.4 * states[0].nu


def test_a_smoothed_problem_that_is_not_solved_in_time_is_left(monkeypatch):
    """The two-phase rule loses its patience after some steps with one nu, whatever accuracy is
    asked for.
    """
    monkeypatch.setattr("orthoprox.solvers.smoothing_rgd._PATIENCE", 5)
    solver = SmoothingRGD(accuracy=1e-12)
    states = run(solver, SPARSE, X0, 20)
    assert [state.nu for state in states[1:]] == pytest.approx([states[0].nu * solver.factor ** (k // 5) for k in range(20)])


@pytest.mark.parametrize("name", ["sparse_pca", "L21", "MCP", "Nonnegative", "Function"])
def test_dynamic_smoothing_takes_the_steps_of_its_rule(name):
    """X+ = polar(X - t_k P_T(grad l(X) + (X - prox(X)) / nu_k)), nu_k = nu / (k + 1)^(1/3) and t_k
    = 1 / (S0 + 1 / nu_k).
    """
    problem = PROBLEMS[name]
    ell, g = problem.smooth, problem.nonsmooth
    X, nu = stiefel.random_point(*problem.shape, seed=1), 0.05
    S0 = max(ell.lipschitz, np.linalg.norm(ell.grad(X), 2))
    for k, state in enumerate(run(SmoothingRGD(rule="dynamic", nu=nu), problem, X, 20)):
        np.testing.assert_allclose(state.X, X, atol=1e-12)
        nu_k = nu / (k + 1) ** (1 / 3)
        X = stiefel.polar(X - stiefel.tangent(X, ell.grad(X) + (X - g.prox(X, nu_k)) / nu_k) / (S0 + 1 / nu_k))


@pytest.mark.parametrize("name", ["sparse_pca", "L21", "MCP", "Nonnegative"])
def test_the_gradient_of_the_envelope_is_a_subgradient_at_the_prox_point(name):
    """S lies in dg(P), and the multiplier makes grad l + S + 2XY the Riemannian gradient, the
    residual of the method.
    """
    problem, solver = PROBLEMS[name], SmoothingRGD()
    for state in run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 60):
        S = state.e.gradient
        assert stiefel.norm(
            problem.nonsmooth.min_norm_subgradient(state.e.point, -S)
        ) <= 1e-14 / state.nu + 1e-12 * stiefel.norm(S)
        np.testing.assert_allclose(
            state.D + S + 2 * state.X @ solver.multiplier(state), state.xi, atol=1e-10 * stiefel.norm(state.D)
        )


@pytest.mark.parametrize("name", ["Nonnegative", "MCP", "Function"])
def test_smoothing_reaches_a_certificate_for_any_prox(name):
    """Of an indicator X satisfies the constraint up to the smoothing; the certified prox point does
    so exactly.
    """
    result = op.minimize(PROBLEMS[name], method="smoothing-rgd", seed=1, tol=1e-4)
    assert result.converged
    assert np.isfinite(PROBLEMS[name].value(result.certificate.point))
