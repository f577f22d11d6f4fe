"""Smooth terms: gradients, product orders, data on disk, Lipschitz constants."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import orthoprox as op
from cases import EXAMPLES, SEEDS, SHAPE, SMOOTH, M, N, graph, normal, smooth_terms, symmetric
from orthoprox._linalg import stream
from orthoprox._linalg.stiefel import inner, norm
from orthoprox.checks import check_grad
from orthoprox.smooth import Function, Matching, Quadratic, Variance, variance
from orthoprox.smooth.base import HasLipschitz, HasResolvent, HasWeakConvexity

every_term = pytest.mark.parametrize("name", SMOOTH)


# --- all terms --------------------------------------------------------------------------------------------------------


@every_term
@given(seed=SEEDS, spread=st.sampled_from([0.1, 1.0, 3.0]))
@EXAMPLES
def test_grad_is_the_derivative_of_value(name, seed, spread):
    """(l(X + hV) - l(X - hV)) / 2h = <grad l(X), V> up to O(h^2), in every direction V."""
    check_grad(SMOOTH[name], spread * normal(seed, *SHAPE), seed=seed)


@every_term
def test_value_and_grad_are_value_and_grad(name):
    """Computing both at once changes neither."""
    ell, X = SMOOTH[name], normal(0, *SHAPE)
    value, grad = ell.value_and_grad(X)
    assert value == pytest.approx(ell.value(X), rel=1e-13)
    np.testing.assert_allclose(grad, ell.grad(X), rtol=1e-13)


@every_term
def test_methods_do_not_touch_their_input(name):
    """Terms are pure: X is the same before and after."""
    X = normal(0, *SHAPE)
    before = X.copy()
    X.flags.writeable = False
    ell = SMOOTH[name]
    ell.value_and_grad(X), ell.value(X), ell.grad(X)
    if isinstance(ell, HasResolvent):
        ell.resolvent(2 * ell.modulus + 1)(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("name", smooth_terms())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_terms_keep_the_dtype(name, dtype):
    """A term whose data have one precision computes in it."""
    ell, X = smooth_terms(lambda A: A.astype(dtype))[name], normal(0, *SHAPE).astype(dtype)
    value, grad = ell.value_and_grad(X)
    assert value.dtype == ell.value(X).dtype == grad.dtype == ell.grad(X).dtype == dtype
    np.testing.assert_allclose(grad, SMOOTH[name].grad(X.astype(float)), atol=1e-4)
    if isinstance(ell, HasResolvent):
        assert ell.resolvent(2 * ell.modulus + 1)(X).dtype == dtype


@every_term
@given(seed=SEEDS)
@EXAMPLES
def test_lipschitz_bounds_the_change_of_the_gradient(name, seed):
    """|grad l(X) - grad l(Y)| <= L |X - Y|."""
    ell, X, Y = SMOOTH[name], normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    if isinstance(ell, HasLipschitz):
        assert norm(ell.grad(X) - ell.grad(Y)) <= ell.lipschitz * norm(X - Y)
    else:
        assert isinstance(ell, Function)


@every_term
@given(seed=SEEDS)
@EXAMPLES
def test_modulus_makes_up_for_the_concavity(name, seed):
    """<grad l(X) - grad l(Y), X - Y> >= -modulus |X - Y|^2."""
    ell, X, Y = SMOOTH[name], normal(seed, *SHAPE), normal(seed + 1, *SHAPE)
    if isinstance(ell, HasWeakConvexity):
        assert inner(ell.grad(X) - ell.grad(Y), X - Y) >= -ell.modulus * norm(X - Y) ** 2 * (1 + 1e-12)


@pytest.mark.parametrize("name", [name for name, ell in SMOOTH.items() if not isinstance(ell, Function)])
def test_terms_know_their_shape(name):
    """A problem whose X has another number of rows is refused."""
    with pytest.raises(ValueError, match=str(M + 1)):
        op.Problem(SMOOTH[name], op.nonsmooth.Zero(), (M + 1, N))


# --- variance ---------------------------------------------------------------------------------------------------------

TALL, WIDE = (90, 21), (8, 40)  # (p, m): the first pays for A'A, the second does not
KINDS = {
    "dense": np.asarray,
    "list": np.ndarray.tolist,
    "float32": lambda A: A.astype(np.float32),
    "whole numbers": lambda A: np.round(A).astype(int),
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "operator": aslinearoperator,
    "memmap": None,
    "memmap float32": None,
}
every_kind = pytest.mark.parametrize("kind", KINDS)
both_orders = pytest.mark.parametrize("size", [TALL, WIDE], ids=["tall", "wide"])


def data(size):
    """A data matrix of multiples of 1/8, a third of them zero: exact in every precision."""
    rng = np.random.default_rng(size[0])
    return np.round(16 * rng.standard_normal(size) * (rng.random(size) < 0.7)) / 8


def on_disk(A, path):
    """A as a memory map."""
    rows = np.memmap(path / "rows.bin", dtype=A.dtype, mode="w+", shape=A.shape)
    rows[:] = A
    rows.flush()
    return np.memmap(path / "rows.bin", dtype=A.dtype, mode="r", shape=A.shape)


@pytest.fixture
def small_blocks(monkeypatch):
    """Memory maps are read seven rows of 21 at a time (three of 40)."""
    monkeypatch.setattr(stream, "_BLOCK_BYTES", 8 * 21 * 7)


def build(kind, A, path):
    if kind.startswith("memmap"):
        return Variance(on_disk(A.astype(np.float32) if kind.endswith("32") else A, path))
    return Variance(KINDS[kind](A))


@every_kind
@both_orders
@pytest.mark.usefixtures("small_blocks")
def test_variance_is_the_same_for_every_kind_of_data(kind, size, tmp_path):
    """l(X) = -|AX|^2 and grad l(X) = -2 A'AX, however A is stored."""
    A, X = data(size), normal(1, size[1], 4)
    ell = build(kind, A, tmp_path)
    A = np.round(A) if kind == "whole numbers" else A
    value, grad = ell.value_and_grad(X)
    assert value == pytest.approx(-np.sum((A @ X) ** 2), rel=1e-12)
    assert ell.value(X) == pytest.approx(-np.sum((A @ X) ** 2), rel=1e-12)
    for D in (grad, ell.grad(X)):
        np.testing.assert_allclose(D, -2 * A.T @ (A @ X), rtol=1e-11, atol=1e-11)


