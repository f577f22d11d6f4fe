"""Mistakes in the data of a problem are named."""

from fractions import Fraction

import numpy as np
import pytest

import orthoprox as op
from orthoprox import nonsmooth, problems, smooth
from refusals import (
    AFFINITY,
    EDGES1,
    EDGES2,
    ELL,
    INF,
    L1,
    NONNEGATIVE,
    POINTS,
    POSITIVE,
    A,
    B,
    C,
    M,
    N,
    X,
    bad_arrays,
    bad_integers,
    bad_matrices,
    bad_numbers,
    table,
)

MATRICES = {
    "graph_matching.points1": ("points1", lambda v: problems.graph_matching(v, POINTS, 1.0), POINTS),
    "graph_matching.points2": ("points2", lambda v: problems.graph_matching(POINTS, v, 1.0), POINTS),
}
OPERATORS = {
    "sparse_pca.A": ("A", lambda v: problems.sparse_pca(v, N, 0.1), A),
    "quadratic.A": ("A", lambda v: problems.quadratic(v, B, 0.1), C),
}
LINEAR = {"quadratic.B": ("B", lambda v: problems.quadratic(C, v, 0.1), B)}
WEIGHTS = {
    "sparse_pca.mu": ("mu", lambda v: problems.sparse_pca(A, N, v), abs(B)),
    "quadratic.mu": ("mu", lambda v: problems.quadratic(C, B, v), abs(B)),
    "compressed_modes.mu": ("mu", lambda v: problems.compressed_modes(M, N, v), abs(B)),
}
NUMBERS = {
    "graph_matching.mu": ("mu", lambda v: problems.graph_matching(POINTS, POINTS, v), NONNEGATIVE),
    "graph_matching.width": ("width", lambda v: problems.graph_matching(POINTS, POINTS, 1.0, width=v), POSITIVE),
}
INTEGERS = {
    "Problem.m": ("m", lambda v: op.Problem(ELL, L1, (v, N)), 1),
    "Problem.n": ("n", lambda v: op.Problem(ELL, L1, (M, v)), 1),
    "sparse_pca.n": ("n", lambda v: problems.sparse_pca(A, v, 0.1), 1),
    "compressed_modes.m": ("m", lambda v: problems.compressed_modes(v, 1, 0.1), 3),
    "compressed_modes.n": ("n", lambda v: problems.compressed_modes(M, v, 0.1), 1),
}
MISFITS = [
    ("smooth", lambda: op.Problem(None, L1, (6, 2)), TypeError, "The smooth term is None, a NoneType; .* Smooth"),
    ("swapped", lambda: op.Problem(L1, ELL, (6, 2)), TypeError, "The smooth term is .*, a L1; .* orthoprox.smooth"),
    ("nonsmooth", lambda: op.Problem(ELL, 0.1, (6, 2)), TypeError, "nonsmooth term is 0.1, a float; .* Nonsmooth"),
    ("class", lambda: op.Problem(ELL, nonsmooth.Zero, (6, 2)), TypeError, "nonsmooth term is <class .* an instance"),
    ("shape", lambda: op.Problem(ELL, L1, 6), ValueError, r"shape is 6; it needs a pair \(m, n\)"),
    ("triple", lambda: op.Problem(ELL, L1, (6, 2, 1)), ValueError, r"shape is \(6, 2, 1\); it needs a pair \(m, n\)"),
    ("None", lambda: op.Problem(ELL, L1, None), ValueError, r"shape is None; it needs a pair \(m, n\)"),
    ("n > m", lambda: op.Problem(ELL, L1, (2, 6)), ValueError, "n = 6 is larger than m = 2; .* n <= m, .* at most 2"),
    ("A", lambda: op.Problem(ELL, L1, (7, 2)), ValueError, r"X has 7 rows but A has shape \(6, 6\); .* same m"),
    ("B", lambda: op.Problem(ELL, L1, (6, 3)), ValueError, r"X has 3 columns but B has shape \(6, 2\); .* same n"),
    ("mu", lambda: problems.quadratic(C, B, abs(B.T)), ValueError, r"mu has shape \(2, 6\), X has \(6, 2\); pass a number"),
    ("mu 1-d", lambda: problems.sparse_pca(A, 2, np.ones(M)), ValueError, r"mu has shape \(6,\), X has \(6, 2\); pass"),
    ("box", lambda: op.Problem(ELL, nonsmooth.Box(-C, INF), (6, 2)), ValueError, r"lower has shape \(6, 6\), X has"),
    ("spca n", lambda: problems.sparse_pca(A, 7, 0.1), ValueError, "n = 7 is larger than m = 6; .* at most 6 columns"),
    ("modes n", lambda: problems.compressed_modes(4, 5, 0.1), ValueError, "n = 5 is larger than m = 4; .* at most 4"),
    ("wide B", lambda: problems.quadratic(C, np.ones((6, 7)), 0.1), ValueError, "n = 7 is larger than m = 6; .* n <= m"),
    (
        "rows of B",
        lambda: problems.quadratic(C, B[1:], 0.1),
        ValueError,
        r"B has shape \(5, 2\); it needs shape \(6, any\)",
    ),
    ("no B", lambda: problems.quadratic(C, None, 0.1), TypeError, "B is None; it needs an array .* zeros"),
    (
        "graphs",
        lambda: op.Problem(smooth.Matching(EDGES1, EDGES2, AFFINITY, (3, 2), 1.0), L1, (4, 2)),
        ValueError,
        r"X has shape \(4, 2\) but the graphs have 3 and 2 nodes",
    ),
    ("3-d", lambda: problems.graph_matching(A[:, :3], POINTS, 1.0), ValueError, r"\(10, 3\); it needs shape \(any, 2\)"),
    ("few", lambda: problems.graph_matching(POINTS, POINTS[:2], 1.0), ValueError, r"points2 has 2 point.* at least 3"),
    ("order", lambda: problems.graph_matching(POINTS[:3], POINTS, 1.0), ValueError, "points1 has 3 .* has 5; .* swap"),
    ("line", lambda: problems.graph_matching([[0, 0], [1, 1], [2, 2]], POINTS[:3], 1.0), ValueError, "not all on one line"),
]


@table(bad_matrices(MATRICES), bad_matrices(OPERATORS, dense=False), bad_matrices(LINEAR, required=False), bad_arrays(WEIGHTS))
def test_bad_data_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@table(bad_numbers(NUMBERS), bad_integers(INTEGERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "mu", [1, np.float32(1), np.int8(1), np.array(1.0), np.array(1), Fraction(1), [1, 1], [[1.0]]], ids=repr
)
def test_the_same_weight_in_any_dress(mu):
    assert problems.quadratic(C, B, mu).value(X) == pytest.approx(problems.quadratic(C, B, 1.0).value(X))
