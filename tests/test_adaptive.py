"""The method without parameters: invariant under scaling, never lost for good, never worse than its start."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from cases import normal, symmetric
from orthoprox import nonsmooth, smooth
from orthoprox._adaptive import first_order, parameter_rules, smoothing_newton
from orthoprox._adaptive.stagnation import STEP_RULES, Watch
from orthoprox._adaptive.workspace import FullSpace
from orthoprox._linalg.stiefel import defect, norm, polar, random_point, sym
from orthoprox._run.solve import _Run
from orthoprox.nonsmooth import L1, L21, MCP, Box, Nonnegative, Zero
from orthoprox.solvers import Adaptive, adaptive
from orthoprox.stopping import MaxIterations, Stationary, Status

DATA = op.datasets.five_components(50, 30, seed=1)
X0 = random_point(30, 4, seed=2)


def scaled(c):
    """Problems with c f in place of f; what scales a penalty's bend is its own parameter."""
    A, B = op.datasets.random_quadratic(30, 4, seed=3)
    root = c**0.5
    return {
        "sparse_pca": op.Problem(smooth.Variance(root * DATA), L1(0.3 * c), (30, 4)),
        "quadratic": op.Problem(smooth.Quadratic(c * A, c * B), L1(0.35 * c), (30, 4)),
        "rows": op.Problem(smooth.Variance(root * DATA), L21(0.3 * c), (30, 4)),
        "MCP": op.Problem(smooth.Variance(root * DATA), MCP(0.3 * c, gamma=2.0 / c), (30, 4)),
        "nonnegative": op.Problem(smooth.Variance(root * DATA), Nonnegative(), (30, 4)),
        "smooth": op.Problem(smooth.Quadratic(c * A, c * B), Zero(), (30, 4)),
        "own": op.Problem(
            smooth.Function(lambda X: -c * np.sum(np.log(np.cosh(DATA @ X))), lambda X: -c * DATA.T @ np.tanh(DATA @ X)),
            L1(0.05 * c),
            (30, 4),
        ),
    }


@pytest.mark.parametrize("k", [-20, -2, 2, 20])
@pytest.mark.parametrize("name", scaled(1.0))
def test_the_iterates_do_not_depend_on_the_scale_of_f(name, k):
    """f -> 2^k f leaves 100 iterates as they are, to 1e-12; k is even where the root of c enters."""
    solver, one, other = Adaptive(), scaled(1.0)[name], scaled(2.0**k)[name]
    first, second = solver.init(one, X0), solver.init(other, X0)
    for _ in range(100):
        first, second = solver.step(one, first), solver.step(other, second)
        np.testing.assert_allclose(solver.output(second), solver.output(first), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_no_column_vanishes_where_the_paper_constants_lose_one(seed):
    """The trap of the QP: grad l cannot outweigh mu in a column, which the prox then keeps at 0."""
    rng = np.random.default_rng(seed)
    A, B = op.datasets.random_quadratic(5, 2, seed=rng)
    problem = op.problems.quadratic(A, B, 1.0)
    start = random_point(5, 2, seed=rng)
    trapped = op.solve(problem, op.LSALM.paper("quadratic", problem), start, stop=Stationary(1e-5) | MaxIterations(2000))
    assert not trapped.converged
    result = op.solve(problem, Adaptive(), start, stop=Stationary(1e-6) | MaxIterations(2000))
    assert result.converged
    assert np.all(np.linalg.norm(result.X, axis=0) > 0.99)


def test_a_vanishing_column_is_a_loss_and_the_run_recovers():
    """From X = 0, where X'X = I cannot act, the run is back on the manifold within tens of iterations, with a firmer grip."""
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    state, nothing = solver.init(problem, X0), np.zeros((30, 4))
    frozen = op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4))  # nothing pulls the columns back
    state = _with(state, X=nothing, E=nothing, Z=nothing, D=nothing, G=-np.eye(4), EY=nothing, EG=nothing)
    for _ in range(25):
        state = solver.step(frozen, state)
    assert state.divergences == 1
    assert state.lsalm.grip == 2.0
    assert norm(defect(solver.output(state))) < 3.0
    for _ in range(300):
        state = solver.step(problem, state)
    assert norm(defect(solver.output(state))) < 1e-4