@every_kind
@both_orders
@pytest.mark.usefixtures("small_blocks")
def test_lipschitz_of_variance_is_sharp(kind, size, tmp_path):
    """L is at least 2 sigma_max(A)^2 and at most 2 % larger."""
    A = data(size)
    ell = build(kind, A, tmp_path)
    true = 2 * np.linalg.norm(np.round(A) if kind == "whole numbers" else A, 2) ** 2
    assert true <= ell.lipschitz <= 1.02 * true


@given(p=st.integers(1, 40), m=st.integers(1, 40), density=st.floats(0.05, 1.0))
@EXAMPLES
def test_product_order_follows_the_count_of_operations(p, m, density):
    """(A'A)X is used where 2 m^2 + z m / 1000 <= 4 z, z the stored entries: by shape for dense data, by z for sparse."""
    A = np.ones((p, m))
    S = sp.random_array((p, m), density=density, rng=np.random.default_rng(p + 41 * m))
    for B, z in ((A, p * m), (S, S.nnz)):
        assert (Variance(B)._hessian is not None) == (2 * m**2 + z * m / 1000 <= 4 * z)
    assert Variance(aslinearoperator(A))._hessian is None


@pytest.mark.parametrize(("p", "m", "pays"), [(10**6, 2000, True), (1100, 2000, False), (10**7, 4000, False), (10, 5, True)])
def test_forming_the_gram_matrix_counts(p, m, pays):
    """Beyond m = 4000 forming A'A never pays, however many rows there are."""
    assert variance._gram_pays(np.broadcast_to(1.0, (p, m))) is pays


def test_lipschitz_of_variance_takes_the_smaller_product(monkeypatch):
    """Where A'A is not kept, L comes from whichever of AA' and A'A is smaller."""
    monkeypatch.setattr(variance, "_gram_pays", lambda A: False)
    sizes = []
    monkeypatch.setattr(variance, "dense_norm", lambda C: sizes.append(C.shape[-1]) or np.linalg.norm(C, 2))
    for size in (TALL, WIDE):
        A = data(size)
        assert Variance(A).lipschitz == pytest.approx(2 * np.linalg.norm(A, 2) ** 2)
    assert sizes == [min(TALL), min(WIDE)]


class Counted(np.memmap):
    """A memory map that counts how often each row is read."""

    reads = None

    def __getitem__(self, index):
        if self.reads is not None:
            self.reads[index] += 1
        return super().__getitem__(index)


