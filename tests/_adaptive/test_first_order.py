"""The first-order phase: it is LSALM, with inertia, restarts after divergences, and a verdict."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import DATA, X0, scaled, with_residual
from cases import NONSMOOTH, SHAPE, SMOOTH, gaussian_pca, normal, symmetric
from orthoprox import smooth, stiefel
from orthoprox._adaptive.first_order import FirstOrder, FullSpace, _at, _subgradient
from orthoprox._adaptive.phase import Verdict
from orthoprox._adaptive.rules import StagnationMonitor
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.nonsmooth import L1, L21, MCP, Nonnegative, Zero

PHASE = FirstOrder(SETTINGS)
EXHAUSTED = StagnationMonitor(len(SETTINGS.margins))
# no inertia, a constant curvature, one dual step for all entries, no look at the progress
PLAIN = replace(SETTINGS, inertia=0.0, margins=(0.0,) * 2, decays=(1.0,) * 2, identified=0.0, window=10**9)


def advance(problem, state):
    """The next iterate in the full space."""
    return PHASE._advance(problem, FullSpace(problem, SETTINGS), state)[0]


# --- LSALM ---


TERMS = {
    "quadratic": op.Problem(smooth.Quadratic(symmetric(3, 30), normal(4, 30, 4)), L1(0.3), (30, 4)),
    "variance": op.Problem(smooth.Variance(DATA), L1(0.3), (30, 4)),
    "log cosh": scaled(1.0)["own"],
    "l21": op.Problem(smooth.Variance(DATA), L21(0.3), (30, 4)),
    "MCP": op.Problem(smooth.Variance(DATA), MCP(0.3, gamma=2.0), (30, 4)),
    "nonnegative": op.Problem(smooth.Quadratic(symmetric(3, 30), normal(4, 30, 4)), Nonnegative(), (30, 4)),
    "smooth": op.Problem(smooth.Quadratic(symmetric(3, 30), normal(4, 30, 4)), Zero(), (30, 4)),
}


def plain(problem, factor):
    """The first-order phase as LSALM, and an iterate at X0 with any multiplier and smoothing centre
    and a multiple of its curvature.
    """
    state = PHASE.first(problem, X0)
    Y, Z = state.Y + 0.1 * state.c * stiefel.sym(normal(5, 4, 4)), X0 + 0.1 * normal(6, 30, 4)
    return FirstOrder(PLAIN, alone=True), replace(state, Y=Y, EY=X0 @ Y, Z=Z, c=factor * state.c)


@pytest.mark.parametrize("factor", [1.0, 3.0])
@pytest.mark.parametrize("name", TERMS)
def test_at_zero_inertia_and_with_lsalms_parameters_a_step_is_lsalms(name, factor):
    """X, Y and Z agree to rounding from the same X, Y and Z, with rho, lam, r, alpha and beta in
    force and eps = 0.
    """
    problem = TERMS[name]
    phase, one = plain(problem, factor)
    parameters = {name: phase.parameters(one)[name] for name in ("rho", "lam", "r", "alpha", "beta")}
    lsalm = op.LSALM(**parameters, eps=0.0, Y0=one.Y, Z0=one.Z)
    other = lsalm.init(problem, X0)
    for _ in range(20):
        one, other = phase.step(problem, one), lsalm.step(problem, other)
        for field in ("X", "Y", "Z"):
            found, expected = getattr(one, field), getattr(other, field)
            assert stiefel.norm(found - expected) <= 1e-13 * max(1.0, stiefel.norm(expected)), field
    assert (one.theta, one.memory.divergences) == (0, 0)
    assert {name: phase.parameters(one)[name] for name in parameters} == parameters
    assert stiefel.norm(one.X - X0) > 0.01  # it went somewhere


def test_with_inertia_a_step_is_another_one():
    """The comparison above can fail."""
    problem, other = TERMS["variance"], FirstOrder(replace(PLAIN, inertia=0.9), alone=True)
    phase, one = plain(problem, 3.0)
    two = one
    for _ in range(5):
        one, two = phase.step(problem, one), other.step(problem, two)
    assert stiefel.norm(one.X - two.X) > 1e-6


# --- the first iterate ---


@pytest.mark.parametrize("name", NONSMOOTH)
def test_the_subgradient_is_one_at_the_prox_point(name):
    """S = c (X - P) with P = prox_{g/c}(X): S is in dg(P), which means that the prox of P + S / c
    is P.
    """
    g = NONSMOOTH[name]
    problem, X, c = op.Problem(SMOOTH["Quadratic"], g, SHAPE), normal(1, *SHAPE), 4 * max(1.0, g.modulus)
    S, P = _subgradient(problem, X, c), g.prox(X, 1 / c)
    np.testing.assert_allclose(g.prox(P + S / c, 1 / c), P, atol=1e-12)


@pytest.mark.parametrize("name", NONSMOOTH)
def test_the_multiplier_makes_the_residual_least(name):
    """|D + S + 2XY| over all symmetric Y: what is left is a tangent vector."""
    g = NONSMOOTH[name]
    problem, X = op.Problem(SMOOTH["Quadratic"], g, SHAPE), stiefel.random_point(*SHAPE, seed=2)
    point = _at(problem, X, problem.smooth.grad(X), 4 * max(1.0, g.modulus))
    residual = point.D + point.S + 2 * X @ point.Y
    assert stiefel.norm(stiefel.sym(X.T @ residual)) <= 1e-12 * (1 + stiefel.norm(residual))
    np.testing.assert_array_equal(point.Y, point.Y.T)


def test_the_first_curvature_is_that_of_l_up_to_what_a_power_method_sees():
    """For a quadratic; it scales with l, and c bounds the curvature of the Lagrangian."""
    A, X, measured = symmetric(6, 12), stiefel.random_point(12, 3, seed=7), []
    for scale in (1.0, 2.0**20):
        problem = op.Problem(smooth.Quadratic(scale * A), Zero(), (12, 3))
        first = PHASE.first(problem, X)
        size, curvature = scale * np.linalg.norm(A, 2), first.memory.curvature
        assert 0.3 * size <= curvature <= size * (1 + 1e-6)
        np.testing.assert_allclose(first.Y, -scale * stiefel.sym(X.T @ A @ X) / 2, atol=1e-12 * size)
        assert first.c >= (curvature + 2 * np.linalg.norm(first.Y, 2)) * (1 - 1e-12)
        measured.append((curvature, first.c))
    np.testing.assert_allclose(measured[1], 2.0**20 * np.array(measured[0]))


@pytest.mark.parametrize("rule", range(len(SETTINGS.margins)))
def test_the_prox_of_a_weakly_convex_term_is_always_unique(rule):
    """c > modulus, however flat l is and whatever was measured: g + c|X|^2 / 2 is convex."""
    problem = op.Problem(smooth.Quadratic(1e-6 * symmetric(6, 12)), MCP(0.4, gamma=0.5), (12, 3))
    phase = FirstOrder(SETTINGS, rule=rule)
    state = phase.first(problem, stiefel.random_point(12, 3, seed=7))
    for _ in range(50):
        assert min(state.c, state.memory.curvature) > problem.nonsmooth.modulus
        state = phase.step(problem, state)


def test_the_first_curvature_is_positive_where_l_is_constant():
    problem = op.Problem(smooth.Quadratic(np.zeros((12, 12))), Zero(), (12, 3))
    assert 0 < PHASE.first(problem, stiefel.random_point(12, 3, seed=7)).memory.curvature < np.inf


# --- steps ---


def test_an_iterate_holds_what_belongs_to_its_extrapolated_point():
    """D = grad l(E), G = E'E - I, EY and EG the products, the residuals those of the last step."""
    problem, state = scaled(1.0)["sparse_pca"], PHASE.first(scaled(1.0)["sparse_pca"], X0)
    for _ in range(20):
        old, state = state, PHASE.step(problem, state)
        np.testing.assert_allclose(state.E, state.X + state.theta * (state.X - old.X), atol=1e-14)
        np.testing.assert_allclose(state.D, problem.smooth.grad(state.E), atol=1e-13 * stiefel.norm(state.D))
        np.testing.assert_allclose(state.G, stiefel.defect(state.E), atol=1e-14)
        np.testing.assert_allclose(state.EY, state.E @ state.Y, atol=1e-13 * stiefel.norm(state.EY))
        np.testing.assert_allclose(state.EG, state.E @ state.G, atol=1e-13)
        assert state.feasibility == pytest.approx(stiefel.norm(state.G))
        assert state.residual == max(state.stationarity, state.feasibility)
        lam, r = (PHASE.parameters(old)[name] for name in ("lam", "r"))
        assert state.gap == pytest.approx((1 / lam + r) * stiefel.norm(state.X - old.E))
        assert 4 * PHASE.parameters(old)["rho"] <= 1 / lam  # the curvature of the penalty
    assert state.theta > 0


