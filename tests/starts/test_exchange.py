"""Exchange of columns: hops among a few columns and the rows that they have for themselves."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox._linalg.stiefel import defect
from orthoprox.nonsmooth import L1, L21
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.smooth import Quadratic, Variance
from orthoprox.starts import exchange
from orthoprox.starts.exchange import ROUND, SIZES, exchangeable, exchanged
from orthoprox.starts.points import Canonical
from orthoprox.stopping.clock import Deadline, Stopped

RNG, SIDE = np.random.default_rng, 2**-0.5
GAUSSIAN = op.problems.sparse_pca(normal(0, 50, 60) / 7, 30, 0.8)  # has many minima
PAIRS = op.problems.sparse_pca(np.linalg.cholesky(np.kron(np.eye(4), [[1, 0.9], [0.9, 1]])).T, 4, 0.5)


def coordinates(m, n):
    return np.eye(m, n)


def paired(*pairs):
    """Columns that join two variables each."""
    X = np.zeros((8, 4))
    for j, pair in enumerate(pairs):
        X[list(pair), j] = SIDE
    return X


def test_columns_are_exchanged_where_f_is_the_same_sum_over_columns():
    A, X = normal(0, 20, 6), coordinates(6, 3)
    H = -A.T @ A
    for ell in (Variance(A), Quadratic(H)):
        for mu in (0.5, np.full((6, 1), 0.5)):
            assert exchangeable(op.Problem(ell, L1(mu), (6, 3)), X)
    others = [L1(np.full((1, 3), 0.5)), L1(np.full((6, 3), 0.5)), L1(0.5, bound=0.9), L21(0.5)]
    assert not any(exchangeable(op.Problem(Variance(A), g, (6, 3)), X) for g in others)
    assert not exchangeable(op.Problem(Quadratic(H, normal(1, 6, 3)), L1(0.5), (6, 3)), X)
    own = op.smooth.Function(Variance(A).value, Variance(A).grad)
    assert not exchangeable(op.Problem(own, L1(0.5), (6, 3)), X)


def test_columns_need_rows_for_themselves():
    problem, X = op.Problem(Variance(normal(0, 20, 6)), L1(0.5), (6, 3)), coordinates(6, 3)
    assert exchangeable(problem, X)
    assert not exchangeable(problem, op.stiefel.random_point(6, 3, seed=0))
    X[:4, :2] = np.linalg.qr(normal(2, 4, 2))[0]  # four rows are shared, two are not
    assert not exchangeable(problem, X)


def test_the_right_pairs_are_found():
    """Four pairs of correlated variables, (1 + .9) / 1 of the variance for each column: from wrong
    pairs and from single variables the exchange comes to the minimum, a sum over the pairs.
    """
    right = paired((0, 1), (2, 3), (4, 5), (6, 7))
    lowest = 4 * (-1.9 + 0.5 * 2**0.5)
    assert PAIRS.value(right) == pytest.approx(lowest)
    for start in (paired((0, 2), (1, 3), (4, 6), (5, 7)), coordinates(8, 4)):
        assert PAIRS.value(start) > lowest + 1
        X, value = exchanged(PAIRS, start, RNG(0), 1000, 50)
        assert value == pytest.approx(lowest)
        np.testing.assert_allclose(sorted(map(tuple, np.abs(X).T)), sorted(map(tuple, right.T)), atol=1e-6)


@pytest.fixture(scope="module")
def minimiser():
    return op.minimize(GAUSSIAN, "coordinates").X


def test_a_lower_point_of_the_manifold_is_found(minimiser):
    """By a percent and more on Gaussian data, with the f that is told."""
    X, value = exchanged(GAUSSIAN, minimiser, RNG(0), 500, 50)
    assert np.linalg.norm(defect(X)) < 1e-6
    assert value == float(GAUSSIAN.value(X)) < 1.01 * float(GAUSSIAN.value(minimiser))  # both are negative
    again, _ = exchanged(GAUSSIAN, minimiser, RNG(0), 500, 50)
    np.testing.assert_array_equal(X, again)


def test_f_never_rises(minimiser):
    values = [exchanged(GAUSSIAN, minimiser, RNG(1), ROUND * k + 1, 50)[1] for k in range(12)]
    assert all(later <= earlier for earlier, later in pairwise(values))
    assert values[-1] < values[0] == float(GAUSSIAN.value(minimiser))


def test_the_order_of_features_is_all_the_same(minimiser):
    order = RNG(3).permutation(60)
    permuted = op.problems.sparse_pca(GAUSSIAN.smooth.A[:, order], 30, 0.8)
    X, _ = exchanged(GAUSSIAN, minimiser, Canonical(RNG(0), GAUSSIAN), 200, 50)
    Z, _ = exchanged(permuted, minimiser[order], Canonical(RNG(0), permuted), 200, 50)
    np.testing.assert_allclose(Z, X[order], atol=1e-9)


@pytest.mark.parametrize("gradients", [0, ROUND, 100])
def test_the_work_is_counted_and_within_what_is_allowed(minimiser, gradients):
    work = Work()
    X, _ = exchanged(counted(GAUSSIAN, work), minimiser, RNG(0), gradients, 50)
    assert work.gradients <= max(1, gradients)
    assert work.gradients % ROUND == 1
    assert np.array_equal(X, minimiser) == (gradients <= ROUND)


def test_rounds_in_vain_are_the_end():
    """One gradient at first and six for each round."""
    work = Work()
    right = paired((0, 1), (2, 3), (4, 5), (6, 7))
    X, _ = exchanged(counted(PAIRS, work), right, RNG(0), 1000, 2)
    assert work.gradients == 1 + 2 * len(SIZES) * ROUND
    np.testing.assert_array_equal(X, right)


def test_a_call_that_has_to_end_ends_here(minimiser):
    """At the next gradient, not at the end of the search."""
    deadline = Deadline(1e-9)
    with pytest.raises(Stopped):
        exchanged(counted(GAUSSIAN, Work(), deadline), minimiser, RNG(0), 500, 50)


def test_what_is_found_when_time_is_over_is_returned(minimiser):
    """f there is the value that is returned, and lower than before."""

    class After:
        looks = 0

        def heed(self):
            self.looks += 1
            if self.looks > 60 * ROUND:
                raise Stopped

        def call(self, function, *arguments):
            return function(*arguments)

    X, value = exchanged(counted(GAUSSIAN, Work(), After()), minimiser, RNG(0), np.inf, 50)
    assert value == pytest.approx(float(GAUSSIAN.value(X)))
    assert value < float(GAUSSIAN.value(minimiser))


@pytest.mark.parametrize("shifted", [False, True], ids=["concave", "indefinite"])
def test_a_step_does_not_raise_f_of_a_column(shifted):
    """The model that it minimises lies above f, with the whole penalty and a block for each
    column.
    """
    C = normal(4, 40, 40)
    ell = Quadratic(C + C.T) if shifted else Variance(C)
    problem = op.Problem(ell, L1(1.0), (40, 5))
    Z, own = np.zeros((40, 5)), np.arange(40)[:, None] % 5 == np.arange(5)
    Z[own] = RNG(5).standard_normal(40)
    Z /= np.linalg.norm(Z, axis=0)
    shift = ell.lipschitz if shifted else 0.0
    before = exchange._values(problem, Z, problem.grad(Z))
    assert np.sum(before) == pytest.approx(float(problem.value(Z)))
    for _ in range(5):
        Z = exchange._settled(problem, Z, own, shift, 1.0)
        after = exchange._values(problem, Z, problem.grad(Z))
        assert np.all(after <= before + 1e-12)
        assert not np.any(Z[~own])
        before = after


def test_supports_of_columns_that_compete_are_disjoint():
    X = op.stiefel.random_point(60, 30, seed=0)
    Z = exchange._settled(GAUSSIAN, X, np.ones((60, 30), bool), 0.0)
    assert np.max(np.count_nonzero(Z, axis=1)) == 1
    np.testing.assert_allclose(Z.T @ Z, np.eye(30), atol=1e-12)


def test_blocks_have_columns_that_depend_on_each_other_and_their_rows_alone():
    """Columns 0 and 1 share a row; of two blocks of two columns one has them both, whatever the
    random numbers. A row that two blocks use belongs to none.
    """
    X = np.zeros((9, 4))
    X[0, 0] = X[1, 1] = X[2, 2] = X[3, 3] = 1.0
    D = np.zeros((9, 4))
    D[1, 0] = D[0, 1] = D[3, 2] = D[2, 3] = -1.0
    for seed in range(5):
        block = exchange._blocks(X, D, RNG(seed), 2)
        assert sorted(set(block)) == [0, 1]
        assert block[0] == block[1] != block[2] == block[3]
    X[8, [1, 2]] = 0.5
    rows = exchange._rows(X, D, block, RNG(0))
    assert list(rows[:4]) == list(block)
    assert rows[8] == -1
    assert set(rows[4:8]) <= {0, 1}
