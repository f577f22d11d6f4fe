"""The one loop: what it returns, whatever happens to the run."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import orthoprox as op
from orthoprox._linalg.stiefel import random_point
from orthoprox.stopping import Below, MaxIterations, MaxSeconds, Stationary, Status

A, B = op.datasets.random_quadratic(20, 3, seed=0)
PROBLEM = op.problems.quadratic(A, B, 0.1)
X0 = random_point(20, 3, 1)


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
    problem, calls = counting(PROBLEM)
    solver = op.LSALM(rho=1.0, lam=0.1, r=1.0, alpha=1.0, beta=0.5, eps=0.0, Y0=0.0)
    state = solver.init(problem, X0)
    calls.update(value=0, grad=0, prox=0)
    for _ in range(10):
        old, state = state, solver.step(problem, state)
        for residual in solver.residuals(problem, old, state).values():
            residual()
    assert calls == {"value": 0, "grad": 10, "prox": 10}


def test_numbers_of_a_result_belong_to_its_point():
    """Every number is what the evaluator says about result.X."""
    result = op.minimize(PROBLEM, X0)
    assert result.objective == PROBLEM.value(result.X)
    assert result.projected_objective == pytest.approx(PROBLEM.value(result.projected()), rel=1e-12)
    assert result.feasibility == pytest.approx(np.linalg.norm(result.X.T @ result.X - np.eye(3)), rel=1e-6, abs=1e-14)
    assert result.sparsity == np.mean(np.abs(result.X) < 1e-5)
    assert result.stationarity <= 1e-6
    assert result.converged
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(result.projected().T @ result.projected(), np.eye(3), atol=1e-12)


def test_the_same_seed_gives_the_same_run():
    first, second = op.minimize(PROBLEM, seed=3), op.minimize(PROBLEM, seed=3)
    assert np.array_equal(first.X, second.X)
    assert first.iterations == second.iterations
    assert not np.array_equal(first.X, op.minimize(PROBLEM, seed=4).X)


def test_measurements_happen_at_powers_of_two_and_then_every_256():
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(800))
    assert result.history["iteration"].tolist() == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 800]
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(25), every=10)
    assert result.history["iteration"].tolist() == [0, 10, 20, 25]
    lengths = {len(column) for column in result.history.values()}
    assert lengths == {4}


def test_iteration_budget_returns_the_last_iterate():
    """After k steps X is X^k exactly, whatever was measured in between."""
    solver = op.LSALM()
    state = solver.init(PROBLEM, X0)
    for _ in range(37):
        state = solver.step(PROBLEM, state)
    result = op.solve(PROBLEM, solver, X0, stop=MaxIterations(37))
    assert np.array_equal(result.X, state.X)
    assert result.status is Status.ITERATIONS
    assert result.iterations == 37


def test_time_budget_counts_the_wall():
    def slow(now):
        while now.evaluator is not None and clock.wall_seconds < 0.02 * now.iteration:
            pass

    from orthoprox._run.clock import Clock

    clock = Clock()
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxSeconds(0.1), callback=slow)
    assert result.status is Status.TIME
    assert result.wall_seconds >= 0.1
    assert result.seconds < 0.5 * result.wall_seconds  # the callback is off the method's clocks
    assert 0 < result.cpu_seconds < 0.5 * result.wall_seconds


DIVERGING_SLOWLY = op.LSALM(rho=0.5, lam=2.0, r=0.1, alpha=1.4, beta=0.9, eps=0.0, box=2.0)  # cycles off the manifold
DIVERGING = op.LSALM(rho=1.0, lam=50.0, r=0.0, alpha=40.0, beta=0.5, eps=0.0)


def test_divergence_is_seen_and_a_finite_point_returned():
    """Bad parameters end as diverged, with the best point measured and the parameter to change."""
    result = op.solve(PROBLEM, DIVERGING, X0)
    assert result.status is Status.DIVERGED
    assert np.all(np.isfinite(result.X))
    assert result.iterations < 50
    assert "stability radius" in result.message
    assert "it would be below with lam = " in result.message
    assert result.measurement.kkt_error <= result.history["kkt_error"].min() * (1 + 1e-9)


def test_a_term_that_returns_nan_ends_as_diverged():
    calls = []

    def grad(X):
        calls.append(1)
        return A @ X if len(calls) < 100 else np.nan * X

    problem = op.Problem(op.smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), op.nonsmooth.Zero(), (20, 3))
    result = op.solve(problem, op.LSALM(rho=1.0, lam=0.1, r=0.1, alpha=1.0, beta=0.9, eps=0.0), X0)
    assert result.status is Status.DIVERGED
    assert np.all(np.isfinite(result.X))


@pytest.mark.parametrize("kept", [True, False])
def test_a_run_that_is_cut_short_keeps_its_last_row(kept):
    def interrupt(now):
        if now.iteration == 70:
            raise KeyboardInterrupt

    result = op.solve(PROBLEM, op.LSALM(), X0, callback=interrupt, history=kept)
    assert result.status is Status.INTERRUPTED
    assert (len(result.history["iteration"]) == 1) != kept
    with pytest.warns(op.ConvergenceWarning, match="Diverged"):
        diverged = op.minimize(PROBLEM, method=DIVERGING, history=kept)
    assert np.isfinite(diverged.history["objective"][-1])


def test_ctrl_c_returns_the_best_point_so_far():
    def interrupt(now):
        if now.iteration == 70:
            raise KeyboardInterrupt

    result = op.solve(PROBLEM, op.LSALM(), X0, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 70
    best = int(result.history["iteration"][result.history["kkt_error"].argmin()])
    expected = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(best)) if best else None
    assert np.array_equal(result.X, X0 if expected is None else expected.X)


def test_a_callback_stops_the_run():
    """StopIteration ends the run at the current point; its words become the message."""

    def stop(now):
        if now.iteration == 20:
            raise StopIteration("seen enough")

    result = op.solve(PROBLEM, op.LSALM(), X0, callback=stop)
    assert result.status is Status.INTERRUPTED
    assert "seen enough" in result.message
    assert np.array_equal(result.X, op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(20)).X)


def test_other_errors_of_a_callback_are_not_swallowed():
    def broken(now):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        op.solve(PROBLEM, op.LSALM(), X0, callback=broken)


def test_a_zero_column_is_called_stalled():
    """A column that the prox sets to zero is stuck; the run says so instead of using up its budget."""
    rng = np.random.default_rng(72)
    problem = op.problems.quadratic(*op.datasets.random_quadratic(20, 2, seed=rng), 0.35)
    start = random_point(20, 2, rng)
    result = op.solve(problem, op.LSALM.paper("quadratic", problem), start, stop=op.stopping.paper.quadratic)
    assert result.status is Status.STALLED
    assert "1 column(s) of X are zero" in result.message
    assert result.iterations < 1000


def test_a_start_that_is_already_stationary_needs_no_step():
    _, Q = np.linalg.eigh(A)
    problem = op.Problem(op.smooth.Quadratic(A), op.nonsmooth.Zero(), (20, 3))
    result = op.minimize(problem, Q[:, :3])
    assert result.converged
    assert result.iterations == 0
    assert np.array_equal(result.X, Q[:, :3])


def test_given_parameters_are_used_exactly():
    given = {"rho": 0.3, "lam": 0.21, "r": 0.7, "alpha": 0.11, "beta": 0.45, "eps": 1e-7}
    result = op.solve(PROBLEM, op.LSALM(**given), X0, stop=MaxIterations(3))
    assert result.parameters == given


def test_open_parameters_follow_the_safe_rule():
    """The documented formulas, evaluated here once more."""
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(0))
    L = PROBLEM.smooth.lipschitz
    D = A @ X0 + B
    s = L * (X0 - PROBLEM.nonsmooth.prox(X0, 1 / L))
    S = X0.T @ (D + s)
    Y0 = -(S + S.T) / 4
    size = np.linalg.norm(Y0, 2)
    rho = max(L / 6, size / 2)
    lam = 1 / (L + 2 * size + 4 * rho)
    expected = {"rho": rho, "lam": lam, "r": 0.1 / lam, "alpha": rho, "beta": 0.9, "eps": 1e-10 / rho}
    np.testing.assert_allclose(result.multiplier, Y0, rtol=1e-12)
    assert result.parameters == pytest.approx(expected)


def test_step_is_algorithm_1():
    """One step against the paper's formulas, written out with explicit sums; box and dual ball active."""
    p = {"rho": 0.3, "lam": 0.4, "r": 0.7, "alpha": 2.0, "beta": 0.45, "eps": 0.01}
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    Y = rng.standard_normal((3, 3))
    Y = Y + Y.T
    Z = rng.standard_normal((20, 3))
    solver = op.LSALM(**p, box=0.5, dual_radius=1.0, Y0=Y, Z0=Z)
    state = solver.step(PROBLEM, solver.init(PROBLEM, X))
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
    """step, smoothing, update, constraint against their definitions; kkt with a subgradient that belongs to g at X+."""
    solver = op.LSALM()
    old = solver.init(PROBLEM, X0)
    for _ in range(5):
        new = solver.step(PROBLEM, old)
        residual = {name: float(value()) for name, value in solver.residuals(PROBLEM, old, new).items()}
        assert residual["step"] == pytest.approx(np.linalg.norm(new.X - old.X))
        assert residual["smoothing"] == pytest.approx(np.linalg.norm(new.X - old.Z))
        assert residual["update"] == pytest.approx(residual["step"] + residual["smoothing"])
        assert residual["constraint"] == pytest.approx(np.linalg.norm(new.X.T @ new.X - np.eye(3)))
        W = A @ new.X + B + 2 * new.X @ new.Y
        assert residual["kkt"] >= np.linalg.norm(PROBLEM.nonsmooth.min_norm_subgradient(new.X, W)) * (1 - 1e-9)
        old = new
    smooth = op.Problem(PROBLEM.smooth, op.nonsmooth.Zero(), (20, 3))
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
    """The safe rule is scale invariant: f -> c f with c a power of two leaves the iterates as they are."""
    base = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(100))
    for c in (2.0**-20, 2.0**20):
        scaled = op.problems.quadratic(c * A, c * B, 0.1 * c)
        result = op.solve(scaled, op.LSALM(), X0, stop=MaxIterations(100))
        np.testing.assert_allclose(result.X, base.X, rtol=0, atol=1e-12)


