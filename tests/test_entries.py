"""Matrices that are known by some of their entries: the same numbers as with whole matrices."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from cases import normal, symmetric
from orthoprox._adaptive import first_order, parameter_rules, working_set
from orthoprox._adaptive.stagnation import STEP_RULES, Watch
from orthoprox._adaptive.workspace import FullSpace
from orthoprox._linalg import packed as room
from orthoprox._linalg import products
from orthoprox._linalg.packed import PackedEntries
from orthoprox._linalg.stiefel import norm
from orthoprox.solvers import Adaptive

M, N = 30, 12
MASK = np.random.default_rng(0).random((M, N)) < 0.2
MASK[3], MASK[:, 5] = False, False  # an empty row and an empty column


@pytest.fixture(params=["numba", "numpy"], autouse=True)
def way(request, monkeypatch):
    """Both ways to multiply: by compiled loops, and by NumPy where numba is not installed."""
    if request.param == "numpy":
        monkeypatch.setattr(room, "kernels", None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_entries_are_those_of_matrices(dtype):
    at, tight = PackedEntries(MASK), {"rtol": 100 * np.finfo(dtype).eps, "atol": 100 * np.finfo(dtype).eps}
    X, Y = (np.where(MASK, normal(k, M, N), 0).astype(dtype) for k in (1, 2))
    H, S = symmetric(3, M).astype(dtype), symmetric(4, N).astype(dtype)
    x, y = at.take(X), at.take(Y)
    np.testing.assert_array_equal(at.put(x), X)
    np.testing.assert_allclose(at.within_columns(H) @ x, at.take(H @ X), **tight)
    np.testing.assert_allclose(at.right(x, S[at.pairs].reshape(-1, 1)), at.take(X @ S), **tight)
    cross = np.zeros((N, N), dtype)
    cross[at.pairs] = at.cross(x, y)[:, 0]
    np.testing.assert_allclose(cross, X.T @ Y, **tight)
    assert {at.right(x, S[at.pairs].reshape(-1, 1)).dtype, at.cross(x, y).dtype, at.put(x).dtype} == {np.dtype(dtype)}


def test_meetings_are_counted():
    at, counts = PackedEntries(MASK), MASK.astype(int)
    assert at.overlaps == (np.sum(counts.sum(axis=1) ** 2), np.sum(counts.sum(axis=0) ** 2))
    assert at.within_columns(symmetric(0, M)).nnz == at.overlaps[1]
    assert len(at) == np.sum(MASK)


def test_what_broadcasts_is_taken_as_the_matrix_that_it_stands_for():
    at = PackedEntries(MASK)
    assert at.take(0.5) == 0.5
    for part in (normal(0, N), normal(0, 1, N), normal(0, M, 1), normal(0, M, N)):
        np.testing.assert_array_equal(at.take(part), at.take(np.broadcast_to(part, (M, N)).copy()))


@pytest.mark.parametrize(
    "g",
    [
        op.nonsmooth.L1(0.3),
        op.nonsmooth.L1(np.abs(normal(0, M, N)), bound=0.7),
        op.nonsmooth.L1(np.abs(normal(0, M, 1))),
        op.nonsmooth.Box(-np.abs(normal(1, 1, N)), 0.4),
        op.nonsmooth.Nonnegative(),
        op.nonsmooth.MCP(0.3),
        op.nonsmooth.SCAD(0.3),
    ],
)
def test_a_separable_term_acts_on_the_entries_alone(g):
    at, W = PackedEntries(MASK), normal(5, M, N)
    np.testing.assert_array_equal(g.at(at).prox(at.take(W), 0.4), at.take(g.prox(W, 0.4)))


@pytest.mark.parametrize("ell", [op.smooth.Variance(normal(6, 50, M)), op.smooth.Quadratic(symmetric(7, M), normal(8, M, N))])
def test_a_quadratic_shows_its_second_derivative(ell):
    X = normal(9, M, N)
    np.testing.assert_allclose(ell.hessian @ X, ell.grad(X) - ell.grad(0 * X), atol=1e-10)


def test_a_quadratic_without_a_matrix_does_not():
    assert op.smooth.Variance(normal(6, 3, M)).hessian is None
    assert op.smooth.Quadratic(op.smooth.quadratic.sp.csr_array(symmetric(7, M))).hessian is None


# --- LSALM on some entries --------------------------------------------------------------------------------------------

SHAPE = 240, 120
DATA = op.datasets.five_components(300, SHAPE[0], seed=0)
LINEAR = op.smooth.Quadratic(-2 * DATA.T @ DATA, 0.1 * normal(0, *SHAPE))
PROBLEMS = {
    "l1": op.problems.sparse_pca(DATA, SHAPE[1], 0.5),
    "weights and a linear part": op.Problem(LINEAR, op.nonsmooth.L1(0.5 + 0.1 * normal(1, 1, SHAPE[1]) ** 2), SHAPE),
}


def late(problem, steps=60):
    """The iterates late in a run that looks at all entries."""
    lsalm, _ = first_order.first(problem, op.stiefel.polar(op.starts.coordinates(problem, np.random.default_rng(0))))
    state = Adaptive(newton=False).init(problem, lsalm.X)
    for _ in range(steps):
        state = Adaptive(newton=False).step(problem, state)
    return state.lsalm


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_step_on_all_that_is_nonzero_is_a_step(name):
    """Where the entries are those that are nonzero before or after it, a step on them is the step of the whole."""
    problem = PROBLEMS[name]
    s = late(problem)
    s = replace(s, Z=np.where((s.X != 0) | (s.E != 0), s.Z, 0.0))
    whole = first_order.step(FullSpace(problem), s)
    part = working_set._part(problem, s)
    assert part is not None
    at = part.entries
    assert len(at) < 0.1 * s.X.size
    for M in (s.X, s.E, whole.X, whole.E):
        np.testing.assert_array_equal(at.put(at.take(M)), M)
    found = working_set._extended(problem, s, first_order.step(part, working_set._restricted(s, at)), at)
    for field in ("X", "E", "Z", "Y", "D", "G", "EY", "EG"):
        expected = getattr(whole, field)
        slack = 1e-10 * max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(getattr(found, field), expected, atol=slack, err_msg=field)
    assert (found.gap, found.theta, found.watch.iterations) == (pytest.approx(whole.gap), whole.theta, whole.watch.iterations)
    assert found.scale == s.scale


def test_some_steps_on_the_entries_come_nearer():
    problem = PROBLEMS["l1"]
    s = late(problem)
    new = s
    for k in range(1, 11):
        new = working_set.sweep(problem, new)
        assert s.watch.iterations < new.watch.iterations <= s.watch.iterations + k * working_set._STEPS
    assert max(new.stationarity, new.feasibility) < 1e-4 * max(s.stationarity, s.feasibility)
    D, G, right = FullSpace(problem).products(new.E)
    for found, expected in [(new.D, D), (new.G, G), (new.EY, right(new.Y)), (new.EG, right(G))]:
        np.testing.assert_array_equal(found, expected)


def test_entries_far_from_the_manifold_are_not_followed(monkeypatch):
    monkeypatch.setattr(working_set._pace, "AWAY", 0.0)
    s = late(PROBLEMS["l1"])
    np.testing.assert_array_equal(working_set.sweep(PROBLEMS["l1"], s).X, s.X)


def test_the_whole_is_kept_where_a_part_does_not_pay(monkeypatch):
    problem = PROBLEMS["l1"]
    s = late(problem)
    group = op.Problem(problem.smooth, op.nonsmooth.L21(0.5), SHAPE)
    general = op.Problem(op.smooth.Function(problem.smooth.value, problem.smooth.grad), problem.nonsmooth, SHAPE)
    dense = replace(s, E=s.E + 1e-3)
    early, there = replace(s, gap=1e9), replace(s, gap=0.0, G=0 * s.G)
    for other, at in [(group, s), (general, s), (problem, dense), (problem, early), (problem, there)]:
        assert working_set.sweep(other, at) is at
    monkeypatch.setattr(working_set, "_MEETINGS", 0.01)
    assert working_set.sweep(problem, s) is s
    monkeypatch.setattr(products, "_SMALL", 10**9)
    assert working_set.sweep(problem, s) is s


def test_runs_with_and_without_parts_end_alike(monkeypatch):
    """The same minimum up to what the path decides, with a certificate as good."""
    problem = PROBLEMS["l1"]
    X0 = op.starts.coordinates(problem, np.random.default_rng(0))
    with_parts = op.minimize(problem, X0)
    monkeypatch.setattr(working_set, "_BEGIN", 0.0)
    without = op.minimize(problem, X0)
    assert with_parts.converged
    assert with_parts.iterations < 0.7 * without.iterations
    assert with_parts.projected_objective == pytest.approx(without.projected_objective, rel=5e-3)


@pytest.fixture(scope="module")
def s():
    return late(PROBLEMS["l1"])


def test_entries_take_part_that_are_nonzero_or_near_to_it(s):
    """A tenth longer, the point whose prox is taken would make them nonzero: |1.1 w| > mu / (c + r)."""
    problem = PROBLEMS["l1"]
    step = 1 / (1.05 * parameter_rules.penalty(s.c, s.grip * s.pull)[1])
    nonzero = (s.X != 0) | (s.E != 0)
    expected = (1.1 * np.abs(first_order.target(s)) > step * problem.nonsmooth.mu) | nonzero
    assert np.any(expected & ~nonzero)
    at = working_set._part(problem, s).entries
    np.testing.assert_array_equal(at.put(np.ones((len(at), 1))), expected)


def test_residuals_of_a_part_are_compared_with_the_whole_gradient(s):
    at = working_set._part(PROBLEMS["l1"], s).entries
    part = working_set._restricted(s, at)
    assert float(norm(part.D)) < 0.99 * float(norm(s.D))
    assert part.stationarity == pytest.approx(s.stationarity)
    assert part.feasibility == pytest.approx(s.feasibility)


def test_a_sweep_ends_where_the_gait_changes(s):
    slow = replace(s, watch=Watch(iterations=99, least=1e-9, before=1e-9, slow=1))
    assert working_set.sweep(PROBLEMS["l1"], slow).watch == Watch(1)


@pytest.mark.parametrize(("iterations", "measured"), [(45, True), (51, False)])
def test_the_pull_is_measured_once_its_time_has_come(s, monkeypatch, iterations, measured):
    problem = PROBLEMS["l1"]
    monkeypatch.setattr(working_set, "_GAIN", 0.0)
    monkeypatch.setattr(working_set, "_STEPS", 10)
    before = replace(s, pull=0.9 * s.pull, watch=Watch(iterations=iterations))
    new = working_set.sweep(problem, before)
    assert new.watch.iterations == iterations + 10
    now = parameter_rules.penalty_threshold(problem, new.E, new.D, parameter_rules.subgradient(problem, new.X, new.c))
    assert now > 0
    assert now != pytest.approx(before.pull)
    assert new.pull == (now if measured else before.pull)
    assert working_set._part(problem, before).pull(s.E, s.D, s.D) == before.pull


def test_after_a_sweep_the_last_good_point_is_the_last(s):
    new = working_set.sweep(PROBLEMS["l1"], s)
    assert not np.array_equal(new.X, s.X)
    np.testing.assert_array_equal(new.good, new.X)


def test_a_part_is_left_alone_where_rounding_is_reached(s):
    there = replace(s, gap=1e-12 * float(norm(s.D)), G=0 * s.G)
    assert working_set.sweep(PROBLEMS["l1"], there) is there


def test_meetings_in_rows_and_columns_both_cost(s, monkeypatch):
    counts = working_set._part(PROBLEMS["l1"], s).entries.overlaps
    monkeypatch.setattr(working_set, "_MEETINGS", (max(counts) + min(counts) / 2) / s.X.size)
    assert working_set.sweep(PROBLEMS["l1"], s) is s


# --- fail at e8fffdf ----------------------------------------------------------------------------------------------------


def test_no_part_follows_a_step_with_which_the_last_gait_turns_out_slow(s):
    over = replace(s, watch=Watch(len(STEP_RULES)))
    assert working_set.sweep(PROBLEMS["l1"], over) is over


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
    assert working_set.sweep(problem, s) is s


class Own(op.smooth.Quadratic):
    """A term with a method of that name, as many users have one."""

    def hessian(self, X, V):
        return self.A @ V


def test_a_method_called_hessian_is_no_matrix(s):
    ell = PROBLEMS["weights and a linear part"].smooth
    problem = op.Problem(Own(ell.A, ell.B), PROBLEMS["l1"].nonsmooth, SHAPE)
    assert working_set.sweep(problem, s) is s
    small = op.Problem(Own(ell.A[:20, :20]), op.nonsmooth.L1(0.5), (20, 4))
    assert op.minimize(small, "random").converged
