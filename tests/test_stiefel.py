"""The public geometry of the manifold: the same numbers as inside, for input that is checked."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox._linalg import stiefel as inside
from refusals import bad_matrices, table

X, W = normal(0, 6, 2), normal(1, 6, 2)
ONE = ("defect", "feasibility", "norm", "polar", "qr")
TWO = ("inner", "multiplier", "tangent")


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_matrix_are_those_inside(name):
    np.testing.assert_array_equal(getattr(op.stiefel, name)(X.tolist()), getattr(inside, name)(X))
    np.testing.assert_array_equal(op.stiefel.sym(X @ X.T), inside.sym(X @ X.T))


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_matrices_are_those_inside(name):
    np.testing.assert_array_equal(getattr(op.stiefel, name)(X, W.tolist()), getattr(inside, name)(X, W))
    stacked = getattr(op.stiefel, name)(np.stack([X, W]), np.stack([W, W]))
    np.testing.assert_allclose(stacked[0], getattr(inside, name)(X, W), rtol=1e-14, atol=1e-15)


def test_retractions_by_name():
    assert set(op.stiefel.RETRACTIONS) == set(inside.RETRACTIONS)
    assert set(op.stiefel.__all__) <= set(dir(inside))


MATRICES = {f"{name}.X": ("X", getattr(op.stiefel, name), X) for name in ONE}
MATRICES |= {f"{name}.X": ("X", lambda v, name=name: getattr(op.stiefel, name)(v, W), X) for name in TWO}
MATRICES |= {f"{name}.W": ("[WY]", lambda v, name=name: getattr(op.stiefel, name)(X, v), W) for name in TWO}
MATRICES |= {"sym.M": ("M", op.stiefel.sym, np.eye(3))}
MISFITS = [
    *(
        (f"{name} wide", lambda name=name: getattr(op.stiefel, name)(X.T), ValueError, r"X has shape \(2, 6\); .* transpose")
        for name in ("defect", "feasibility", "polar", "qr")
    ),
    ("sym", lambda: op.stiefel.sym(X), ValueError, r"M has shape \(6, 2\); it needs as many rows as columns"),
    ("tangent wide", lambda: op.stiefel.tangent(X.T, W.T), ValueError, r"X has shape \(2, 6\); .* pass its transpose"),
    ("tangent", lambda: op.stiefel.tangent(X, W[:3]), ValueError, r"W has shape \(3, 2\); it needs shape \(6, 2\)"),
    ("multiplier", lambda: op.stiefel.multiplier(X, W[:, :1]), ValueError, r"W has shape \(6, 1\); it needs shape \(6, 2\)"),
    ("inner", lambda: op.stiefel.inner(X, W.T), ValueError, r"Y has shape \(2, 6\); it needs shape \(6, 2\)"),
    (
        "batches",
        lambda: op.stiefel.inner(np.stack([X, X]), np.stack([W, W, W])),
        ValueError,
        r"X has shape \(2, 6, 2\), Y \(3, 6, 2\); their batch axes need to be the same",
    ),
    (
        "libraries",
        lambda: op.stiefel.inner(X, strict.asarray(W)),
        TypeError,
        "X is an array of numpy and Y one of array_api_strict; both need to be of one library",
    ),
    ("stack", lambda: op.stiefel.feasibility(np.stack([X, X])), ValueError, r"X has 3 dimension\(s\)"),
]


def test_lengths_of_what_diverges_are_not_finite():
    """A method of one's own tells by its numbers that it diverges."""
    with np.errstate(invalid="ignore"):
        assert np.isnan(op.stiefel.norm(X * np.nan))
        assert np.isnan(op.stiefel.inner(X, W * np.nan))
    assert op.stiefel.norm(X * np.inf) == np.inf


def refused():
    """Mistakes of all kinds, but for entries of which lengths are infinite or not a number."""
    for row in bad_matrices(MATRICES):
        if not (row[0].startswith(("norm", "inner")) and row[0].endswith((" NaN", " infinite"))):
            yield row


@table(refused(), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
