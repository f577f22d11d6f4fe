"""The explained variance of centred and scaled data, however they are stored."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import orthoprox as op
from cases import normal
from orthoprox.smooth import Variance
from orthoprox.streams import blocks
from stored import on_disk

TALL, WIDE = (90, 21), (8, 40)  # (p, m): the first pays for A'A, the second does not
KINDS = {
    "dense": np.asarray,
    "list": np.ndarray.tolist,
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "operator": aslinearoperator,
}
every_kind = pytest.mark.parametrize("kind", [*KINDS, "memmap"])
both_orders = pytest.mark.parametrize("size", [TALL, WIDE], ids=["tall", "wide"])


def data(size, far=3.0):
    """Columns with means of both signs, up to ``far`` standard deviations from 0; a third of the
    first ones are zeros.
    """
    A = normal(size[0], *size) + far * np.linspace(-1, 1, size[1])
    A[::3, : size[1] // 2] *= far <= 3
    return A


def exact(A, center, scale):
    """(A - 1 center') / scale in extended precision."""
    A = A.astype(np.longdouble)
    D = A - np.mean(A, axis=0)
    deviation = np.sqrt(np.sum(D**2, axis=0) / max(len(A) - 1, 1))
    matrix = D if center is True else A if center is False else A - center
    return matrix / (np.where(deviation > 0, deviation, 1) if scale is True else 1 if scale is False else scale)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The same matrix in one of the kinds; a memory map is read seven rows at a time or fewer."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 21 * 7)
    return lambda kind, A: on_disk(A, tmp_path) if kind == "memmap" else KINDS[kind](A)


def vectors(m):
    return {"center": np.linspace(1, -2, m), "scale": np.linspace(0.5, 3, m)}


@every_kind
@both_orders
@pytest.mark.parametrize("center", [False, True, "vector"])
@pytest.mark.parametrize("scale", [False, True, "vector"])
def test_variance_is_that_of_the_centred_and_scaled_matrix(stored, kind, size, center, scale):
    """l(X) = -|A_c X|^2, A_c = (A - 1 center') / scale, with its gradient, L and resolvent."""
    A, X = data(size), normal(1, size[1], 4)
    center = vectors(size[1])["center"] if center == "vector" else center
    scale = vectors(size[1])["scale"] if scale == "vector" else scale
    ell, C = Variance(stored(kind, A), center=center, scale=scale), exact(A, center, scale).astype(float)
    value, D = -np.sum((C @ X) ** 2), -2 * C.T @ (C @ X)
    assert ell.value(X) == pytest.approx(value, rel=1e-12)
    assert ell.value_and_grad(X)[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(ell.grad(X), D, atol=1e-12 * np.max(np.abs(D)))
    L = 2 * np.linalg.norm(C, 2) ** 2
    assert L <= ell.lipschitz <= 1.02 * L
    R = ell.resolvent(2 * ell.modulus)(X)
    np.testing.assert_allclose(ell.grad(R) + 2 * ell.modulus * R, X, atol=1e-8)
    np.testing.assert_array_equal(ell.times(2.0**-4).grad(X), 2.0**-4 * ell.grad(X))
    np.testing.assert_allclose(ell.A @ X, C @ X, atol=1e-11 * np.max(np.abs(C)))


@every_kind
@both_orders
@pytest.mark.parametrize("far", [1e2, 1e4, 1e6])
def test_means_far_above_the_deviations_cost_few_digits(stored, kind, size, far):
    """The gradient at mean / sd = 1e6 is exact to 1e-9: a Gram matrix minus p mean mean' would have
    no digit.
    """
    A, X = data(size, far), normal(1, size[1], 4)
    C = exact(A, True, True)
    D = (-2 * C.T @ (C @ X)).astype(float)
    ell = Variance(stored(kind, A), center=True, scale=True)
    np.testing.assert_allclose(ell.grad(X), D, atol=1e-15 * far * np.max(np.abs(D)))
    np.testing.assert_allclose(ell.center, np.mean(A, axis=0), rtol=1e-14)
    np.testing.assert_allclose(ell.scale, np.std(A, axis=0, ddof=1), rtol=1e-15 * far)


@both_orders
def test_sparse_and_dense_data_agree(size):
    """To 1e-12, also where some columns are far from 0 and the others sparse."""
    A, X = data(size), normal(1, size[1], 4)
    A[:, ::4] += 1e6
    ells = [Variance(kind(A), center=True, scale=True) for kind in (np.asarray, sp.csr_array)]
    dense, sparse = (ell.grad(X) for ell in ells)
    np.testing.assert_allclose(sparse, dense, atol=1e-12 * np.max(np.abs(dense)))


@every_kind
@both_orders
def test_without_both_it_is_the_plain_term_bit_for_bit(stored, kind, size):
    A, X = data(size), normal(1, size[1], 4)
    plain, ell = Variance(stored(kind, A)), Variance(stored(kind, A), center=False, scale=np.False_)
    np.testing.assert_array_equal(ell.grad(X), plain.grad(X))
    assert (ell.value(X), ell.lipschitz, ell.center, ell.scale) == (plain.value(X), plain.lipschitz, None, None)
    if kind == "dense":
        C = A.T @ A
        np.testing.assert_array_equal(ell.grad(X), (-2 * C) @ X if size == TALL else -2 * (A.T @ (A @ X)))


@every_kind
@pytest.mark.parametrize("constant", [0.0, 0.1, -1e6 / 3])
def test_a_constant_column_gets_scale_one(stored, kind, constant):
    """However its mean is rounded, and where its entries differ by rounding."""
    A = data(TALL)
    A[:, 2], A[:, 5] = constant, np.where(np.arange(len(A)) % 2, 0.3, 0.1 + 0.2)
    ell = Variance(stored(kind, A), center=True, scale=True)
    np.testing.assert_array_equal(ell.scale == 1, np.isin(np.arange(TALL[1]), (2, 5)))
    np.testing.assert_allclose(ell.grad(np.eye(TALL[1]))[:, [2, 5]], 0, atol=1e-7)


@every_kind
def test_one_row_has_no_deviations(stored, kind):
    """Every column is constant."""
    A = data((1, 4))
    ell = Variance(stored(kind, A), center=True, scale=True)
    np.testing.assert_array_equal(ell.scale, 1)
    np.testing.assert_allclose(ell.grad(np.eye(4)), 0, atol=1e-12)


def test_the_scale_is_about_the_mean_whether_or_not_it_is_subtracted():
    A = data(TALL)
    np.testing.assert_array_equal(Variance(A, scale=True).scale, Variance(A, center=True, scale=True).scale)


@pytest.mark.parametrize("size", [1e-200, 1e-150, 1e150, 1e300])
def test_standardised_dense_data_have_no_unit(size):
    """Squares of the entries overflow or underflow; those over the deviations do not."""
    A, X = data(TALL), normal(1, TALL[1], 4)
    D = Variance(A, center=True, scale=True).grad(X)
    np.testing.assert_allclose(Variance(size * A, center=True, scale=True).grad(X), D, atol=1e-10 * np.max(np.abs(D)))


@both_orders
def test_sparse_data_stay_sparse(size):
    """What is kept has as many entries as A, to a hundredth."""
    rng = np.random.default_rng(0)
    A = sp.csr_array(rng.poisson(0.2, size).astype(float))
    ell = Variance(A, center=True, scale=True)
    assert ell.A.A.nnz <= A.nnz
    full = A.toarray()
    full[:, 3] = 1e4 + rng.standard_normal(size[0])
    A = sp.csr_array(full)
    assert Variance(A, center=True).A.A.nnz <= 1.01 * A.nnz


def test_stored_duplicates_are_added():
    """A CSR matrix may hold an entry in two parts."""
    A = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3, 3])), shape=(3, 2))
    np.testing.assert_allclose(Variance(A, center=True).center, [1, 5 / 3])
    np.testing.assert_allclose(
        Variance(A, center=True, scale=True).grad(np.eye(2)), Variance(A.toarray(), center=True, scale=True).grad(np.eye(2))
    )