def _with(state, **changes):
    return replace(state, lsalm=replace(state.lsalm, **changes))


def _run(problem, solver, state, iterations):
    """Return the last state, and the losses and the size of X'X - I after each iteration."""
    divergences, sizes = [], []
    for _ in range(iterations):
        state = solver.step(problem, state)
        divergences.append(state.divergences)
        sizes.append(norm(defect(solver.output(state))))
    return state, divergences, sizes


def test_an_exploding_step_is_a_loss_and_the_run_recovers():
    """With a multiplier that drives X outwards the first step leaves the manifold; the run comes back and converges."""
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    Y = -100 * np.eye(X0.shape[1])
    state, divergences, sizes = _run(problem, solver, _with(solver.init(problem, X0), Y=Y, EY=X0 @ Y), 600)
    assert divergences[0] == 1 == divergences[-1]
    assert sizes[-1] <= 1e-6
    assert problem.value(polar(solver.output(state))) < problem.value(X0)


def test_a_curvature_that_is_far_too_small_is_corrected_without_a_loss():
    """The first steps go far, but inertia starts anew there and the measured curvature takes over."""
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    _, divergences, sizes = _run(problem, solver, _with(solver.init(problem, X0), c=1e-3), 600)
    assert max(sizes) > 1.0
    assert divergences[-1] == 0
    assert sizes[-1] <= 1e-6


@pytest.mark.parametrize(("tilt", "before", "anew"), [(0.2, 0.1, True), (0.2, 0.2, False), (0.1, 0.1, False)])
def test_inertia_starts_anew_where_columns_begin_to_tilt(monkeypatch, coherence, before, anew):
    """Beyond an entry of E'E - I of .15, once: a large |E'E - I| that many columns share is none of its business."""
    problem = scaled(1.0)["sparse_pca"]
    state = replace(first_order.first(problem, X0)[0], t=5.0, G=before * np.ones((4, 4)))
    monkeypatch.setattr(
        FullSpace, "products", lambda self, E: (problem.smooth.grad(E), coherence * np.ones((4, 4)), lambda S: E @ S)
    )
    assert (first_order.step(FullSpace(problem), state).t == 1.0) == anew


def test_more_care_is_taken_where_all_gaits_are_slow_after_newton():
    """At the edge of stability a run can cycle for ever; each time that all gaits have failed the curvature gets a margin."""
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    state = replace(_with(solver.init(problem, X0), watch=Watch(step_rule=len(STEP_RULES))), visited=True)
    new = solver._judge(problem, state)
    assert new.newton is None
    assert new.lsalm.care == 1.25 * state.lsalm.care
    assert new.lsalm.watch == Watch.later()


def test_a_gradient_that_is_not_finite_outside_some_ball_does_not_end_the_run():
    """l is defined near the manifold only: steps that leave it are taken back."""
    A = symmetric(4, 20)

    def grad(X):
        return A @ X if np.linalg.norm(X) <= 1.2 * 3**0.5 else np.nan * X

    problem = op.Problem(smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), L1(0.5), (20, 3))
    state = solver_state = Adaptive().init(problem, random_point(20, 3, seed=5))
    state = _with(solver_state, c=0.05 * solver_state.lsalm.c)
    for _ in range(800):
        state = Adaptive().step(problem, state)
    assert state.divergences > 0
    proof = op.certificate(problem, Adaptive().output(state), multiplier=Adaptive().multiplier(state))
    assert proof.upper <= 1e-4 * proof.gradient


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "rows", "MCP", "own"])
@pytest.mark.parametrize("iterations", [3, 30, 300])
def test_never_worse_than_the_start(name, seed, iterations):
    """Whatever the budget, the projected objective is at most that of the start, and the start is a local minimum nearly."""
    problem = scaled(1.0)[name]
    best = op.solve(problem, Adaptive(), random_point(30, 4, seed=seed), stop=Stationary(1e-4) | MaxIterations(2000))
    start = polar(best.X + 1e-3 * normal(seed, 30, 4))
    result = op.solve(problem, Adaptive(), start, stop=Stationary(1e-7) | MaxIterations(iterations))
    assert result.projected_objective <= problem.value(start) + 1e-9 * abs(problem.value(start))