def test_result_is_readable_and_serialisable():
    result = op.minimize(PROBLEM, X0)
    text = repr(result)
    for word in ("Adaptive", "(20, 3)", "Converged", "objective", "feasibility", "stationarity", "certificate", "sparsity"):
        assert word in text
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["objective"] == result.objective
    assert plain["status"] == "CONVERGED"
    assert "X" not in plain
    full = json.loads(json.dumps(result.to_dict(arrays=True)))
    np.testing.assert_array_equal(full["X"], result.X)


def test_json_has_no_infinity():
    """A start outside the domain of g has an infinite objective, which becomes null."""
    problem = op.Problem(PROBLEM.smooth, op.nonsmooth.Nonnegative(), (20, 3))
    result = op.solve(problem, op.LSALM(), X0, stop=MaxIterations(0))
    assert result.objective == np.inf
    plain = json.loads(json.dumps(result.to_dict(arrays=True), allow_nan=False))
    assert plain["objective"] is None
    assert plain["history"]["objective"] == [None]


def test_minimize_warns_where_it_did_not_converge():
    with pytest.warns(op.ConvergenceWarning, match=r"iteration budget is used up. Reached: stationarity"):
        result = op.minimize(PROBLEM, max_iterations=2)
    assert not result.converged


def test_minimize_ends_runs_that_leave_the_manifold():
    with pytest.warns(op.ConvergenceWarning, match="Diverged"):
        result = op.minimize(PROBLEM, method=DIVERGING)
    assert result.status is Status.DIVERGED


