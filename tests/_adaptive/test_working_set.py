"""The workspaces of a step: all entries, or working sets, and epochs on them."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import with_residual
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox._adaptive.first_order import FirstOrder, FullSpace
from orthoprox._adaptive.rules import StagnationMonitor
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._linalg import packed, products
from orthoprox.nonsmooth import Zero
from orthoprox.solvers import Adaptive

PHASE = FirstOrder(SETTINGS)

# --- divergence ---


@pytest.mark.parametrize(
    ("singular_values", "out_of_bounds", "vanished"),
    [((1, 1, 1), False, False), ((1, 1.1, 0.9), False, False), ((1, 1, 0.01), False, True), ((9, 1, 1), True, False)],
)
def test_a_point_diverges_outwards_and_its_columns_vanish_inwards(singular_values, out_of_bounds, vanished):
    """By the eigenvalues of E'E - I: one above the bound, or one near -1."""
    Q = stiefel.random_point(3, 3, seed=1)
    E = stiefel.random_point(12, 3, seed=2) @ np.diag(singular_values) @ Q
    space = FullSpace(op.Problem(smooth.Quadratic(np.eye(12)), Zero(), (12, 3)), SETTINGS)
    assert space.divergence_test(stiefel.defect(E), 2.0) == (out_of_bounds, vanished)
    for broken in (np.nan, np.inf):
        assert space.divergence_test(broken * np.ones((3, 3)), 2.0) == (True, False)


# --- working sets ---

SHAPE = 240, 120
DATA = op.datasets.five_components(300, SHAPE[0], seed=0)
LINEAR = op.smooth.Quadratic(-2 * DATA.T @ DATA, 0.1 * normal(0, *SHAPE))
PROBLEMS = {
    "l1": op.problems.sparse_pca(DATA, SHAPE[1], 0.5),
    "weights and a linear part": op.Problem(LINEAR, op.nonsmooth.L1(0.5 + 0.1 * normal(1, 1, SHAPE[1]) ** 2), SHAPE),
}


def phase(**changes):
    """The first-order phase with other settings."""
    return FirstOrder(replace(SETTINGS, **changes))


@pytest.fixture(params=["numba", "numpy"], autouse=True)
def way(request, monkeypatch):
    """Both ways to multiply: by compiled loops, and by NumPy where numba is not installed."""
    if request.param == "numpy":
        monkeypatch.setattr(packed, "compiled", lambda: None)


def late(problem, steps=60):
    """The iterate late in a run that looks at all entries."""
    solver = Adaptive(newton=False)
    state = solver.init(problem, op.starts.coordinates(problem, np.random.default_rng(0)))
    for _ in range(steps):
        state = solver.step(problem, state)
    return state.now


@pytest.fixture(scope="module")
def s():
    return late(PROBLEMS["l1"])


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_step_on_all_that_is_nonzero_is_a_step(name):
    """Where the entries are those that are nonzero before or after it, a step on them is the step
    of the whole.
    """
    problem = PROBLEMS[name]
    s = late(problem)
    s = replace(s, Z=np.where((s.X != 0) | (s.E != 0), s.Z, 0.0))
    whole, _ = PHASE._advance(problem, FullSpace(problem, SETTINGS), s)
    workspace = PHASE._working_set(problem, s)
    assert workspace is not None
    entries = workspace.entries
    assert len(entries) < 0.1 * s.X.size
    for M in (s.X, s.E, whole.X, whole.E):
        np.testing.assert_array_equal(entries.put(entries.take(M)), M)
    part, out_of_bounds = PHASE._advance(problem, workspace, workspace.restricted(s))
    assert not out_of_bounds
    found = workspace.extended(s, part, FullSpace(problem, SETTINGS))
    for field in ("X", "E", "Z", "Y", "D", "G", "EY", "EG"):
        expected = getattr(whole, field)
        slack = 1e-10 * max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(getattr(found, field), expected, atol=slack, err_msg=field)
    assert found.gap == pytest.approx(whole.gap)
    assert (found.theta, found.monitor.iterations) == (whole.theta, whole.monitor.iterations)
    assert found.memory == s.memory


def test_epochs_come_nearer(s):
    problem, new = PROBLEMS["l1"], s
    for k in range(1, 11):
        new = PHASE._epoch(problem, new)
        assert s.monitor.iterations < new.monitor.iterations <= s.monitor.iterations + k * SETTINGS.epoch
    assert new.residual < 1e-4 * s.residual
    assert new.residual == max(new.stationarity, new.feasibility)
    D, G, right = FullSpace(problem, SETTINGS).products(new.E)
    for found, expected in [(new.D, D), (new.G, G), (new.EY, right(new.Y)), (new.EG, right(G))]:
        np.testing.assert_array_equal(found, expected)


def test_entries_far_from_the_manifold_are_not_followed(s):
    np.testing.assert_array_equal(phase(near=0.0)._epoch(PROBLEMS["l1"], s).X, s.X)


def test_the_whole_is_kept_where_a_working_set_does_not_pay(s, monkeypatch):
    problem = PROBLEMS["l1"]
    group = op.Problem(problem.smooth, op.nonsmooth.L21(0.5), SHAPE)
    general = op.Problem(op.smooth.Function(problem.smooth.value, problem.smooth.grad), problem.nonsmooth, SHAPE)
    dense = replace(s, E=s.E + 1e-3)
    early, there = with_residual(s, 1e9), with_residual(s, 0.0)
    for other, at in [(group, s), (general, s), (problem, dense), (problem, early), (problem, there)]:
        assert PHASE._epoch(other, at) is at
    assert phase(pairs=1.0)._epoch(problem, s) is s
    monkeypatch.setattr(products, "SMALL", 10**9)
    assert PHASE._epoch(problem, s) is s


