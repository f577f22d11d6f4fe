"""The explained variance: product orders, data on disk, Lipschitz constants."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from cases import EXAMPLES, normal
from orthoprox.smooth import Variance, variance
from orthoprox.streams import blocks
from stored import FORMATS, on_disk

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


@pytest.fixture
def small_blocks(monkeypatch):
    """Memory maps are read seven rows of 21 at a time (three of 40)."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8 * 21 * 7)


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
    """(A'A)X is used where 2 m^2 < 4 z, z the stored entries, each of which counts three times if A
    is sparse, with a margin for forming A'A; an operator is never formed.
    """
    A = np.ones((p, m))
    S = sp.csr_array(A * (np.random.default_rng(p + 41 * m).random((p, m)) < density))
    for B, z in ((A, p * m), (S, 3 * S.nnz)):
        formed = Variance(B).hessian is not None
        assert formed or 2 * m**2 > 3.8 * z
        assert not formed or 2 * m**2 <= 4 * z
    assert Variance(aslinearoperator(A)).hessian is None


@pytest.mark.parametrize(("p", "m", "pays"), [(10, 5, True), (10**6, 500, True), (10**3, 10**4, False), (10**8, 10**5, False)])
def test_forming_the_gram_matrix_counts(p, m, pays):
    """For a large m forming A'A never pays, however many rows there are."""
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
    """Tall data on disk are read once, in blocks; values, gradients and L do not read them
    again.
    """
    A, X = data(TALL), normal(1, TALL[1], 4)
    rows = on_disk(A, tmp_path).view(Counted)
    rows.reads = np.zeros(len(A), dtype=int)
    ell = Variance(rows)
    for _ in range(3):
        ell.value(X), ell.grad(X), ell.value_and_grad(X)
    assert ell.lipschitz > 0
    assert np.all(rows.reads == 1)
    assert len(list(ell.A.rows.blocks())) == -(-len(A) // 7)


@pytest.mark.usefixtures("small_blocks")
def test_wide_data_on_disk_are_streamed(tmp_path):
    """Wide data on disk are read once when checked, then once for each gradient."""
    A, X = data(WIDE), normal(1, WIDE[1], 4)
    rows = on_disk(A, tmp_path).view(Counted)
    rows.reads = np.zeros(len(A), dtype=int)
    ell = Variance(rows)
    assert np.all(rows.reads == 1)
    np.testing.assert_allclose(ell.grad(X), -2 * A.T @ (A @ X), rtol=1e-11, atol=1e-11)
    assert np.all(rows.reads == 2)


@both_orders
@pytest.mark.parametrize("size_of_entries", [0.0, 1e-100, 1.0, 1e100])
def test_data_on_disk_of_any_size_are_divided(size, size_of_entries, tmp_path):
    """The term over a power of two, on which a run works where f is of extreme size."""
    A, X = size_of_entries * data(size), normal(1, size[1], 4)
    ell = Variance(on_disk(A, tmp_path))
    np.testing.assert_array_equal(ell.times(2.0**-4).grad(X), 2.0**-4 * ell.grad(X))


@both_orders
@pytest.mark.usefixtures("small_blocks")
def test_bad_entries_on_disk_are_found_at_once(size, tmp_path):
    """NaN in the last block is reported when the term is made, not in the middle of a run."""
    A = data(size)
    A[-1, -1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Variance(on_disk(A, tmp_path))


def test_operators_are_applied_never_formed():
    """A LinearOperator is asked for AX, the columns of X at once, and for nothing else of its
    size.
    """
    A, X, columns = data(TALL), normal(1, TALL[1], 4), []

    def apply(V):
        columns.append(V.shape[-1])
        return A @ V

    ell = Variance(LinearOperator(A.shape, matvec=apply, matmat=apply, rmatvec=lambda V: A.T @ V, rmatmat=lambda V: A.T @ V))
    columns.clear()  # scipy tries an operator once to learn its dtype
    np.testing.assert_allclose(ell.grad(X), -2 * A.T @ (A @ X), rtol=1e-11, atol=1e-11)
    assert columns == [4]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_variance_is_concave(kind):
    """Its modulus is its Lipschitz constant."""
    ell = Variance(FORMATS[kind](normal(0, 9, 5)))
    assert ell.modulus == ell.lipschitz >= 2 * np.linalg.norm(normal(0, 9, 5), 2) ** 2
