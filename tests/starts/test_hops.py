"""Hops from a minimiser in soft directions, and what slow first-order steps mean for a search."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox._adaptive.small import SMALL
from orthoprox._linalg.stiefel import defect
from orthoprox.starts import points, search

MODES = op.problems.compressed_modes(128, 3, 0.2)
TABLE = op.problems.sparse_pca(normal(0, 60, 13), 3, 10.0)


@pytest.fixture(scope="module")
def minimiser():
    result = op.minimize(MODES)
    return result.X, result.multiplier


@pytest.mark.parametrize("decomposed", [0, 1000], ids=["conjugate gradients", "factorisation"])
def test_a_mode_is_shifted_along_the_grid(minimiser, decomposed, monkeypatch):
    """f rises little for the length of the hop, which keeps the zeros that all modes share."""
    monkeypatch.setattr(points, "SMALL", op.solvers.Adaptive().small.__class__(decomposed=decomposed))
    X, Y = minimiser
    random = np.random.default_rng(1).standard_normal(X.shape)
    away = points.polar(X + 0.2 * 3**0.5 * random / np.linalg.norm(random))
    for Z in points.shifted(MODES, X, Y, np.random.default_rng(1), [0.2] * 3):
        assert np.linalg.norm(defect(Z)) < 1e-13
        assert 0.1 <= np.linalg.norm(Z - X) <= 0.2 * 3**0.5 + 0.05
        assert MODES.value(Z) - MODES.value(X) < 0.1 * (MODES.value(away) - MODES.value(X))
        assert not np.any(Z[~np.any(X, axis=1)])


def test_a_stiff_minimiser_has_no_soft_direction():
    result = op.minimize(TABLE)
    assert points.shifted(TABLE, result.X, result.multiplier, np.random.default_rng(0), [0.2, 0.1]) == []


def test_hops_in_soft_directions_find_the_lowest_modes(monkeypatch):
    """From a start whose run ends where two modes overlap, within the work of the run; hops to
    neighbours lead nowhere here.
    """
    pytest.importorskip("numba")
    monkeypatch.setattr("orthoprox._run.hops.neighbours", lambda problem, X, rng, number, fresh: [X])
    efforts = [(seed, effort) for seed in range(4) for effort in ("fast", "normal")]
    ends = [op.minimize(MODES, "random", seed=seed, effort=effort, compiled=True) for seed, effort in efforts]
    found = [result.objective for result in ends]
    lowest = min(found)
    fast, normal = found[::2], found[1::2]
    assert all(two <= one + 1e-12 for one, two in zip(fast, normal, strict=True))
    assert sum(two <= lowest * (1 + 1e-6) for two in normal) > sum(one <= lowest * (1 + 1e-6) for one in fast)


def test_where_first_order_steps_are_slow_the_starts_are_compared():
    """A probe that is far from a stationary point after all its iterations tells nothing."""
    problem = op.problems.compressed_modes(256, 4, 0.1)
    starts = [op.starts.random(problem, np.random.default_rng(0)), op.starts.rotated(problem, np.random.default_rng(0))]
    ends = search.probe_ends(problem, starts)
    assert [value for value, _ in ends] == sorted(float(problem.value(X)) for X in starts)
    np.testing.assert_array_equal(ends[0][1], starts[1])
    table = [op.starts.random(TABLE, np.random.default_rng(seed)) for seed in range(SMALL.stack)]
    assert search.probe_ends(TABLE, table)[0][0] < min(float(TABLE.value(X)) for X in table)


def test_the_subspace_of_a_sparse_quadratic_is_accurate():
    """Rotations begin at eigenvectors; a singular matrix and many columns are no obstacle."""
    problem = op.problems.compressed_modes(256, 4, 0.1)
    V = points._subspace(problem, np.random.default_rng(0))
    lowest = np.sum(np.linalg.eigvalsh(problem.smooth.A.toarray())[:4])
    assert np.trace(V.T @ problem.smooth.A @ V) == pytest.approx(lowest, abs=1e-8)
    square = op.problems.compressed_modes(6, 6, 0.1)
    assert points._subspace(square, np.random.default_rng(0)).shape == (6, 6)


def test_a_column_grows_to_a_cluster_that_single_variables_do_not_see():
    """Two variables with a correlation of .9 are lower together than each alone, though each alone
    is a minimum: 2 C_12 < mu. The column takes rows that the others leave free.
    """
    C = np.eye(6)
    C[2, 3] = C[3, 2] = 0.9
    problem = op.problems.sparse_pca(np.linalg.cholesky(C).T, 2, 2.0)
    X = np.eye(6)[:, :2]
    for j, Z in zip((1, 0), points.grown(problem, X, np.array([1, 0])), strict=True):
        np.testing.assert_allclose(np.abs(Z[:, j]), [0, 0, 0.5**0.5, 0.5**0.5, 0, 0], atol=1e-2)
        np.testing.assert_array_equal(Z[:, 1 - j], X[:, 1 - j])
        assert problem.value(Z) < problem.value(X)


def test_columns_grow_only_where_g_is_the_same_function_of_each():
    X = np.eye(13)[:, :2]
    for g, grows in ((op.nonsmooth.L1(np.arange(1.0, 14.0)[:, None]), True), (op.nonsmooth.L1([1.0, 2.0]), False)):
        problem = op.Problem(op.smooth.Variance(normal(0, 60, 13)), g, (13, 2))
        assert bool(points.grown(problem, X, np.array([0]))) is grows
    problem = op.Problem(op.smooth.Variance(normal(0, 60, 13)), op.nonsmooth.L21(1.0), (13, 2))
    assert points.grown(problem, X, np.array([0])) == []


def test_a_column_grows_in_rows_that_the_others_leave_free():
    """The closest pair of variables is taken by the column that stays."""
    C = np.eye(6)
    C[0, 1] = C[1, 0] = 0.95
    C[2, 3] = C[3, 2] = 0.9
    problem = op.problems.sparse_pca(np.linalg.cholesky(C).T, 2, 2.0)
    X = np.zeros((6, 2))
    X[:2, 0], X[5, 1] = 0.5**0.5, 1
    (Z,) = points.grown(problem, X, np.array([1]))
    assert set(np.flatnonzero(Z[:, 1])) == {2, 3}
