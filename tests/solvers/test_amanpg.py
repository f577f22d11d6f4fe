"""The formulas and the safeguard of AManPG."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from orthoprox import stiefel
from orthoprox._linalg.linesearch import Step
from orthoprox.solvers import AManPG, amanpg
from orthoprox.solvers._shared import tangent_prox
from orthoprox.solvers._shared.tangent_prox import inner_tolerance
from small_problems import PROBLEMS, SPARSE, X0, run


def extrapolated(new, old, s):
    """R((1 - s) / s+ R^-1(old)) at ``new``, the inverse by SciPy's Lyapunov solver."""
    M = new.T @ old
    back = old @ solve_continuous_lyapunov(M, 2 * np.eye(len(M))) - new
    return stiefel.polar(new + (1 - s) / ((1 + np.sqrt(1 + 4 * s**2)) / 2) * back)


@pytest.mark.parametrize("step_size", [None, 20.0])
@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_amanpg_takes_the_steps_of_its_formulas(name, step_size):
    """X+ = polar(Y + V) and the extrapolation, or a restart with a step of ManPG from the last safe
    point; F falls safely.
    """
    problem, solver, restarts = PROBLEMS[name], AManPG(step_size=step_size, safeguard=3), 0
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 60)
    for k, (old, new) in enumerate(pairwise(states), start=1):
        guarded = k % 3 == 0
        assert (new.k, new.trials > 0) == (k, guarded)
        np.testing.assert_allclose(new.D, problem.smooth.grad(new.Y), atol=1e-12 * stiefel.norm(new.D))
        if guarded and new.s == 1:
            restarts += 1
            assert new.X is new.Y is new.safe.X
            continue
        X = _step(problem, old, old.Y, old.D, old.Lam)
        np.testing.assert_allclose(new.X, X, atol=1e-12)
        if old.s > 1 and new.Y is new.X:  # too far for R^-1: the part of X along X+ has nearly turned
            assert np.linalg.norm(np.eye(3) - stiefel.sym(X.T @ old.X), np.inf) > 0.75
        else:
            np.testing.assert_allclose(new.Y, extrapolated(X, old.X, old.s) if old.s > 1 else X, atol=1e-11)
        assert new.s == (1 + np.sqrt(1 + 4 * old.s**2)) / 2
        assert new.safe.X is new.X if guarded else new.safe is old.safe
    safe = [state.safe.F for state in states[::3]]
    assert np.all(np.diff(safe) <= 1e-13 * np.abs(safe[:-1]))
    assert restarts >= 1 or step_size is None


def _step(problem, state, X, D, Lam):
    """polar(X + V) with the tangent prox step V at X."""
    tol = inner_tolerance(state.size)
    return stiefel.polar(X + tangent_prox.tangent_prox(problem.nonsmooth, X, D, state.t, Lam, tol=tol, dual=True).V)


def test_the_safeguard_of_amanpg_is_a_step_of_manpg():
    """After a restart F is that of the line search from the last safe point, and below that of the
    extrapolated step.
    """
    problem, solver = PROBLEMS["sparse_pca"], AManPG(step_size=20.0, safeguard=1)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 30)
    restarts = [(old, new) for old, new in pairwise(states) if new.s == 1]
    assert any(new.safe is not old.safe for old, new in restarts)
    for old, new in restarts:
        safe = old.safe
        assert problem.value(_step(problem, old, old.Y, old.D, old.Lam)) > new.safe.F == problem.value(new.X)
        if new.safe is not safe:
            tol = inner_tolerance(new.size)
            V = tangent_prox.tangent_prox(problem.nonsmooth, safe.X, safe.D, old.t, old.Lam_safe, tol=1e-26, dual=True).V
            a = 0.5 ** (new.trials - 1)
            np.testing.assert_allclose(new.X, stiefel.polar(safe.X + a * V), atol=10 * tol**0.5 + 1e-9)
            assert new.safe.F <= safe.F - a * stiefel.norm(V) ** 2 / (2 * old.t) * (1 - 1e-3)


def test_a_failed_line_search_of_the_safeguard_is_not_taken(monkeypatch):
    """Wherever it ended: the choice is between the last safe point and X+."""

    def failed(problem, here, V, t):
        return Step(1e-4, replace(here, X=-here.X, F=-1e9), 14, accepted=False)

    monkeypatch.setattr(amanpg, "descend", failed)
    states = run(AManPG(safeguard=1), SPARSE, X0, 10)
    for old, new in pairwise(states):
        assert new.safe is old.safe or (new.safe.X is new.X and new.safe.F <= old.safe.F)
        assert new.safe.F == float(SPARSE.value(new.safe.X))