# --- restarts ---


def restarted(problem, state, X):
    """The restart whose last good point is X."""
    return PHASE.restarted(problem, replace(state, good=X))


def test_a_restart_begins_at_the_last_good_point_and_is_safer():
    """Not at the last point; with more curvature, and with a larger safety factor."""
    problem = scaled(1.0)["sparse_pca"]
    state = PHASE.first(problem, X0)
    again = restarted(problem, replace(state, X=5 * X0), X0)
    np.testing.assert_allclose(again.X, X0, atol=1e-12)
    assert again.c > state.c
    assert again.memory.safety > state.memory.safety
    assert again.memory.divergences == state.memory.divergences + 1
    assert again.monitor == state.monitor


def test_a_restart_is_on_the_manifold():
    """At the nearest point to the last good one, or at X0 if that is not finite."""
    problem = scaled(1.0)["sparse_pca"]
    state, X = PHASE.first(problem, X0), normal(7, 30, 4)
    np.testing.assert_allclose(restarted(problem, state, X).X, stiefel.polar(X), atol=1e-12)
    np.testing.assert_array_equal(restarted(problem, state, np.nan * X).X, X0)


def test_the_safety_factor_is_bounded():
    """However often a run restarts."""
    problem = scaled(1.0)["sparse_pca"]
    state = PHASE.first(problem, X0)
    factors = []
    for _ in range(20):
        state = restarted(problem, state, X0)
        factors.append(state.memory.safety)
    assert np.all(np.diff(factors) >= 0)
    assert factors[-1] == factors[9] == SETTINGS.safety