def test_a_run_without_a_better_point_says_so_and_returns_the_start():
    """A gradient of the wrong sign leads upwards: what is handed back is the start."""
    A = symmetric(12, 30)
    uphill = smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, lambda X: -A @ X)
    start = polar(np.linalg.eigh(A)[1][:, :4] + 0.05 * normal(13, 30, 4))
    problem = op.Problem(uphill, L1(1e-3), (30, 4))
    result = op.solve(problem, Adaptive(), start, stop=op.stopping.Below(step=0.0) | MaxIterations(20))
    assert np.array_equal(result.X, start)
    assert result.status is Status.ITERATIONS
    assert "No point better than the start was found; this is the start." in result.message


WARM = {
    "nonnegative": (op.Problem(smooth.Variance(DATA), Nonnegative(), (30, 4)), np.eye(30)[:, :4]),
    "MCP": (op.Problem(smooth.Variance(DATA), MCP(0.3, gamma=2.0), (30, 4)), None),
    "l1": (op.Problem(smooth.Variance(DATA), L1(0.3), (30, 4)), None),
    "square": (op.Problem(smooth.Quadratic(symmetric(37, 10), normal(38, 10, 10)), L21(0.5), (10, 10)), None),
}


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("name", WARM)
def test_a_warm_start_is_kept_or_improved(name, tol):
    """From a solution, or from inside the domain of an indicator, the run converges, and not to a worse point."""
    problem, start = WARM[name]
    if start is None:
        start = polar(op.minimize(problem, tol=1e-4).X)
    result = op.minimize(problem, start, tol=tol)
    assert result.converged
    assert result.objective <= problem.value(start) + max(tol, 1e-5) * abs(problem.value(start))


@pytest.mark.parametrize("mu", [30.0, 1e3, 1e5])
def test_a_penalty_that_outweighs_everything_is_no_trap(mu):
    """With a huge mu the solution is made of coordinate vectors, and the certificate is as good as ever."""
    result = op.minimize(op.Problem(smooth.Quadratic(symmetric(14, 20)), L1(mu), (20, 3)))
    assert result.converged
    assert np.sum(result.X != 0) == 3


def test_history_and_parameters_tell_what_happened():
    """Each measurement carries the parameters in force; losses, gaits and Newton's method are seen."""
    problem = op.problems.compressed_modes(128, 5, 0.1)
    result = op.solve(problem, Adaptive(), random_point(128, 5, seed=0), stop=Stationary(1e-6) | MaxIterations(3000), every=10)
    for name in ("rho", "lam", "r", "alpha", "beta", "theta", "step_rule", "divergences", "newton", "nu"):
        assert len(result.history[name]) == len(result.history["iteration"])
    assert np.all(np.diff(result.history["divergences"]) >= 0)
    assert result.parameters["divergences"] == result.history["divergences"][-1]
    assert set(result.history["newton"]) == {0.0, 1.0}
    assert set(result.history["step_rule"]) >= {0.0, 1.0}
    assert np.all((result.history["nu"] > 0) == (result.history["newton"] == 1))


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "rows", "smooth"])
def test_a_function_without_constants_works_as_well(name):
    """l as a bare function with its gradient needs at most 1.5 times the gradient evaluations of the built-in term."""
    problem = scaled(1.0)[name]
    counts = []
    for ell in (problem.smooth, smooth.Function(problem.smooth.value, problem.smooth.grad)):
        calls = []

        def grad(X, ell=ell, calls=calls):
            calls.append(1)
            return ell.grad(X)

        counted = op.Problem(_Counted(ell, grad), problem.nonsmooth, problem.shape)
        result = op.solve(counted, Adaptive(), X0, stop=Stationary(1e-6) | MaxIterations(5000))
        assert result.converged
        counts.append(len(calls))
    assert counts[1] <= 1.5 * counts[0]