@both_orders
def test_single_precision_is_kept(size):
    """The means of float32 data are those of their entries, in double precision."""
    A, X = data(size, 1e4).astype(np.float32), normal(1, size[1], 4).astype(np.float32)
    C = exact(A.astype(float), True, True)
    for kind in (np.asarray, sp.csr_array):
        D = Variance(kind(A), center=True, scale=True).grad(X)
        assert D.dtype == np.float32
        np.testing.assert_allclose(D, -2 * C.T @ (C @ X), atol=2e-6 * np.max(np.abs(D)))


def test_batches_of_data_have_their_own_means():
    A, X = normal(0, 3, 20, 5) + 4, normal(1, 5, 2)
    ell = Variance(A, center=True, scale=True)
    assert ell.center.shape == ell.scale.shape == (3, 5)
    for k, D in enumerate(ell.grad(X)):
        np.testing.assert_allclose(D, Variance(A[k], center=True, scale=True).grad(X), rtol=1e-12, atol=1e-12)


class Counted(np.memmap):
    """A memory map that counts how often each row is read."""

    reads = None

    def __getitem__(self, index):
        if self.reads is not None:
            self.reads[index] += 1
        return super().__getitem__(index)


@both_orders
def test_data_on_disk_are_read_once_for_their_moments(stored, size):
    """Means, deviations and, where it pays, the Gram matrix come from one reading."""
    mapped = stored("memmap", data(size)).view(Counted)
    mapped.reads = np.zeros(size[0], dtype=int)
    ell = Variance(mapped, center=True, scale=True)
    assert np.all(mapped.reads == 1)
    ell.grad(normal(1, size[1], 4))
    assert np.all(mapped.reads == (1 if size == TALL else 2))