def test_the_curvature_after_a_divergence_is_that_near_the_manifold():
    """It does not depend on the points on the way out, where the penalty itself is steep."""
    problem = op.problems.sparse_pca(op.datasets.five_components(100, 20, seed=0), 4, 0.5)
    state = PHASE.first(problem, op.stiefel.random_point(20, 4, seed=0))
    for _ in range(30):
        state = advance(problem, state)
    assert state.feasibility <= 0.5
    assert state.near_curvature == state.c
    out = replace(state, c=100 * state.c)
    assert restarted(problem, out, state.X).c == restarted(problem, state, state.X).c
    far = advance(problem, replace(state, E=3 * state.E, G=op.stiefel.defect(3 * state.E), Y=state.Y - 9 * np.eye(4)))
    assert far.feasibility > 0.5
    assert far.near_curvature == state.near_curvature


def test_a_column_may_vanish_for_some_iterations():
    """One that comes back in time is no divergence; one that does not is, and the last good point
    has all columns.
    """
    nothing, problem = np.zeros((30, 4)), op.Problem(smooth.Quadratic(np.zeros((30, 30))), L1(0.35), (30, 4))
    state = PHASE.first(problem, X0)
    state = replace(state, X=nothing, E=nothing, Z=nothing, D=nothing, G=-np.eye(4), EY=nothing, EG=nothing)
    for j in range(1, SETTINGS.vanished):
        state = PHASE.step(problem, state)
        assert (state.vanished, state.memory.divergences) == (j, 0)
        assert np.array_equal(state.good, X0)
    state = PHASE.step(problem, state)
    assert (state.vanished, state.memory.divergences) == (0, 1)
    np.testing.assert_allclose(state.X, X0, atol=1e-12)


# --- verdicts ---


def judged(new, old=None, problem=None, phase=PHASE):
    return phase.verdict(problem or scaled(1.0)["sparse_pca"], old or new, new)


@pytest.fixture(scope="module")
def state():
    """An iterate on the way."""
    problem = scaled(1.0)["sparse_pca"]
    state = PHASE.first(problem, X0)
    for _ in range(20):
        state = PHASE.step(problem, state)
    return state


def test_a_step_without_an_event_goes_on(state):
    assert judged(state) is Verdict.GOING


def test_stagnation_is_that_of_all_step_rules(state):
    for rule in range(len(SETTINGS.margins)):
        assert judged(replace(state, monitor=StagnationMonitor(rule))) is Verdict.GOING
    assert judged(replace(state, monitor=EXHAUSTED)) is Verdict.STAGNATED


