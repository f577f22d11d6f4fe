"""Mistakes in what is to be certified are named."""

import numpy as np
import pytest

import orthoprox as op
from refusals import UNTOUCHABLE, C, N, X, bad_matrices, every_return, table, with_terms

POINT = {"certificate.X": ("X", lambda v: op.certificate(UNTOUCHABLE, v), X)}
MULTIPLIER = {"certificate.multiplier": ("multiplier", lambda v: op.certificate(UNTOUCHABLE, X, multiplier=v), np.eye(N))}
MISFITS = [
    (
        "certificate",
        lambda: op.certificate(X, X),
        TypeError,
        "problem is a NumPy array .*; it needs an orthoprox.Problem",
    ),
    ("point", lambda: op.certificate(UNTOUCHABLE, X.T), ValueError, r"X has shape \(2, 6\); it needs shape \(6, 2\)"),
    (
        "multiplier",
        lambda: op.certificate(UNTOUCHABLE, X, multiplier=C),
        ValueError,
        r"multiplier has shape \(6, 6\); it needs shape \(2, 2\)",
    ),
]


@table(bad_matrices(POINT), bad_matrices(MULTIPLIER, required=False), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@every_return
def test_terms_that_return_the_wrong_thing_are_refused(terms, error, message):
    with pytest.raises(error, match=message):
        op.certificate(with_terms(**terms), X)