def test_minimize_projects_a_start_only_when_asked():
    off = X0 + 0.1
    with pytest.raises(ValueError, match="off the manifold"):
        op.minimize(PROBLEM, off)
    assert op.minimize(PROBLEM, off, project=True).converged


def test_minimize_takes_a_method_with_its_parameters():
    result = op.minimize(PROBLEM, X0, method=op.LSALM(beta=0.5), stop=Below(step=1e-8, constraint=1e-8))
    assert result.converged
    assert result.parameters["beta"] == 0.5
    assert replace(result.solver) == op.LSALM(beta=0.5)


def test_tol_bounds_stationarity_and_feasibility():
    for tol in (1e-3, 1e-5, 1e-9):
        result = op.minimize(PROBLEM, X0, tol=tol)
        assert max(result.stationarity, result.feasibility, result.certificate.feasibility) <= tol


def test_history_ends_at_the_returned_point():
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=Stationary(1e-5))
    assert result.history["iteration"][-1] == result.iterations
    assert result.history["objective"][-1] == result.objective
    assert np.all(np.diff(result.history["seconds"]) >= 0)
    assert np.all(result.history["wall_seconds"] >= result.history["seconds"])


def test_progress_shows_lines_without_rich(capsys, monkeypatch):
    monkeypatch.setattr("orthoprox.progress.find_spec", lambda name: None)
    op.minimize(PROBLEM, X0, progress=True)
    shown = capsys.readouterr().err
    assert "    0 steps" in shown
    assert "stationary to" in shown


