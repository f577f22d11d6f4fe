"""The front door: options, warnings and statuses."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from orthoprox.stopping import Below, Stationary, Status
from small_problems import DIVERGING, SPARSE, X0, A


def test_the_same_seed_gives_the_same_run():
    first, second = op.minimize(SPARSE, seed=3), op.minimize(SPARSE, seed=3)
    assert np.array_equal(first.X, second.X)
    assert first.iterations == second.iterations
    few = {"max_iterations": 3, "polish": False}
    with pytest.warns(op.ConvergenceWarning):
        assert not np.array_equal(*(op.minimize(SPARSE, "random", seed=seed, **few).X for seed in (3, 4)))


def test_a_start_that_is_already_stationary_needs_no_step():
    _, Q = np.linalg.eigh(A)
    problem = op.Problem(op.smooth.Quadratic(A), op.nonsmooth.Zero(), (20, 3))
    result = op.minimize(problem, Q[:, :3])
    assert result.converged
    assert result.iterations == 0
    assert np.array_equal(result.X, Q[:, :3])


def test_minimize_warns_where_it_did_not_converge():
    with pytest.warns(op.ConvergenceWarning, match=r"iteration budget is used up. Reached: stationarity"):
        result = op.minimize(SPARSE, "random", max_iterations=2)
    assert not result.converged


def test_minimize_ends_runs_that_leave_the_manifold():
    with pytest.warns(op.ConvergenceWarning, match="Diverged"):
        result = op.minimize(SPARSE, method=DIVERGING)
    assert result.status is Status.DIVERGED


def test_minimize_projects_a_start_only_when_asked():
    off = X0 + 0.1
    with pytest.raises(ValueError, match="off the manifold"):
        op.minimize(SPARSE, off)
    assert op.minimize(SPARSE, off, project=True).converged


def test_minimize_takes_a_method_with_its_parameters():
    result = op.minimize(SPARSE, X0, method=op.LSALM(beta=0.5), stop=Below(step=1e-8, constraint=1e-8))
    assert result.converged
    assert result.parameters["beta"] == 0.5
    assert replace(result.solver) == op.LSALM(beta=0.5)


def test_tol_bounds_stationarity_and_feasibility():
    for tol in (1e-3, 1e-5, 1e-9):
        result = op.minimize(SPARSE, X0, tol=tol)
        assert max(result.stationarity, result.feasibility, result.certificate.feasibility) <= tol


def test_a_far_prox_point_does_not_make_a_point_good():
    """The corner of the box is a stationary prox point, but infeasible and far from X: neither
    converged nor best.
    """
    problem = op.Problem(op.smooth.Quadratic(np.zeros((10, 10)), -np.ones((10, 1))), op.nonsmooth.Box(-0.5, 0.5), (10, 1))
    with pytest.warns(op.ConvergenceWarning, match="iteration budget"):
        result = op.minimize(problem, "random", max_iterations=0)
    assert result.certificate.upper <= 1e-12
    assert result.certificate.distance > 1
    assert not result.converged


def test_a_callback_does_not_change_the_run():
    """A callback that reads certificates leaves the iterates and the stopping as they are."""
    for tol in (1e-3, 1e-4, 1e-6):
        alone = op.minimize(SPARSE, X0, tol=tol)
        seen = op.minimize(SPARSE, X0, tol=tol, callback=lambda now: now.stationarity)
        assert seen.iterations == alone.iterations


def test_a_single_precision_start_is_promoted_to_the_data():
    """Data in double precision: the run is in double precision, whatever the start."""
    result = op.minimize(SPARSE, X0.astype(np.float32), tol=1e-8)
    assert result.converged
    assert result.X.dtype == np.float64


def test_minimize_calls_a_run_diverged_that_stays_off_the_manifold():
    """Without penalty and with a tiny dual step X grows to |X'X - I| > 1 and stays: far from an
    explosion, yet diverged.
    """
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.1)
    L = problem.smooth.lipschitz
    with pytest.warns(op.ConvergenceWarning, match=r"Diverged.*Set a smaller lam"):
        result = op.minimize(problem, rho=0.2 * L, lam=1 / (3 * L), r=0.0, alpha=1e-3 * L, beta=0.5, eps=0.0, Y0=0.0)
    assert result.iterations <= 60


def test_budgets_hold_beside_a_rule_of_ones_own():
    with pytest.warns(op.ConvergenceWarning, match="iteration budget"):
        result = op.minimize(SPARSE, X0, stop=Stationary(1e-12), max_iterations=7)
    assert result.iterations == 7
    with pytest.warns(op.ConvergenceWarning, match="time budget"):
        assert op.minimize(SPARSE, X0, stop=Stationary(1e-14), max_seconds=1e-6).status is Status.TIME
