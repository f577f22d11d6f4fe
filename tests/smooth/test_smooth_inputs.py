"""Mistakes in the data of a smooth term are named; the same data in any dress are the same."""

import numpy as np
import pytest
import scipy
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import orthoprox as op
from orthoprox import problems, smooth
from refusals import (
    AFFINITY,
    EDGES1,
    EDGES2,
    INF,
    L1,
    NAN,
    NONNEGATIVE,
    A,
    B,
    C,
    M,
    N,
    X,
    bad_integers,
    bad_matrices,
    bad_numbers,
    fail,
    holed,
    table,
)

MATRICES = {
    "Matching.edges1": ("edges1", lambda v: smooth.Matching(v, EDGES2, AFFINITY, (3, 2), 1.0), EDGES1),
    "Matching.edges2": ("edges2", lambda v: smooth.Matching(EDGES1, v, AFFINITY, (3, 2), 1.0), EDGES2),
    "Matching.affinity": ("affinity", lambda v: smooth.Matching(EDGES1, EDGES2, v, (3, 2), 1.0), AFFINITY),
}
OPERATORS = {"Quadratic.A": ("A", smooth.Quadratic, C), "Variance.A": ("A", smooth.Variance, A)}
LINEAR = {"Quadratic.B": ("B", lambda v: smooth.Quadratic(C, v), B)}
NUMBERS = {"Matching.mu": ("mu", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, 2), v), NONNEGATIVE)}
INTEGERS = {
    "Matching.m": ("m", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (v, 2), 1.0), 1),
    "Matching.n": ("n", lambda v: smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, v), 1.0), 1),
}
MISFITS = [
    ("rectangular", lambda: smooth.Quadratic(A), ValueError, r"A has shape \(10, 6\); .* as many rows as columns"),
    ("operator", lambda: smooth.Quadratic(aslinearoperator(A)), ValueError, r"A has shape \(10, 6\); .* as many rows"),
    ("skew", lambda: smooth.Quadratic(np.triu(C)), ValueError, r"A is not symmetric: .*; pass \(A \+ A.T\) / 2"),
    ("skew sparse", lambda: smooth.Quadratic(sp.csr_array(np.triu(C))), ValueError, "A is not symmetric: .*; pass"),
    ("text", lambda: smooth.Variance("A.csv"), TypeError, "A is 'A.csv', a str; it needs an array of real numbers"),
    ("huge", lambda: smooth.Variance(A * 1e200), ValueError, "A'A overflows; it needs to be finite, scale A"),
    (
        "one-sided operator",
        lambda: smooth.Variance(LinearOperator(A.shape, matvec=lambda v: A @ v, dtype=float)),
        TypeError,
        "A.rmatvec is not defined; .* needs products with A and with A', define it",
    ),
    (
        "affinity",
        lambda: smooth.Matching(EDGES1, EDGES2, np.ones((1, 2)), (3, 2), 1.0),
        ValueError,
        r"affinity has shape \(1, 2\); .* each of the 2 edges .* each of the 1 edges",
    ),
    (
        "node numbers",
        lambda: smooth.Matching([[0, 3], [1, 2]], EDGES2, AFFINITY, (3, 2), 1.0),
        ValueError,
        "edges1 has node numbers 0 to 3; they need to lie in 0 to 2",
    ),
    (
        "half nodes",
        lambda: smooth.Matching(EDGES1, [[0, 0.5]], AFFINITY, (3, 2), 1.0),
        ValueError,
        "edges2 has entries that are not whole; it needs node numbers",
    ),
    (
        "edge triples",
        lambda: smooth.Matching([[0, 1, 2]], EDGES2, AFFINITY, (3, 2), 1.0),
        ValueError,
        r"edges1 has shape \(1, 3\); it needs shape \(any, 2\)",
    ),
    ("nodes", lambda: smooth.Matching(EDGES1, EDGES2, AFFINITY, 3, 1.0), ValueError, r"shape is 3; it needs a pair"),
    ("fun", lambda: smooth.Function(1.0, fail), TypeError, "fun is 1.0, a float; it needs a callable of X"),
    ("grad", lambda: smooth.Function(fail, X), TypeError, "grad is a NumPy array of shape .*; it needs a callable of X"),
]