class _Counted(smooth.Function):
    """A term with counted gradients that knows what the other knows."""

    def __init__(self, ell, grad):
        super().__init__(ell.value, grad)
        if hasattr(ell, "lipschitz"):
            self.lipschitz = ell.lipschitz


def test_budgets_end_a_run_with_a_truthful_status():
    problem = op.problems.compressed_modes(128, 4, 0.1)
    with pytest.warns(op.ConvergenceWarning, match="iteration budget is used up"):
        assert op.minimize(problem, max_iterations=20).status is Status.ITERATIONS
    with pytest.warns(op.ConvergenceWarning, match="time budget is used up"):
        assert op.minimize(problem, tol=1e-15, max_seconds=0.2).status is Status.TIME


def test_given_parameters_mean_lsalm():
    """Parameters are LSALM's, used as given; without them nothing is to be chosen."""
    problem = scaled(1.0)["sparse_pca"]
    assert isinstance(op.minimize(problem, X0, tol=1e-4).solver, Adaptive)
    assert isinstance(op.minimize(problem, X0, tol=1e-2, beta=0.5).solver, op.LSALM)
    with pytest.raises(TypeError, match=r"'newton' is not an option .* It is one of method='adaptive'"):
        op.minimize(problem, X0, newton=False)


@pytest.mark.parametrize(
    "g", [L1(0.3, bound=0.6), Box(-0.6, 0.6), nonsmooth.SCAD(0.2), nonsmooth.Function(L1(0.3).value, L1(0.3).prox)]
)
def test_terms_with_a_domain_a_bend_or_only_a_prox(g):
    result = op.minimize(op.Problem(smooth.Variance(DATA), g, (30, 4)), X0, tol=1e-5)
    assert result.converged


# --- the rules, one by one ------------------------------------------------------------------------------------------------


def test_the_first_step_bounds_the_curvature_of_the_lagrangian():
    """c >= |l''| + 2 |Y|_2 for a quadratic, up to what four steps of a power method see."""
    A = symmetric(6, 12)
    problem = op.Problem(smooth.Quadratic(A), Zero(), (12, 3))
    X = random_point(12, 3, seed=7)
    met = parameter_rules.curvature_at(problem, X, A @ X)
    assert 0.3 * np.linalg.norm(A, 2) <= met <= np.linalg.norm(A, 2) * (1 + 1e-6)
    Y = parameter_rules.multiplier(X, A @ X, 0 * X)
    np.testing.assert_allclose(Y, -sym(X.T @ A @ X) / 2, atol=1e-12)
    assert parameter_rules.first_step(problem, met, Y, STEP_RULES[0]) == pytest.approx(1.2 * (met + 2 * np.linalg.norm(Y, 2)))


def test_the_outward_pull_is_that_of_the_linear_and_the_nonsmooth_part():
    """For l = tr(X'AX)/2 + tr(B'X) the Hessian cancels: N is the largest eigenvalue of sym(X'(B + S)), if positive."""
    A, B, S, X = symmetric(8, 12), normal(9, 12, 3), normal(10, 12, 3), random_point(12, 3, seed=11)
    problem = op.Problem(smooth.Quadratic(A, B), Zero(), (12, 3))
    N = np.linalg.eigvalsh(sym(X.T @ (B + S)))[-1]
    assert parameter_rules.penalty_threshold(problem, X, A @ X + B, S) == pytest.approx(max(N, 0.0), abs=1e-6)
    assert parameter_rules.penalty_threshold(problem, X, A @ X - 50 * X, -50 * X) == 0.0
    size = parameter_rules.penalty_threshold(problem, X, A @ X + B, 1e9 * X)
    assert size <= 11 * np.linalg.norm(A @ X + B)  # however long a normal vector of an indicator is


