"""Operators whose products contradict each other are refused, by one random test."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import orthoprox as op
from cases import normal, symmetric
from orthoprox._linalg import adjoint

A, C = normal(0, 30, 12), symmetric(1, 12)


def operator(matvec=lambda x: A @ x, rmatvec=lambda y: A.T @ y, shape=A.shape):
    return LinearOperator(shape, matvec=matvec, rmatvec=rmatvec, dtype=float)


def square(matvec):
    return LinearOperator(C.shape, matvec=matvec, dtype=float)


def fail(_):
    raise OSError("the file is gone")


WRONG = {
    "sign": lambda y: -(A.T @ y),
    "factor": lambda y: 2 * (A.T @ y),
    "one per cent": lambda y: 1.01 * (A.T @ y),
    "one column": lambda y: A.T @ y * (np.arange(12) != 3),
    "order": lambda y: (A.T @ y)[::-1],
    "shift": lambda y: A.T @ np.roll(y, 1),
    "zero": lambda y: np.zeros(12),
    "of others": lambda y: normal(5, 30, 12).T @ y,
    "tiny": lambda y: 1e-200 * (A.T @ y),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_operator_with_a_wrong_adjoint_is_refused(wrong):
    with pytest.raises(ValueError, match=r"A.rmatvec is not the adjoint of A.matvec: .* differ by .*; .* correct it"):
        op.problems.sparse_pca(operator(rmatvec=WRONG[wrong]), 2, 1.0)


@pytest.mark.parametrize("skew", [np.triu(C), C + 0.01 * normal(2, 12, 12), C * np.arange(12)], ids=["half", "noise", "scaled"])
def test_an_operator_that_is_not_symmetric_is_refused(skew):
    with pytest.raises(ValueError, match=r"A is not symmetric: .* differ by .*; correct .* or pass \(A \+ A.T\) \* 0.5"):
        op.smooth.Quadratic(square(lambda x: skew @ x))
    M = aslinearoperator(skew)
    op.smooth.Quadratic((M + M.T) * 0.5)


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 1e200, 1e300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(1, 1), (3, 400), (2000, 500)], ids=str)
def test_the_right_adjoint_is_accepted(size, dtype, scale):
    """Also in single precision, with columns far from 0 that are centred in each product."""
    rows = (normal(3, *size) + 100 * normal(4, 1, size[1])).astype(dtype)
    mean = rows.mean(axis=0)

    def centred(x):
        return scale * (rows @ x.astype(dtype) - mean @ x.astype(dtype)).astype(float)

    def transposed(y):
        return scale * (rows.T @ y.astype(dtype) - mean * y.astype(dtype).sum()).astype(float)

    adjoint.check_adjoint(operator(centred, transposed, size), "A")
    adjoint.check_adjoint(operator(lambda x: scale * (rows @ x), lambda y: scale * (rows.T @ y), size), "A")


def test_the_test_takes_one_product_each():
    calls = []
    op.smooth.Variance(operator(lambda x: calls.append("A") or A @ x, lambda y: calls.append("A'") or A.T @ y))
    op.smooth.Quadratic(square(lambda x: calls.append("C") or C @ x))
    assert calls == ["A", "A'", "C", "C"]


BAD = {
    "long double": (lambda v: v.astype(np.longdouble)[:30].repeat(3)[: 42 - len(v)], TypeError, "returned dtype .* float64"),
    "raises": (fail, ValueError, r"failed for a vector of shape .* with OSError: the file is gone"),
    "wrong length": (lambda v: v[:5], ValueError, r"failed for a vector of shape .* with ValueError"),
    "not a number": (lambda v: A @ v * np.nan if len(v) == 12 else A.T @ v * np.nan, ValueError, "returned NaN or infinite"),
    "complex": (
        lambda v: A @ v * 1j if len(v) == 12 else A.T @ v * 1j,
        TypeError,
        "returned dtype complex128 .* float32 or float64",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_an_operator_that_does_not_multiply_says_so(kind):
    multiply, error, message = BAD[kind]
    with pytest.raises(error, match=rf"^A\.matvec {message}"):
        op.smooth.Variance(operator(matvec=multiply))
    with pytest.raises(error, match=rf"^A\.rmatvec {message}"):
        op.smooth.Variance(operator(rmatvec=multiply))


def test_an_operator_that_changes_its_argument_does_no_harm():
    def greedy(x):
        product = A @ x
        x[:] = 0
        return product

    op.smooth.Variance(operator(greedy))
