"""Arrays of other precisions, and shapes that almost fit, are taken or explained."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox._arrays import inputs

A = np.random.default_rng(0).standard_normal((20, 6))


@pytest.mark.parametrize("mu", [np.ones(6), [1.0] * 6, np.ones(6, np.float32)], ids=["array", "list", "float32"])
def test_one_weight_for_each_row_needs_two_dimensions(mu):
    explained = r"mu has shape \(6,\), X has \(6, 2\); .* or np\.reshape\(mu, \(-1, 1\)\) for one number each row"
    with pytest.raises(ValueError, match=explained):
        op.problems.sparse_pca(A, 2, mu)
    op.problems.sparse_pca(A, 2, np.reshape(mu, (-1, 1)))
    with pytest.raises(ValueError, match=r"lower has shape \(6,\), .* or np\.reshape\(lower, \(-1, 1\)\)"):
        op.Problem(op.smooth.Variance(A), op.nonsmooth.Box(-np.asarray(mu), 2.0), (6, 2))


def test_a_weight_that_fits_no_way_has_no_such_advice():
    with pytest.raises(
        ValueError, match=r"mu has shape \(3,\), X has \(6, 2\); pass a number or an array of shape \(6, 2\)\.$"
    ):
        op.problems.sparse_pca(A, 2, np.ones(3))


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
@pytest.mark.parametrize("term", ["grad", "prox"])
def test_terms_in_other_precisions_are_refused(term, dtype):
    if np.finfo(dtype).eps == np.finfo(float).eps:
        pytest.skip("long double is double here")
    terms = {"grad": np.ones_like, "prox": lambda X, t: X} | {term: lambda X, *_: X.astype(dtype)}
    ell, g = op.smooth.Function(np.sum, terms["grad"]), op.nonsmooth.Function(lambda X: 0.0, terms["prox"])
    with pytest.raises(TypeError, match=r"returned dtype float.*; it needs real .* float32 or float64"):
        op.minimize(op.Problem(ell, g, (6, 2)))


@pytest.mark.parametrize("place", [op.nonsmooth.L1, lambda v: op.nonsmooth.Box(v, 3.0)], ids=["mu", "lower"])
def test_sparse_weights_and_bounds_are_refused_as_sparse(place):
    with pytest.raises(TypeError, match=r"(mu|lower) is sparse; it needs a dense array, pass (mu|lower)\.toarray\(\)"):
        place(sp.csr_array(np.ones((6, 2))))


def test_rows_with_a_mask_are_refused():
    with pytest.raises(TypeError, match="A is a masked array; fill or remove its missing entries"):
        op.smooth.Variance([np.ma.masked_less(row, 0) for row in A])


@pytest.mark.parametrize(
    ("word", "meant"),
    [("random_state", "seed"), ("rng", "seed"), ("x0", "start"), ("verbose", "progress"), ("timeout", "max_seconds")],
)
def test_words_of_other_libraries_are_understood(word, meant):
    assert inputs.suggestion(word, ["seed", "start", "progress", "max_seconds"]) == f" Did you mean {meant!r}?"
    assert meant not in inputs.suggestion(word, ["colour"])