def test_runs_with_and_without_working_sets_end_alike():
    """The same minimum up to what the path decides, with a certificate as good."""
    problem = PROBLEMS["l1"]
    X0 = op.starts.coordinates(problem, np.random.default_rng(0))
    with_sets = op.minimize(problem, X0)
    without = op.minimize(problem, X0, method=Adaptive(settings=replace(SETTINGS, pairs=0.0)))
    assert with_sets.converged
    assert with_sets.iterations < 0.7 * without.iterations
    assert with_sets.projected_objective == pytest.approx(without.projected_objective, rel=0.02)


def test_entries_take_part_that_are_nonzero_or_near_to_it(s):
    """|w| (c + r) / mu is 1 where the prox of w becomes nonzero: all above take part, and those
    below next to it.
    """
    problem = PROBLEMS["l1"]
    total = (1 + SETTINGS.smoothing) * s.c
    ratio = np.abs(PHASE._prox_argument(s)) * total / problem.nonsmooth.mu
    nonzero = (s.X != 0) | (s.E != 0)
    entries = PHASE._working_set(problem, s).entries
    taken = entries.put(np.ones((len(entries), 1))) > 0
    assert np.all(taken[nonzero | (ratio > 1)])
    near = taken & ~nonzero & (ratio < 1)
    assert np.any(near)
    assert np.min(ratio[near]) > np.max(ratio[~taken])


def test_residuals_of_a_working_set_are_compared_with_the_whole_gradient(s):
    part = PHASE._working_set(PROBLEMS["l1"], s).restricted(s)
    assert float(stiefel.norm(part.D)) < 0.99 * float(stiefel.norm(s.D))
    assert part.stationarity == pytest.approx(s.stationarity)
    assert part.feasibility == pytest.approx(s.feasibility)


def test_an_epoch_ends_where_the_step_rule_changes(s):
    """The next iteration ends a window, the second in a row without progress."""
    last = 2 * SETTINGS.window - 1
    slow = replace(s, monitor=StagnationMonitor(iterations=last, window_best=1e-9, previous_best=1e-9, slow=1, patience=2))
    assert PHASE._epoch(PROBLEMS["l1"], slow).monitor == StagnationMonitor(1)


def test_after_an_epoch_the_last_good_point_is_the_last(s):
    new = PHASE._epoch(PROBLEMS["l1"], s)
    assert not np.array_equal(new.X, s.X)
    np.testing.assert_array_equal(new.good, new.X)


def test_the_whole_is_kept_where_rounding_is_reached(s):
    there = with_residual(s, 1e-12)
    assert PHASE._epoch(PROBLEMS["l1"], there) is there


def test_overlaps_in_rows_and_columns_both_cost(s):
    counts = PHASE._working_set(PROBLEMS["l1"], s).entries.overlaps
    assert phase(pairs=max(counts) + min(counts) / 2)._epoch(PROBLEMS["l1"], s) is s
    assert phase(pairs=sum(counts))._epoch(PROBLEMS["l1"], s) is not s


def test_no_epoch_follows_a_step_with_which_the_last_step_rule_turns_out_slow(s):
    over = replace(s, monitor=StagnationMonitor(len(SETTINGS.margins)))
    assert PHASE._epoch(PROBLEMS["l1"], over) is over


class Weighted(op.nonsmooth.separable.Separable):
    """A term of the user's own that knows nothing about entries."""

    def __init__(self, mu):
        self.mu = mu

    def value(self, X):
        return np.sum(self.mu * np.abs(X))

    def prox(self, X, t):
        return X - np.clip(X, -t * self.mu, t * self.mu)

    def interval(self, X):
        return np.where(X > 0, self.mu, -self.mu), np.where(X < 0, -self.mu, self.mu)


class Elastic(op.nonsmooth.L1):
    """A term whose prox is not that of the one it derives from."""

    def prox(self, X, t):
        return super().prox(X, t) / (1 + t)


@pytest.mark.parametrize(
    "g",
    [Weighted(np.full(SHAPE, 0.5)), Weighted(np.full((SHAPE[0], 1), 0.5)), Weighted(np.full((1, SHAPE[1]), 0.5)), Elastic(0.5)],
)
def test_a_separable_term_that_does_not_act_on_entries_alone_keeps_the_whole(s, g):
    problem = op.Problem(PROBLEMS["l1"].smooth, g, SHAPE)
    assert PHASE._epoch(problem, s) is s


class Own(op.smooth.Quadratic):
    """A term with a method of that name, as many users have one."""

    def hessian(self, X, V):
        return self.A @ V


def test_a_method_called_hessian_is_no_matrix(s):
    ell = PROBLEMS["weights and a linear part"].smooth
    problem = op.Problem(Own(ell.A, ell.B), PROBLEMS["l1"].nonsmooth, SHAPE)
    assert PHASE._epoch(problem, s) is s
    small = op.Problem(Own(ell.A[:20, :20]), op.nonsmooth.L1(0.5), (20, 4))
    assert op.minimize(small, "random").converged