def test_the_penalty_outweighs_the_pull_and_c_the_penalty():
    assert parameter_rules.penalty(10.0, 0.0) == (2.0, 10.0)
    rho, c = parameter_rules.penalty(1.0, 8.0)
    assert (rho, c) == (4.0, 16.0)


def test_the_inertia_is_nesterovs_and_starts_afresh_against_the_motion():
    t, theta = 1.0, 0.0
    for _ in range(200):
        t, theta = parameter_rules.inertia(t, STEP_RULES[0], -1.0)
    assert theta == STEP_RULES[0].inertia
    assert parameter_rules.inertia(5.0, STEP_RULES[0], 1.0) == (1.0, 0.0)
    assert parameter_rules.inertia(5.0, STEP_RULES[1], -1.0)[1] == 0.0


def test_the_dual_step_is_longer_where_columns_hardly_overlap():
    """Disjoint columns: 1. Columns that share entries of size .1 alone: 2 / (2 .01), cut at 10, or at 100 if only G lacks."""
    X = np.zeros((5, 3))
    X[0, 0] = X[1, 1] = X[2, 2] = 0.99
    X[3, 0] = X[3, 1] = 0.1
    assert parameter_rules.identified(1e-4, 1e-4)
    assert not parameter_rules.identified(1e-2, 1e-9)
    overlap = FullSpace(op.Problem(op.smooth.Quadratic(np.eye(5)), op.nonsmooth.Zero(), (5, 3))).overlap
    weights = parameter_rules.dual_weights(*overlap(X), 1e-4, 1e-4)
    np.testing.assert_allclose(weights, [[1, 10, 1], [10, 1, 1], [1, 1, 1]])
    assert parameter_rules.dual_weights(*overlap(X), 1e-6, 1e-4)[0, 1] == pytest.approx(100.0)
    assert np.all(parameter_rules.dual_weights(*overlap(X0), 1e-4, 1e-4) <= 1.0 + 1e-12)


def test_a_slow_run_changes_its_gait_and_a_fast_one_does_not():
    """Residuals that fall by 1 % in an iteration are fast enough; constant or rising ones are slow after 150 iterations."""
    fast, flat = Watch(), Watch()
    for k in range(300):
        fast, flat = fast.look(0.99**k), flat.look(0.1)
    assert fast.step_rule == 0
    assert flat.step_rule == 2
    for _ in range(200):
        flat = flat.look(0.1)
    assert flat.over


def test_a_return_doubles_the_curvature_and_takes_more_care():
    problem = scaled(1.0)["sparse_pca"]
    lsalm, _ = first_order.first(problem, X0)
    again = first_order.recovered(problem, replace(lsalm, X=5 * X0, blank=20), X0)
    np.testing.assert_allclose(again.X, X0, atol=1e-12)  # the last good point, not the last one
    assert (again.c, again.care, again.grip) == (2 * lsalm.c, 1.5, 2.0)


def test_the_last_good_point_has_no_vanishing_column():
    problem, solver = scaled(1.0)["quadratic"], Adaptive()
    frozen, nothing = op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4)), np.zeros((30, 4))
    state = _with(solver.init(problem, X0), X=nothing, E=nothing, Z=nothing, D=nothing, EY=nothing, EG=nothing)
    assert np.array_equal(solver.step(frozen, state).lsalm.good, X0)


def test_after_a_loss_f_is_compared_with_the_start_again():
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    state = replace(solver.init(problem, X0), settled=True)
    assert not solver._recover(problem, state, state.lsalm).settled


def test_a_settled_point_above_the_start_sends_newtons_method_back_there():
    problem, solver = scaled(1.0)["sparse_pca"], Adaptive()
    state = _with(solver.init(problem, X0), gap=0.0, X=random_point(30, 4, seed=9))
    assert solver._judge(problem, replace(state, value=1e9)).newton is None
    back = solver._judge(problem, replace(state, value=-1e9))
    assert np.array_equal(back.newton.X, X0)
    assert back.stay


