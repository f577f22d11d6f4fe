"""The start for wide data: a homotopy in the threshold."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.starts import wide
from orthoprox.starts.points import Canonical, random
from orthoprox.starts.search import is_wide, search
from orthoprox.starts.wide import homotopy
from wide_problems import MU, PLANTED, TRUTH, A, N, data
from within_calls import Clock

RNG = np.random.default_rng


def found(problem, rng=None):
    rng = RNG(0) if rng is None else rng
    return homotopy(problem, random(problem, rng), rng)


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_planted_factors_that_principal_components_do_not_show(seed):
    A, truth = data(seed)
    problem = op.problems.sparse_pca(A, N, MU)
    X = found(problem)
    np.testing.assert_allclose(X.T @ X, np.eye(N), atol=1e-12)
    assert np.all(np.max(np.abs(truth.T @ X), axis=1) > 0.9)
    assert float(problem.value(X)) < float(problem.value(op.starts.pca(problem))) - 10


@pytest.mark.parametrize(
    "g",
    [op.nonsmooth.MCP(2.0), op.nonsmooth.SCAD(2.0), op.nonsmooth.L21(2.5), op.nonsmooth.L1(np.full((A.shape[1], N), MU))],
    ids=["mcp", "scad", "l21", "weights"],
)
def test_other_penalties_go_by_their_prox(g):
    problem = op.Problem(PLANTED.smooth, g, PLANTED.shape)
    X = found(problem)
    assert float(problem.value(X)) <= 0.97 * float(problem.value(TRUTH))  # both are negative
    assert np.linalg.norm(TRUTH.T @ X) > 0.9 * N**0.5


def test_permuted_features_have_the_permuted_start():
    order = RNG(5).permutation(A.shape[1])
    permuted = op.problems.sparse_pca(A[:, order], N, MU)
    X, Z = found(PLANTED, Canonical(RNG(0), PLANTED)), found(permuted, Canonical(RNG(0), permuted))
    np.testing.assert_allclose(Z, X[order], atol=1e-5)  # found in single precision


def test_a_rotation_lowers_g_and_keeps_l():
    """From a rotation of the planted columns it finds columns as sparse as they are."""
    Q = np.linalg.qr(RNG(1).standard_normal((N, N)))[0]
    begin = wide._found(PLANTED, TRUTH @ Q)
    end = wide._rotated(PLANTED, begin)
    g = PLANTED.nonsmooth.value
    assert g(begin.X) > 1.2 * g(TRUTH)
    assert g(end.X) == pytest.approx(g(TRUTH), rel=1e-6)
    assert float(PLANTED.smooth.value(end.X)) == pytest.approx(float(PLANTED.smooth.value(begin.X)))
    assert end.f == pytest.approx(float(PLANTED.value(end.X)))
    np.testing.assert_allclose(end.D, PLANTED.grad(end.X), atol=1e-10)


def test_a_rotation_that_does_not_help_is_not_made():
    begin = wide._found(PLANTED, TRUTH)
    assert wide._rotated(PLANTED, begin).f <= begin.f


@pytest.mark.parametrize(("n", "mu"), [(5, 2.0), (10, 0.5)])
def test_rotations_lead_lower_where_components_mix(monkeypatch, n, mu):
    problem = op.problems.sparse_pca(op.datasets.five_components(60, 2000, seed=0), n, mu)
    value = float(problem.value(found(problem)))
    monkeypatch.setattr(wide, "_rotated", lambda problem, found: found)
    assert value < float(problem.value(found(problem))) - 0.1


def test_its_work_is_counted(monkeypatch):
    """Each gradient and each prox, also on some rows."""
    calls = {"grad": 0, "prox": 0}

    def counting(kind, name):
        original = getattr(kind, name)

        def method(self, *arguments):
            calls[name] += 1
            return original(self, *arguments)

        monkeypatch.setattr(kind, name, method)

    counting(op.smooth.Variance, "grad")
    counting(op.nonsmooth.L1, "prox")
    monkeypatch.setattr(
        op.smooth.Variance, "value_and_grad", lambda self, X: (self.value(X), self.grad(X))
    )  # which counts once
    work = Work()
    found(counted(PLANTED, work))
    assert (work.gradients, work.proxes) == (calls["grad"], calls["prox"])
    assert work.gradients > 0


def test_a_factor_of_work_allows_more_repairs():
    """With more columns than factors repairs fail in the end; more of them may."""
    problem, gradients = op.problems.sparse_pca(A, 2 * N, MU), []
    values = []
    for factor in (1.0, 10.0):
        work = Work()
        values.append(float(problem.value(homotopy(counted(problem, work), random(problem, RNG(0)), RNG(0), factor))))
        gradients.append(work.gradients)
    assert gradients[1] > 2 * gradients[0]
    assert values[1] <= values[0] + 1e-6 * abs(values[0])


def test_several_starts_are_different_ends():
    first, second = search(PLANTED, RNG(0), 2)
    assert not np.array_equal(first, second)
    for X in (first, second):
        np.testing.assert_allclose(X.T @ X, np.eye(N), atol=1e-12)
        assert float(PLANTED.value(X)) < float(PLANTED.value(op.starts.pca(PLANTED))) - 10


@pytest.mark.parametrize("left", [0, 3, 30, 60])
def test_when_time_is_over_it_is_the_best_point_so_far(left):
    problem = counted(PLANTED, Work(), Clock(left))
    X = homotopy(problem, random(PLANTED, RNG(0)), RNG(0))
    np.testing.assert_allclose(X.T @ X, np.eye(N), atol=1e-12)


def test_a_vanished_column_becomes_a_coordinate_vector():
    """With a weight beyond all gradients nothing is left but single features."""
    problem = op.problems.sparse_pca(A, N, 1e3)
    X = found(problem)
    assert np.count_nonzero(X) == N
    assert float(problem.value(X)) <= 1e3 * N


def test_the_search_takes_the_lowest(monkeypatch):
    """Another start wins if its probe ends lower."""
    assert is_wide(PLANTED)
    monkeypatch.setattr("orthoprox.starts.search.homotopy", lambda problem, X, rng, factor: np.eye(*problem.shape))
    (X,) = search(PLANTED, RNG(0))
    assert np.count_nonzero(X) > N


def test_another_start_is_handed_on_where_its_probe_ended(monkeypatch):
    """Principal components use all rows; a run on few rows begins at the end of their probe."""
    monkeypatch.setattr("orthoprox.starts.search.homotopy", lambda problem, X, rng, factor: np.eye(*problem.shape))
    (X,) = search(PLANTED, RNG(0))
    assert np.count_nonzero(np.any(X != 0, axis=1)) < A.shape[1] / 2
    np.testing.assert_allclose(X.T @ X, np.eye(N), atol=1e-12)
    assert float(PLANTED.value(X)) < float(PLANTED.value(op.starts.pca(PLANTED)))


def test_what_is_wide_depends_on_the_shape_alone():
    def problem(p, m):
        return op.problems.sparse_pca(np.ones((p, m)), N, MU)

    assert is_wide(problem(1000, 2000))
    assert not is_wide(problem(1001, 2000))
    assert not is_wide(problem(10, 1999))
