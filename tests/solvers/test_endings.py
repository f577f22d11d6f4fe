"""How runs of every method end: diverged, without progress, interrupted, or refused."""

import signal
from dataclasses import fields

import numpy as np
import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, Zero
from orthoprox.solvers import MADMM, PAMAL, PCAL, PLAM, RADMM, RSM, SOC, AManPG, Dissolving, Landing, ManPG
from orthoprox.stopping import Leaves, MaxIterations, Stationary, Status
from small_problems import ELL, SMOOTH, SPARSE, X0, A

CONCAVE = op.Problem(smooth.Function(lambda X: -ELL.value(X), lambda X: -ELL.grad(X)), L1(0.1), (20, 3))
CONCAVE_SMOOTH = op.Problem(CONCAVE.smooth, Zero(), (20, 3))
DIVERGING = {
    "lsalm": (op.LSALM(lam=50.0), SPARSE),
    "soc": (SOC(penalty=0.01), CONCAVE),
    "pamal": (PAMAL(penalty=0.01), CONCAVE),
    "plam": (PLAM(step_size=50.0), SMOOTH),
    "pcal": (PCAL(step_size=50.0), SMOOTH),
    "landing": (Landing(safe=None, step_size=100.0), SMOOTH),
    "dissolving": (Dissolving(step_size=50.0), SPARSE),
    "dissolving gradient": (Dissolving(inner="gradient", penalty=0.01), CONCAVE_SMOOTH),
}
CYCLING = {  # a retraction keeps them on the manifold, but they do not get anywhere
    "radmm": (RADMM(eta=1e3), SPARSE),
    "madmm": (MADMM(eta=1e3), SPARSE),
    "rsm": (RSM(step_size=1e6), SPARSE),
    "manpg": (ManPG(step_size=1e6), SPARSE),
    "amanpg": (AManPG(step_size=1e6), SPARSE),
    "soc": (SOC(penalty=0.02), SPARSE),
}


@pytest.mark.parametrize("name", DIVERGING)
def test_divergence_is_called_by_its_name(name):
    """The run ends early, with a finite point, and the advice names a parameter of the method."""
    solver, problem = DIVERGING[name]
    result = op.solve(problem, solver, X0, stop=Stationary(1e-6) | MaxIterations(300) | Leaves(1.0))
    assert result.status is Status.DIVERGED
    assert result.iterations < 100
    assert np.all(np.isfinite(result.X))
    assert np.isfinite(result.objective)
    assert any(field.name in result.message for field in fields(solver))


@pytest.mark.parametrize("name", CYCLING)
def test_a_run_that_gets_nowhere_does_not_claim_to_have_converged(name):
    """The budget is used up, the point is finite and the stationarity reported is bad."""
    solver, problem = CYCLING[name]
    result = op.solve(problem, solver, X0, stop=Stationary(1e-6) | MaxIterations(200))
    assert result.status is Status.ITERATIONS
    assert stiefel.norm(stiefel.defect(result.X)) <= 1e-12
    assert result.stationarity > 0.01


@pytest.mark.parametrize("name", SOLVERS)
def test_a_gradient_that_becomes_nan_ends_the_run(name):
    """The run says why it failed, and returns a finite point; no decomposition fails."""
    calls = []

    def grad(X):
        calls.append(1)
        return A @ X if len(calls) < 60 else np.nan * X

    problem = op.Problem(smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), Zero(), (20, 3))
    result = op.solve(problem, SOLVERS[name], X0)
    assert result.status is Status.FAILED
    assert "not finite" in result.message
    assert np.all(np.isfinite(result.X))


@pytest.mark.parametrize("name", SOLVERS)
def test_ctrl_c_returns_a_point(name):
    """An interrupted run returns the best point measured so far, of whatever method."""

    def interrupt(now):
        if now.iteration == 5:
            signal.raise_signal(signal.SIGINT)

    problem = SMOOTH if name in SMOOTH_ONLY else SPARSE
    result = op.solve(problem, SOLVERS[name], X0, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 5
    assert result.objective == float(problem.value(result.X))
    assert result.objective in result.history["objective"]
    assert result.feasibility in result.history["feasibility"]


@pytest.mark.parametrize("solver", [SOC(penalty=0.2), PAMAL(penalty=0.1, proximal=0.1, unit=1.0)], ids=["soc", "pamal"])
def test_a_penalty_too_small_for_a_unique_minimiser_is_refused(solver):
    """l + c/2 |X|^2 must be strongly convex: c = 2b for SOC, 2 rho + c for PAMAL."""
    problem = op.Problem(smooth.Quadratic(-A), L1(0.1), (20, 3))
    weight = r"0\.4" if isinstance(solver, SOC) else r"0\.3"
    with pytest.raises(ValueError, match=rf"weight {weight} was added .* modulus 1; .* set a larger penalty"):
        op.solve(problem, solver, X0)