def test_less_smoothing_keeps_the_prox_point():
    """P and the subgradient (X - P) / nu stay as they are when nu and X - P are halved, up to the way back to the manifold."""
    problem = scaled(1.0)["sparse_pca"]
    point = smoothing_newton.begin(problem, X0, 1e-3, 0.0)
    sharper = smoothing_newton._reduce_smoothing(problem, point)
    assert sharper.width == pytest.approx(point.width / 2, rel=0.1)
    assert norm(sharper.e.gradient - point.e.gradient) <= 0.2 * norm(point.e.gradient)
    assert norm(sharper.X - point.X) >= 0.1 * norm(point.X - point.e.point)


@pytest.mark.parametrize(("solver", "best"), [(Adaptive(), True), (op.LSALM(), False)])
def test_a_stalled_run_returns_its_best_point_if_the_method_recovers(solver, best):
    problem = scaled(1.0)["sparse_pca"]
    run = _Run(problem, solver, Stationary(), None, True, None)
    assert run._ending(Status.STALLED, solver.init(problem, X0)).best is best


# --- large sparse runs ------------------------------------------------------------------------------------------------


def slow(problem, X0):
    """A state near the end of a run from X0 whose last gait has turned out slow."""
    solver = Adaptive()
    state = solver.init(problem, X0)
    for _ in range(150):
        state = solver.step(problem, state)
    return replace(state, lsalm=replace(state.lsalm, watch=Watch(step_rule=3)), untried=0.0)


@pytest.mark.parametrize("helps", [True, False])
def test_a_slow_run_with_a_large_sparse_x_is_polished_or_goes_on(monkeypatch, helps):
    """Not by Newton's method for the smoothed problem, whose steps are dear there."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    state = slow(problem, op.starts.coordinates(problem, np.random.default_rng(0)))
    point = op.stiefel.polar(state.lsalm.X), state.lsalm.Y
    monkeypatch.setattr(adaptive, "polish", lambda *_: point if helps else None)
    new = Adaptive()._judge(problem, state)
    assert new.newton is None
    if helps:
        np.testing.assert_array_equal(new.lsalm.X, point[0])
        assert new.untried < 1e-2
    else:
        assert new.lsalm.watch.step_rule == 0
        assert new.lsalm.care > state.lsalm.care


def test_a_small_slow_run_goes_over_to_newton(monkeypatch):
    monkeypatch.setattr(adaptive, "polish", None)
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    assert Adaptive()._judge(problem, slow(problem, op.stiefel.random_point(20, 4, seed=0))).newton is not None


def test_the_curvature_after_a_loss_is_that_near_the_manifold():
    """Twice the c of the last point with |E'E - I| <= .5, not of the points on the way out."""
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    state, _ = first_order.first(problem, op.stiefel.random_point(20, 4, seed=0))
    for _ in range(30):
        state = first_order.step(FullSpace(problem), state)
    assert state.feasibility <= 0.5
    assert state.near_curvature == state.c
    out = replace(state, c=100 * state.c)
    assert first_order.recovered(problem, out, state.X).c == 2 * state.near_curvature
    far = first_order.step(
        FullSpace(problem), replace(state, E=3 * state.E, G=op.stiefel.defect(3 * state.E), Y=state.Y - 9 * np.eye(4))
    )
    assert far.feasibility > 0.5
    assert far.near_curvature == state.near_curvature


def test_polishing_is_tried_again_only_where_it_has_failed(monkeypatch):
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    state = Adaptive().init(problem, op.stiefel.random_point(20, 4, seed=0))
    monkeypatch.setattr(adaptive, "polish", lambda problem, X, Y, evaluator: None)
    assert adaptive._polished(problem, state, 1e-4).untried == pytest.approx(1e-5)
    monkeypatch.setattr(adaptive, "polish", lambda problem, X, Y, evaluator: (X, Y))
    assert adaptive._polished(problem, state, 1e-4).untried == 0.0