@pytest.mark.usefixtures("small_blocks")
def test_gram_matrix_of_a_memory_map_is_read_once(tmp_path):
    """Tall data on disk are read once, in blocks; values, gradients and L do not read them again."""
    A, X = data(TALL), normal(1, TALL[1], 4)
    rows = on_disk(A, tmp_path).view(Counted)
    rows.reads = np.zeros(len(A), dtype=int)
    ell = Variance(rows)
    for _ in range(3):
        ell.value(X), ell.grad(X), ell.value_and_grad(X)
    assert ell.lipschitz > 0
    assert np.all(rows.reads == 1)
    assert len(list(ell.A.blocks())) == -(-len(A) // 7)


@pytest.mark.usefixtures("small_blocks")
def test_wide_data_on_disk_are_streamed(tmp_path):
    """Wide data on disk are read once when checked, then twice for each gradient: for AX and for A'(AX)."""
    A, X = data(WIDE), normal(1, WIDE[1], 4)
    rows = on_disk(A, tmp_path).view(Counted)
    rows.reads = np.zeros(len(A), dtype=int)
    ell = Variance(rows)
    assert np.all(rows.reads == 1)
    np.testing.assert_allclose(ell.grad(X), -2 * A.T @ (A @ X), rtol=1e-11, atol=1e-11)
    assert np.all(rows.reads == 3)


@both_orders
@pytest.mark.usefixtures("small_blocks")
def test_bad_entries_on_disk_are_found_at_once(size, tmp_path):
    """NaN in the last block is reported when the term is made, not in the middle of a run."""
    A = data(size)
    A[-1, -1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Variance(on_disk(A, tmp_path))


def test_row_stream_is_its_matrix(tmp_path, monkeypatch):
    """A stream multiplies vectors and matrices from both sides as A does, three rows at a time."""
    monkeypatch.setattr(stream, "_BLOCK_BYTES", 8 * 5 * 3)
    A = data((11, 5))
    S = stream.RowStream(on_disk(A, tmp_path))
    for X in (normal(1, 5), normal(1, 5, 2)):
        np.testing.assert_allclose(S @ X, A @ X, atol=1e-13)
    for V in (normal(1, 11), normal(1, 11, 2)):
        np.testing.assert_allclose(S.T @ V, A.T @ V, atol=1e-13)
    np.testing.assert_allclose(S.gram(), A.T @ A, atol=1e-13)
    assert [len(block) for block in S.blocks()] == [3, 3, 3, 2]
    with pytest.raises(ValueError, match="two dimensions"):
        stream.RowStream(on_disk(A.ravel(), tmp_path))


def test_operators_are_applied_never_formed():
    """A LinearOperator is asked for AX, the columns of X at once, and for nothing else of its size."""
    A, X, columns = data(TALL), normal(1, TALL[1], 4), []

    def apply(V):
        columns.append(V.shape[-1])
        return A @ V

    ell = Variance(LinearOperator(A.shape, matvec=apply, matmat=apply, rmatvec=lambda V: A.T @ V, rmatmat=lambda V: A.T @ V))
    columns.clear()  # scipy tries an operator once to learn its dtype
    np.testing.assert_allclose(ell.grad(X), -2 * A.T @ (A @ X), rtol=1e-11, atol=1e-11)
    assert columns == [4]


# --- quadratic --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [5, 30])
@pytest.mark.parametrize("kind", ["dense", "float32", "csr_array", "csc_matrix", "operator"])
@given(seed=SEEDS)
@EXAMPLES
def test_quadratic_is_its_formula(kind, m, seed):
    """l(X) = tr(X'AX)/2 + tr(B'X), grad l(X) = AX + B, and L is |A|_2 to 2 %, however A is stored."""
    A, B, X = np.round(8 * symmetric(seed, m)) / 8, normal(seed + 1, m, 2), normal(seed + 2, m, 2)
    ell = Quadratic(KINDS[kind](A), B)
    assert ell.value(X) == pytest.approx(np.trace(X.T @ A @ X) / 2 + np.trace(B.T @ X), rel=1e-11, abs=1e-11)
    np.testing.assert_allclose(ell.grad(X), A @ X + B, atol=1e-11)
    assert np.linalg.norm(A, 2) <= ell.lipschitz <= 1.02 * np.linalg.norm(A, 2)


@pytest.mark.parametrize("m", [3, 16, 17, 64, 501])
def test_lipschitz_of_compressed_modes(m):
    """The circulant matrix (-1, 2, -1) / dx^2 has the largest eigenvalue  (2 - 2 cos(2 pi [m/2] / m)) / dx^2."""
    problem = op.problems.compressed_modes(m, 2, 0.1)
    true = (2 - 2 * np.cos(2 * np.pi * (m // 2) / m)) / (50 / m) ** 2
    assert true <= problem.smooth.lipschitz <= 1.02 * true


def test_value_of_compressed_modes():
    """tr(X'HX) is the sum of (x_i+1 - x_i)^2 / (2 dx^2) around the circle."""
    problem, X = op.problems.compressed_modes(20, 3, 0.1), normal(0, 20, 3)
    energy = np.sum((np.roll(X, -1, axis=0) - X) ** 2) / (2 * (50 / 20) ** 2)
    assert problem.value(X) == pytest.approx(energy + 0.1 * np.sum(np.abs(X)), rel=1e-12)


@pytest.mark.parametrize("m", [5, 30])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, aslinearoperator])
def test_lipschitz_of_nothing_is_zero(kind, m):
    """A linear term, A = 0, has L = 0; so has the variance of data that are all zero."""
    A = np.zeros((m, m))
    assert Quadratic(kind(A), np.ones((m, 2))).lipschitz == 0
    assert Variance(kind(A)).lipschitz == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_quadratic_refuses_what_is_not_symmetric(kind):
    """tr(X'AX)/2 has the gradient AX only if A = A'."""
    A = symmetric(0, 5)
    A[0, 1] += 1e-6
    with pytest.raises(ValueError, match="not symmetric"):
        Quadratic(kind(A))
    with pytest.raises(ValueError, match="as many rows as columns"):
        Quadratic(kind(A[:3]))


# --- matching ---------------------------------------------------------------------------------------------------------


def affinity_matrix(edges1, edges2, affinity, m, n):
    """K, entry by entry: (i, a), (j, b) -> affinity of the edges {i, j} and {a, b}, in every orientation."""
    K = np.zeros((m, n, m, n))
    for e, (i, j) in enumerate(edges1):
        for f, (a, b) in enumerate(edges2):
            for (s, t), (u, v) in (((i, j), (a, b)), ((i, j), (b, a)), ((j, i), (a, b)), ((j, i), (b, a))):
                K[s, u, t, v] += affinity[e, f]
    return K.reshape(m * n, m * n)


GRAPHS = {"small": (4, 5, 3, 3), "middling": (7, 12, 5, 6)}  # nodes and edges of both graphs


def matching(name, mu):
    m, e1, n, e2 = GRAPHS[name]
    edges1, edges2 = graph(1, m, e1), graph(2, n, e2)
    affinity = np.random.default_rng(3).random((e1, e2))
    return Matching(edges1, edges2, affinity, (m, n), mu), affinity_matrix(edges1, edges2, affinity, m, n)


@pytest.mark.parametrize("name", GRAPHS)
@given(seed=SEEDS, mu=st.floats(0.0, 5.0))
@EXAMPLES
def test_matching_is_its_explicit_matrix(name, seed, mu):
    """l(X) = -vec(X)'K vec(X) + mu |max(0, -X)|^2 with K formed entry by entry."""
    ell, K = matching(name, mu)
    X = normal(seed, *ell.shape)
    x, negative = X.ravel(), np.minimum(X, 0)
    value = -x @ K @ x + mu * np.sum(negative**2)
    grad = -2 * (K @ x).reshape(X.shape) + 2 * mu * negative
    assert ell.value(X) == pytest.approx(value, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(ell.grad(X), grad, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("mu", [0.0, 2.0])
def test_lipschitz_of_matching_is_sharp(name, mu):
    """L is 2 |K|_2 + 2 mu to 2 %, and at least the norm of every second derivative -2K + 2 mu diag(x < 0)."""
    ell, K = matching(name, mu)
    np.testing.assert_array_equal(K, K.T)
    true = 2 * np.linalg.norm(K, 2) + 2 * mu
    assert true <= ell.lipschitz <= 1.02 * true
    for seed in range(10):
        negative = normal(seed, len(K)) < 0
        assert np.linalg.norm(-2 * K + 2 * mu * np.diag(negative), 2) <= ell.lipschitz


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges1": [[0, 7]]}, "edges1"),
        ({"edges1": [[0.5, 1.0]]}, "edges1"),
        ({"edges2": np.zeros((0, 2), dtype=int)}, "edges2"),
        ({"affinity": np.ones((3, 9))}, "affinity"),
        ({"shape": (2, 7)}, "n = 7"),
        ({"mu": -1.0}, "mu"),
    ],
)
def test_wrong_graphs_are_refused(change, words):
    """A message names what does not fit."""
    given = {"edges1": graph(6, M, 9), "edges2": graph(7, N, 3), "affinity": np.ones((9, 3)), "shape": SHAPE, "mu": 1.0}
    with pytest.raises(ValueError, match=words):
        Matching(**(given | change))


# --- any function -----------------------------------------------------------------------------------------------------


def test_function_wraps_two_callables():
    """Function(fun, grad) is the term with that value and that gradient, and knows no Lipschitz constant."""
    ell, X = SMOOTH["Quadratic linear"], normal(0, *SHAPE)
    wrapped = Function(ell.value, ell.grad)
    assert wrapped.value(X) == ell.value(X)
    np.testing.assert_array_equal(wrapped.grad(X), ell.grad(X))
    assert not isinstance(wrapped, HasLipschitz)
    with pytest.raises(TypeError, match="grad is None"):
        Function(ell.value, None)