def test_a_run_is_lost_with_the_divergence_that_reaches_the_largest_safety_factor(state):
    for safety, verdict in [(1.0, Verdict.GOING), (SETTINGS.safety, Verdict.LOST)]:
        new = replace(state, memory=replace(state.memory, divergences=1, safety=safety))
        assert judged(new, old=state) is verdict
        assert judged(new, old=new) is Verdict.GOING  # no divergence in this step


@pytest.mark.parametrize(("value", "verdict"), [(1e9, Verdict.GOING), (-1e9, Verdict.WORSE)])
def test_f_is_compared_with_the_start_once_the_supports_are_identified(state, value, verdict):
    """With the step that brings the residual below the tolerance, and not with any other."""
    far = with_residual(replace(state, memory=replace(state.memory, value=value)), 2 * SETTINGS.identified)
    near = with_residual(far, SETTINGS.identified / 2)
    assert judged(near, old=far) is verdict
    assert judged(near, old=near) is judged(far, old=far) is judged(far, old=near) is Verdict.GOING


def test_a_sparse_point_near_a_solution_may_be_polished():
    """Where its residual has fallen so far; a dense one never. After stagnation a residual that is
    near a solution suffices.
    """
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    start = PHASE.first(problem, op.starts.coordinates(problem, np.random.default_rng(0)))
    near = with_residual(start, SETTINGS.identified / 2)
    assert judged(near, problem=problem) is Verdict.NEAR
    assert judged(replace(near, memory=replace(near.memory, polish_at=near.residual / 2)), problem=problem) is Verdict.GOING
    assert judged(replace(near, X=near.X + 1e-9), problem=problem) is Verdict.GOING
    slow = replace(with_residual(near, SETTINGS.gain / 2), monitor=EXHAUSTED)
    assert judged(slow, problem=problem) is Verdict.NEAR
    assert judged(with_residual(slow, 2 * SETTINGS.gain), problem=problem) is Verdict.STAGNATED


def test_alone_the_phase_reports_stagnation_and_nothing_else(state):
    alone, old = FirstOrder(SETTINGS, alone=True), with_residual(state, 1.0)
    memory = replace(state.memory, divergences=9, safety=SETTINGS.safety, value=-1e9, polish_at=1.0)
    new = replace(with_residual(state, 0.0), memory=memory)
    assert judged(new, old, phase=alone) is Verdict.GOING
    assert judged(replace(new, monitor=EXHAUSTED), old, phase=alone) is Verdict.STAGNATED


# --- other phases ---


def test_the_point_for_the_next_phase_is_a_primal_dual_one(state):
    """X and Y as reported, grad l at X itself, and the subgradient of a prox step from there."""
    problem = scaled(1.0)["sparse_pca"]
    point = PHASE.point(problem, state)
    for found, reported in zip((point.X, point.Y), PHASE.output(state), strict=True):
        np.testing.assert_array_equal(found, reported)
    np.testing.assert_array_equal(point.D, problem.smooth.grad(state.X))
    P = problem.nonsmooth.prox(state.X, 1 / state.c)
    np.testing.assert_allclose(point.S, state.c * (state.X - P), atol=1e-12 * stiefel.norm(point.S))
    assert np.all(np.abs(point.S) <= problem.nonsmooth.mu * (1 + 1e-12))


def test_after_a_refused_polish_the_next_one_is_due_later(state):
    """The iterates are the same; the step rules begin again, with a larger safety factor, only if
    all have stagnated.
    """
    resumed = PHASE.resume(state)
    assert 0 < resumed.memory.polish_at < state.residual
    assert replace(resumed, memory=state.memory) == state
    again = PHASE.resume(replace(state, monitor=EXHAUSTED))
    assert again.monitor == StagnationMonitor(PHASE.rule)
    assert again.memory.safety > state.memory.safety
    assert again.X is state.X


@pytest.mark.parametrize("leaves", [False, True])
def test_inertia_begins_anew_where_x_leaves_the_manifold(leaves, monkeypatch):
    monkeypatch.setattr("orthoprox._adaptive.rules.leaves_manifold", lambda k, size, old, new: leaves)
    problem, phase = gaussian_pca(), FirstOrder(SETTINGS, alone=True)
    state = phase.first(problem, op.stiefel.random_point(*problem.shape))
    for _ in range(4):
        state = phase.step(problem, state)
        assert (state.t == 1.0) == leaves