def test_progress_with_rich_passes_the_callback_on(capsys):
    seen = []
    op.minimize(PROBLEM, X0, progress=True, callback=lambda now: seen.append(now.iteration))
    assert seen[:3] == [0, 1, 2]
    assert "objective" in capsys.readouterr().err


def test_the_best_point_is_the_one_with_the_smallest_shortfall():
    """Of the measured points the first with the smallest KKT error is kept."""
    from orthoprox._certify.metrics import Measurement
    from orthoprox._run.solve import _Run

    class Now:
        iteration = seconds = wall_seconds = 0
        measurement = Measurement(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    run = _Run(PROBLEM, SimpleNamespace(parameters=lambda state: {}), Stationary(), None, True, None)
    for state, kkt_error in [("a", 1e-2), ("b", 1e-3), ("c", 1.0), ("d", 1e-3)]:
        Now.kkt_error = kkt_error
        run._record(Now, state, keep=True)
    assert run.best_state == "b"


def test_a_far_prox_point_does_not_make_a_point_good():
    """The corner of the box is a stationary prox point, but infeasible and far from X: neither converged nor best."""
    problem = op.Problem(op.smooth.Quadratic(np.zeros((10, 10)), -np.ones((10, 1))), op.nonsmooth.Box(-0.5, 0.5), (10, 1))
    with pytest.warns(op.ConvergenceWarning, match="iteration budget"):
        result = op.minimize(problem, "random", max_iterations=0)
    assert result.certificate.upper <= 1e-12
    assert result.certificate.distance > 1
    assert not result.converged


@pytest.mark.parametrize(
    "g", [op.nonsmooth.MCP(1.0), op.nonsmooth.SCAD(1.0), op.nonsmooth.Box(-0.5, 0.5), op.nonsmooth.L1(1.0)]
)
@pytest.mark.parametrize("directional_derivative", [0.0, 1.0])
def test_flat_and_linear_objectives(g, slope):
    """No curvature at all: the run starts, says something truthful, and never divides by zero."""
    problem = op.Problem(op.smooth.Quadratic(np.zeros((6, 6)), slope * random_point(6, 2, 3)), g, (6, 2))
    result = op.solve(problem, op.LSALM(), random_point(6, 2, 0), stop=Stationary(1e-4) | MaxIterations(3000))
    assert np.isfinite(result.X).all()
    assert result.stationarity >= 0


def test_watching_a_run_does_not_change_it():
    """A callback that reads certificates leaves the iterates and the stopping as they are."""
    for tol in (1e-3, 1e-4, 1e-6):
        alone = op.minimize(PROBLEM, X0, tol=tol)
        watched = op.minimize(PROBLEM, X0, tol=tol, callback=lambda now: now.stationarity)
        assert watched.iterations == alone.iterations


def test_a_single_precision_start_is_promoted_to_the_data():
    """Data in double precision: the run is in double precision, whatever the start."""
    result = op.minimize(PROBLEM, X0.astype(np.float32), tol=1e-8)
    assert result.converged
    assert result.X.dtype == np.float64


def test_the_random_start_is_like_the_data():
    data = op.datasets.five_components(50, 20).astype(np.float32)
    result = op.solve(
        op.problems.sparse_pca(data, 3, 0.3),
        op.LSALM(),
        op.starts.random(op.problems.sparse_pca(data, 3, 0.3), np.random.default_rng(0)),
        stop=Stationary(1e-3),
    )
    assert result.X.dtype == np.float32


def test_motion_resets_the_count_of_still_steps():
    """Ninety steps of rest, one of motion, ninety of rest: not stalled."""
    from orthoprox._run.solve import _Run

    run = _Run(PROBLEM, op.LSALM(), MaxIterations(10**6), None, True, None)
    run.evaluator, run.motionless = op.metrics.Evaluator(PROBLEM, X0), 1e-15
    state = op.LSALM().init(PROBLEM, X0)
    for moved in [0.0] * 90 + [1.0] + [0.0] * 90:
        run.iteration = 3
        assert run._look(state, {"step": lambda moved=moved: moved}) is None
    assert [run._look(state, {"step": lambda: 0.0}) for _ in range(10)][-1].status is Status.STALLED


def test_a_run_far_from_the_manifold_is_diverged_under_any_rule():
    """|X'X - I| beyond 1e6 at a measurement ends the run, even where the box keeps its steps short."""
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.1)
    wild = op.LSALM(rho=0.0, lam=1.0, r=0.0, alpha=1e-9, beta=0.5, eps=0.0, Y0=0.0, box=1e4)
    result = op.solve(problem, wild, random_point(20, 3, 0), stop=op.stopping.paper.sparse_pca)
    assert result.status is Status.DIVERGED


