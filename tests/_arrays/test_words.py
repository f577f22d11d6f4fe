"""What a user passed is told in a few words, however large it is."""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox._arrays.words import short, shown

A = np.ones((300, 40))


class Broken:
    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (A, "a NumPy array of shape (300, 40)"),
        (A[0], "a NumPy array of shape (40,)"),
        (np.ma.masked_less(A, 2), "a MaskedArray of shape (300, 40)"),
        (sp.csr_array(A), "a csr_array of shape (300, 40)"),
        (np.array(2.0), "array(2.), a ndarray"),
        (None, "None, a NoneType"),
        ("lasso", "'lasso', a str"),
        ([A, 1], "[<a NumPy array of shape (300, 40)>, 1], a list"),
        ({"A": A}, "{'A': <a NumPy array of shape (300, 40)>}, a dict"),
        (list(range(10**6)), "[0, 1, 2, 3, 4, 5, ...], a list"),
        (np.float64, "<class 'numpy.float64'>, a type"),
        (10**5000, "2**16610 or so, a int"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_shown_by_what_they_are(value, words):
    assert shown(value) == words


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, [["y" * 999] * 99] * 99, Broken(), [Broken()], -(10**9999), {"k" * 999: A}],
    ids=lambda v: type(v).__name__,
)
def test_no_value_makes_a_message_long(value):
    assert len(short(value)) <= 104
    assert "\n" not in short(value)


PROBLEM = op.problems.sparse_pca(np.random.default_rng(0).standard_normal((9, 6)), 2, 0.1)
CALLS = {
    "minimize": lambda v: op.minimize(v),
    "path": lambda v: op.path(v, [1.0]),
    "path.mus": lambda v: op.path(PROBLEM, 3.0 if v is A else v),
    "certificate": lambda v: op.certificate(v, A),
    "smooth": lambda v: op.Problem(v, PROBLEM.nonsmooth, (6, 2)),
    "nonsmooth": lambda v: op.Problem(PROBLEM.smooth, v, (6, 2)),
    "shape": lambda v: op.Problem(PROBLEM.smooth, PROBLEM.nonsmooth, v),
    "method": lambda v: op.minimize(PROBLEM, method=v),
    "tol": lambda v: op.minimize(PROBLEM, tol=v),
    "seed": lambda v: op.minimize(PROBLEM, seed=v),
    "polish": lambda v: op.minimize(PROBLEM, polish=v),
    "callback": lambda v: op.minimize(PROBLEM, callback=v),
    "n": lambda v: op.problems.sparse_pca(A, v, 1.0),
    "L21": op.nonsmooth.L21,
    "Box": lambda v: op.nonsmooth.Box(v, 0.0),
    "check_grad": lambda v: op.checks.check_grad(v, A),
    "check_prox": lambda v: op.checks.check_prox(v, A),
    "fun": lambda v: op.smooth.Function(v, v),
    "house": op.datasets.cmu_house,
}


@pytest.mark.parametrize("value", [A, [list(range(9999))] * 9], ids=["array", "list"])
@pytest.mark.parametrize("name", CALLS)
def test_no_message_prints_a_whole_array(name, value):
    with pytest.raises((TypeError, ValueError)) as refused:
        CALLS[name](value)
    assert len(str(refused.value)) <= 400
