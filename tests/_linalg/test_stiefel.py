"""Geometry of the Stiefel manifold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal, symmetric
from orthoprox._linalg import stiefel

SHAPES = st.sampled_from([(1, 1), (5, 1), (5, 3), (4, 4), (30, 6)])


def conditioned(seed, m, n, smallest):
    """A matrix with singular values between 1 and ``smallest``."""
    U, V = (np.linalg.qr(normal(seed + k, rows, n))[0] for k, rows in enumerate((m, n)))
    return U @ (np.geomspace(1, smallest, n)[:, None] * V.T)


@given(seed=SEEDS)
@EXAMPLES
def test_sym_is_the_projection_on_symmetric_matrices(seed):
    """sym(M) is symmetric, M - sym(M) is orthogonal to all symmetric matrices, and sym(sym(M)) =
    sym(M).
    """
    M, S = normal(seed, 4, 4), symmetric(seed + 1, 4)
    np.testing.assert_array_equal(stiefel.sym(M), stiefel.sym(M).T)
    assert abs(stiefel.inner(M - stiefel.sym(M), S)) <= 1e-13 * stiefel.norm(M) * stiefel.norm(S)
    np.testing.assert_array_equal(stiefel.sym(stiefel.sym(M)), stiefel.sym(M))


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_defect_is_zero_on_the_manifold_only(seed, shape):
    """X'X - I is symmetric, entry by entry what it says, and 0 exactly where the columns are
    orthonormal.
    """
    X = normal(seed, *shape)
    np.testing.assert_allclose(stiefel.defect(X), X.T @ X - np.eye(shape[1]), atol=1e-13)
    Q = np.linalg.qr(X)[0]
    assert stiefel.norm(stiefel.defect(Q)) <= 1e-13
    assert stiefel.norm(stiefel.defect(1.1 * Q)) == pytest.approx(0.21 * shape[1] ** 0.5)


@given(seed=SEEDS, shape=SHAPES, smallest=st.sampled_from([1.0, 0.5, 0.11, 0.09, 1e-3, 1e-9]))
@EXAMPLES
def test_polar_is_the_factor_of_the_svd(seed, shape, smallest):
    """polar(U S V') = U V', on both sides of the switch at the condition number 10."""
    X = conditioned(seed, *shape, smallest)
    U, _, Vt = np.linalg.svd(X, full_matrices=False)
    P = stiefel.polar(X)
    assert stiefel.norm(stiefel.defect(P)) <= 1e-12
    assert stiefel.norm(P - U @ Vt) <= 1e-14 / smallest + 1e-12
    S = P.T @ X  # X = P S with S symmetric and nonnegative
    assert stiefel.norm(S - S.T) <= 1e-12
    assert np.min(np.linalg.eigvalsh(stiefel.sym(S))) >= -1e-12


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("off", [0.0, 0.1, 0.9, 1.1, 10.0, 1e4])
@pytest.mark.parametrize("sparse", [False, True])
def test_polar_next_to_the_manifold(dtype, off, sparse):
    """The series serves up to |X'X - I| = root of the precision, with sparse products where X is
    large and sparse.
    """
    eps = np.finfo(dtype).eps
    X = np.eye(400, 60) if sparse else stiefel.random_point(30, 5, seed=0)
    if sparse:  # pairs of columns that share two rows
        X[0:60:2, 1:60:2] = np.diag(np.full(30, 0.6))
        X[1:60:2, 1:60:2] = np.diag(np.full(30, 0.8))
        X[0:60:2, 0:60:2] = np.diag(np.full(30, 0.8))
        X[1:60:2, 0:60:2] = np.diag(np.full(30, -0.6))
    S = normal(3, X.shape[1], X.shape[1])
    X = (X + X @ (off * eps**0.5 / (2 * stiefel.norm(stiefel.sym(S))) * stiefel.sym(S))).astype(dtype)
    U, _, Vt = np.linalg.svd(X.astype(float), full_matrices=False)
    P = stiefel.polar(X)
    assert P.dtype == dtype
    assert stiefel.norm(P - U @ Vt) <= 20 * eps * X.shape[1] ** 0.5


def test_polar_of_integers_is_that_of_the_same_numbers():
    np.testing.assert_array_equal(stiefel.polar(np.eye(4, 2, dtype=int)), np.eye(4, 2))
    X = np.array([[1, 2], [3, 4], [5, 7]])
    np.testing.assert_allclose(stiefel.polar(X), stiefel.polar(X.astype(float)))


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_polar_is_the_nearest_point(seed, shape):
    """No point of the manifold is nearer to X than polar(X)."""
    X = normal(seed, *shape)
    nearest = stiefel.norm(X - stiefel.polar(X))
    for k in range(1, 6):
        far = stiefel.random_point(*shape, seed=seed + k)
        close = np.linalg.qr(stiefel.polar(X) + 1e-3 * normal(seed + k, *shape))[0]
        close = close * np.sign(np.sum(close * stiefel.polar(X), axis=0))
        assert nearest <= stiefel.norm(X - far) + 1e-12
        assert nearest <= stiefel.norm(X - close) + 1e-12


@pytest.mark.parametrize("shape", [(5, 3), (4, 4), (5, 1)])
def test_polar_of_a_singular_matrix_is_on_the_manifold(shape):
    """Even where the nearest point is not unique, one of them is returned."""
    X = np.zeros(shape)
    assert stiefel.norm(stiefel.defect(stiefel.polar(X))) <= 1e-13
    X[:, 0] = 1.0
    P = stiefel.polar(X)
    assert stiefel.norm(stiefel.defect(P)) <= 1e-13
    assert stiefel.inner(P, X) == pytest.approx(stiefel.norm(X))  # the sum of the singular values of X


@pytest.mark.parametrize("smallest", [[0.5, 0.2], [0.5, 1e-6]], ids=["good", "one of them bad"])
def test_polar_of_a_batch_is_the_batch_of_polars(smallest):
    """Leading axes are many matrices, whichever way each of them has to go."""
    X = np.stack([conditioned(k, 6, 3, s) for k, s in enumerate(smallest)])
    np.testing.assert_allclose(stiefel.polar(X), np.stack([stiefel.polar(x) for x in X]), atol=1e-9)
    assert np.max(stiefel.norm(stiefel.defect(stiefel.polar(X)))) <= 1e-12


def test_polar_is_scale_free():
    """polar(cX) = polar(X) for c > 0."""
    X = normal(0, 8, 3)
    for c in (1e-100, 1e-3, 1e100):
        np.testing.assert_allclose(stiefel.polar(c * X), stiefel.polar(X), atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_polar_of_a_diverged_point_is_nan(bad):
    """Where X'X is not finite no decomposition is tried: the result is NaN, and nothing raises."""
    X = normal(0, 5, 3)
    X[2, 1] = bad
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.all(np.isnan(stiefel.polar(X)))


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_tangent_is_the_orthogonal_projection(seed, shape):
    """V = tangent(X, W) has X'V + V'X = 0, stays where it is, and W - V is orthogonal to every
    tangent vector.
    """
    X, W = stiefel.random_point(*shape, seed=seed), normal(seed + 1, *shape)
    V = stiefel.tangent(X, W)
    assert stiefel.norm(X.T @ V + V.T @ X) <= 1e-13 * (1 + stiefel.norm(W))
    np.testing.assert_allclose(stiefel.tangent(X, V), V, atol=1e-13 * (1 + stiefel.norm(W)))
    T = stiefel.tangent(X, normal(seed + 2, *shape))
    assert abs(stiefel.inner(W - V, T)) <= 1e-13 * (1 + stiefel.norm(W)) * (1 + stiefel.norm(T))


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_qr_has_a_positive_diagonal(seed, shape):
    """X = QR with Q on the manifold, R upper triangular and its diagonal positive: such a
    factorisation is unique.
    """
    X = normal(seed, *shape)
    Q = stiefel.qr(X)
    R = Q.T @ X
    assert stiefel.norm(stiefel.defect(Q)) <= 1e-13
    assert stiefel.norm(X - Q @ R) <= 1e-12 * stiefel.norm(X)
    assert stiefel.norm(np.tril(R, -1)) <= 1e-12 * stiefel.norm(X)
    assert np.all(np.diag(R) > 0)


@pytest.mark.parametrize("name", stiefel.RETRACTIONS)
@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_retractions_agree_with_straight_lines_to_first_order(name, seed, shape):
    """R(X) = X and R(X + hV) = X + hV + O(h^2) for tangent V: continuous, with the right
    derivative.
    """
    X = stiefel.random_point(*shape, seed=seed)
    V = stiefel.tangent(X, normal(seed + 1, *shape))
    retract = stiefel.RETRACTIONS[name]
    np.testing.assert_allclose(retract(X), X, atol=1e-13)
    for h in (1e-3, 1e-5):
        assert stiefel.norm(retract(X + h * V) - X - h * V) <= 2 * h**2 * (1 + stiefel.norm(V) ** 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_geometry_keeps_the_dtype(dtype):
    """Functions compute in the precision that they are given."""
    X = normal(0, 5, 3).astype(dtype)
    thin = X * np.array([1, 1, 1e-3], dtype=dtype)
    for result in (
        stiefel.norm(X),
        stiefel.inner(X, X),
        stiefel.sym(X[:3]),
        stiefel.defect(X),
        stiefel.polar(X),
        stiefel.polar(thin),
        stiefel.qr(X),
        stiefel.tangent(X, X),
        stiefel.polar(X * np.nan),
    ):
        assert result.dtype == dtype


@pytest.mark.parametrize("shape", [(1, 1), (50, 1), (50, 7), (9, 9)])
@given(seed=SEEDS)
@EXAMPLES
def test_random_point_is_on_the_manifold(shape, seed):
    """X'X = I to 1e-12, for n = 1 and m = n too; and the same seed gives the same point."""
    X = stiefel.random_point(*shape, seed=seed)
    assert X.shape == shape
    assert stiefel.norm(stiefel.defect(X)) <= 1e-12
    np.testing.assert_array_equal(X, stiefel.random_point(*shape, seed=seed))


def test_random_points_differ_and_follow_a_generator():
    """Other seeds give other points; a generator gives a new point each time."""
    assert stiefel.norm(stiefel.random_point(9, 2, seed=0) - stiefel.random_point(9, 2, seed=1)) > 0.1
    rng = np.random.default_rng(0)
    first, second = stiefel.random_point(9, 2, seed=rng), stiefel.random_point(9, 2, seed=rng)
    np.testing.assert_array_equal(first, stiefel.random_point(9, 2))
    assert stiefel.norm(first - second) > 0.1


def test_random_point_is_uniform():
    """The distribution does not change under rotations: entries have mean 0 and second moment
    1/m.
    """
    rng = np.random.default_rng(0)
    X = np.stack([stiefel.random_point(4, 2, seed=rng) for _ in range(2000)])
    np.testing.assert_allclose(np.mean(X, axis=0), 0, atol=0.05)
    np.testing.assert_allclose(np.mean(X**2, axis=0), 1 / 4, atol=0.03)


@pytest.mark.parametrize(("m", "n"), [(2, 3), (0, 1), (3, 0)])
def test_random_point_refuses_impossible_shapes(m, n):
    """X'X = I_n needs 1 <= n <= m."""
    with pytest.raises(ValueError, match=r"[mn] = "):
        stiefel.random_point(m, n)


@given(seed=SEEDS, shape=SHAPES)
@EXAMPLES
def test_the_multiplier_solves_its_least_squares_problem(seed, shape):
    """On the manifold no symmetric Y makes |W + 2XY| smaller, and what is left is tangent."""
    X, W = stiefel.random_point(*shape, seed=seed), normal(seed + 1, *shape)
    Y = stiefel.multiplier(X, W)
    np.testing.assert_array_equal(Y, Y.T)
    R = W + 2 * X @ Y
    np.testing.assert_allclose(stiefel.sym(X.T @ R), 0, atol=1e-12)
    other = Y + 1e-3 * symmetric(seed + 2, shape[1])
    assert stiefel.norm(W + 2 * X @ other) >= stiefel.norm(R)