def test_time_budget_returns_the_best_point():
    """The paper's constants on small L cycle; when the time is up the best measured point comes back, not the last."""
    result = op.solve(PROBLEM, DIVERGING_SLOWLY, X0, stop=MaxSeconds(0.05))
    assert result.status is Status.TIME
    assert result.measurement.kkt_error <= result.history["kkt_error"].min() * 1.01


def test_a_start_has_to_lie_on_the_manifold_to_half_precision():
    """Up to n times the root of the machine precision; beyond that it is refused."""
    allowed = 3 * np.finfo(float).eps ** 0.5
    for factor, fine in ((0.4, True), (3.0, False)):
        start = X0 * (1 + factor * allowed / (2 * 3**0.5))
        if fine:
            assert op.solve(PROBLEM, op.LSALM(), start, stop=MaxIterations(0)).iterations == 0
        else:
            with pytest.raises(ValueError, match="off the manifold"):
                op.solve(PROBLEM, op.LSALM(), start)


def test_minimize_calls_a_run_diverged_that_settles_off_the_manifold():
    """Without penalty and with a tiny dual step X grows to |X'X - I| > 1 and stays: far from an explosion, yet diverged."""
    problem = op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.1)
    L = problem.smooth.lipschitz
    with pytest.warns(op.ConvergenceWarning, match=r"Diverged.*Set a smaller lam"):
        result = op.minimize(problem, rho=0.2 * L, lam=1 / (3 * L), r=0.0, alpha=1e-3 * L, beta=0.5, eps=0.0, Y0=0.0)
    assert result.iterations <= 60


def test_budgets_hold_beside_a_rule_of_ones_own():
    with pytest.warns(op.ConvergenceWarning, match="iteration budget"):
        result = op.minimize(PROBLEM, X0, stop=Stationary(1e-12), max_iterations=7)
    assert result.iterations == 7
    with pytest.warns(op.ConvergenceWarning, match="time budget"):
        assert op.minimize(PROBLEM, X0, stop=Stationary(1e-14), max_seconds=1e-6).status is Status.TIME


def test_repr_shows_each_number_in_its_line():
    result = op.solve(PROBLEM, op.LSALM(), X0, stop=MaxIterations(40))
    lines = dict(line.split(None, 1) for line in repr(result).splitlines()[1:])
    assert lines["feasibility"].startswith(f"{result.feasibility:.2e}")
    assert lines["stationarity"].startswith(f"{result.stationarity:.2e}")
    assert lines["iterations"] == "40"
    assert f"{result.certificate.upper:.3e}" in lines["certificate"]


def test_the_safe_rule_leaves_room_for_a_weakly_convex_term():
    """1/lam grows by the modulus of g, so that its prox stays single-valued even where l is nearly flat."""
    flat = op.smooth.Quadratic(1e-3 * A)
    sharp = op.Problem(flat, op.nonsmooth.MCP(1.0, 0.01), (20, 3))
    result = op.solve(sharp, op.LSALM(), X0, stop=MaxIterations(5))
    assert 1 / result.parameters["lam"] > sharp.nonsmooth.modulus


def test_a_given_multiplier_is_made_symmetric():
    Y = np.random.default_rng(0).standard_normal((3, 3))
    state = op.LSALM(Y0=Y).init(PROBLEM, X0)
    np.testing.assert_array_equal(state.Y, (Y + Y.T) / 2)


@pytest.mark.parametrize("name", ["beta", "alpha", "rho", "lam"])
def test_advice_names_the_parameter_that_would_help(name):
    """The message gives a value with which the stability radius is below 1."""
    good = {"rho": 0.2, "lam": 0.3, "r": 0.1, "alpha": 0.3, "beta": 0.9, "eps": 0.0}
    bad = {**good, name: {"beta": 40.0, "alpha": 10.0, "rho": 4.0, "lam": 60.0}[name]}
    solver = op.LSALM(**bad)
    advice = solver.advice(PROBLEM, solver.init(PROBLEM, X0))
    named, value = re.search(r"below with (\w+) = ([\d.e-]+)\.", advice).groups()
    assert op.stability_radius(**bad) >= 1
    assert op.stability_radius(**{**bad, named: float(value)}) < 1
    assert "Set a smaller lam" in op.LSALM(**good).advice(PROBLEM, op.LSALM(**good).init(PROBLEM, X0))