@table(bad_matrices(MATRICES), bad_matrices(OPERATORS, dense=False), bad_matrices(LINEAR, required=False))
def test_bad_matrices_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@table(bad_numbers(NUMBERS), bad_integers(INTEGERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="long double is double here")
def test_numbers_beyond_double_precision_are_refused():
    with pytest.raises(ValueError, match=r"A has entries beyond 1.8e308, .* double precision; scale it"):
        smooth.Variance(A.astype(np.longdouble) * np.longdouble("1e400"))


STORED = [
    ("sparse NaN", sp.csr_array(holed(C)), ValueError, "The stored entries of A contains NaN or infinite"),
    ("sparse infinite", sp.coo_array(C * INF), ValueError, "The stored entries of A contains NaN or infinite"),
    ("sparse complex", sp.csr_array(C * 1j), TypeError, r"A is complex \(complex128\); .* pass real data"),
    ("sparse 1-d", sp.coo_array(np.ones(M)), ValueError, r"A has shape \(6,\); it needs two dimensions"),
    ("sparse empty", sp.csr_array((0, M)), ValueError, r"A has shape \(0, 6\); .* at least one row"),
    ("operator complex", aslinearoperator(C * 1j), TypeError, r"A is complex \(complex128\); .* pass real data"),
    ("operator empty", aslinearoperator(np.ones((M, 0))), ValueError, r"A has shape \(6, 0\); .* at least one row"),
]
if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 15):  # before, SciPy refuses such an array itself
    message = r"A has shape \(2, 6, 6\); it needs two dimensions"
    STORED.append(("sparse 3-d", sp.coo_array(np.ones((2, M, M))), ValueError, message))


@pytest.mark.parametrize("kind", [smooth.Quadratic, smooth.Variance])
@pytest.mark.parametrize(("value", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in STORED])
def test_bad_sparse_matrices_and_operators_are_refused(kind, value, error, message):
    with pytest.raises(error, match=message):
        kind(value)


@pytest.mark.parametrize("shape", [(10, M), (2, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize(
    ("dtype", "entry", "error", "message"),
    [
        (float, NAN, ValueError, "A, block 0 contains NaN or infinite entries, the first in row .*, column 1; remove or"),
        (float, -INF, ValueError, "A, block 0 contains NaN or infinite entries, the first in row .*, column 1; remove or"),
        (complex, 1j, TypeError, r"A has entries of dtype complex128; .* pass real data"),
        ("S2", "a", TypeError, r"A has entries of dtype .*; it needs real numbers"),
    ],
)
def test_bad_memory_maps_are_refused(tmp_path, shape, dtype, entry, error, message):
    rows = np.memmap(tmp_path / "A", dtype, "w+", shape=shape)
    rows[-1, 1] = entry
    with pytest.raises(error, match=message):
        smooth.Variance(rows)
    with pytest.raises(ValueError, match=rf"A has shape \({shape[1]},\); it needs two dimensions"):
        smooth.Variance(rows[0])


@pytest.mark.parametrize("constant", [None, "1", NAN, INF, -1.0], ids=repr)
def test_a_bad_lipschitz_constant_is_refused(constant):
    class Mine(smooth.Quadratic):
        lipschitz = constant

    with pytest.raises((ValueError, TypeError), match=r"Mine.lipschitz (is|=) .*; it needs a (real|finite) number"):
        op.minimize(op.Problem(Mine(C), L1, (M, N)))


def with_gaps(matrix):
    return np.repeat(np.repeat(matrix, 2, 0), 3, 1)[::2, ::3]


WHOLE = np.round(4 * A)


SAME = {
    "integers": WHOLE.astype(int),
    "int8": WHOLE.astype(np.int8),
    "float16": WHOLE.astype(np.float16),
    "long double": WHOLE.astype(np.longdouble),
    "list of lists": WHOLE.tolist(),
    "tuple of arrays": tuple(WHOLE),
    "np.matrix": np.asmatrix(WHOLE),
    "Fortran order": np.asfortranarray(WHOLE),
    "not contiguous": with_gaps(WHOLE),
    "reversed": WHOLE[::-1],
    "big-endian": WHOLE.astype(">f8"),
    "csr": sp.csr_array(WHOLE),
    "csc of integers": sp.csc_array(WHOLE.astype(int)),
    "coo": sp.coo_array(WHOLE),
    "lil": sp.lil_array(WHOLE),
    "spmatrix": sp.csr_matrix(WHOLE),
    "operator": aslinearoperator(WHOLE),
}


@pytest.mark.parametrize("kind", SAME)
def test_the_same_data_in_any_dress(kind):
    plain, dressed = smooth.Variance(WHOLE), problems.sparse_pca(SAME[kind], np.int8(N), np.float32(0.5)).smooth
    np.testing.assert_allclose(dressed.grad(X), plain.grad(X), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(float(dressed.value(X)), float(plain.value(X)), rtol=1e-12)
    assert dressed.lipschitz == pytest.approx(plain.lipschitz, rel=1e-6)