def test_operators_are_asked_for_products_alone():
    """One product with A' finds the means; a gradient takes one with each of A and A'."""
    A, X, asked = data(TALL), normal(1, TALL[1], 4), []

    def product(name, B):
        return lambda V: asked.append(name) or B @ V

    forward, adjoint = product("A", A), product("A'", A.T)
    operator = LinearOperator(A.shape, matvec=forward, matmat=forward, rmatvec=adjoint, rmatmat=adjoint, dtype=float)
    ell = Variance(operator, center=True)
    assert sorted(asked) == ["A", "A'", "A'"]  # the first two test the adjoint
    asked.clear()
    ell.grad(X)
    assert asked == ["A", "A'"]


def test_a_run_on_a_centred_operator_is_that_on_the_matrix():
    """Products that a call watches are those of the centred operator."""
    A = data((40, 6))
    results = [
        op.minimize(op.problems.sparse_pca(kind(A), 2, 0.5, center=True, scale=True), seed=0)
        for kind in (np.asarray, aslinearoperator)
    ]
    assert results[0].objective == pytest.approx(results[1].objective, rel=1e-9)


def test_sparse_pca_passes_them_on():
    A = data(TALL)
    ell = op.problems.sparse_pca(A, 3, 0.1, center=True, scale=np.full(TALL[1], 2.0)).smooth
    np.testing.assert_allclose(ell.center, np.mean(A, axis=0))
    np.testing.assert_array_equal(ell.scale, 2)


BAD = [
    ("center", None, TypeError, r"center is None, .*; it needs True, False or a vector of length 3"),
    ("center", "mean", TypeError, r"center is 'mean', a str; it needs True, False or a vector of length 3"),
    ("scale", 2.0, TypeError, r"scale is 2.0, a float; it needs True, False or a vector of length 3"),
    ("scale", [1.0, 2.0], ValueError, r"scale has shape \(2,\); it needs shape \(3\)"),
    ("center", np.zeros((3, 1)), ValueError, r"center has 2 dimension\(s\), shape \(3, 1\); it needs shape \(3\)"),
    ("center", [0.0, np.nan, 0.0], ValueError, "center contains NaN or infinite entries"),
    ("scale", [1.0, np.inf, 1.0], ValueError, "scale contains NaN or infinite entries"),
    ("scale", [1.0, 0.0, 1.0], ValueError, "scale has the entry 0; it divides the columns and needs entries > 0"),
    ("scale", [1.0, 2.0, -1.0], ValueError, "scale has the entry -1; it divides the columns and needs entries > 0"),
    ("center", ["a", "b", "c"], TypeError, "center"),
]


@pytest.mark.parametrize(("name", "value", "error", "message"), BAD)
@every_kind
def test_bad_centers_and_scales_are_named(stored, kind, name, value, error, message):
    with pytest.raises(error, match=message):
        Variance(stored(kind, normal(0, 5, 3)), **{name: value})


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_means_that_overflow_are_named(kind):
    A = np.array([[1.7e308, 1.0], [-1.7e308, 2.0], [1.7e308, 3.0]])
    with pytest.raises(
        ValueError, match=r"A has entries so large that the (means|standard deviations) of its columns overflow"
    ):
        Variance(KINDS[kind](A), center=True, scale=True)
