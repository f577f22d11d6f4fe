"""Mistakes in the arguments of the checks are named."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox import nonsmooth, smooth
from refusals import (
    ELL,
    L1,
    POSITIVE,
    UNTOUCHABLE,
    B,
    C,
    X,
    bad_integers,
    bad_matrices,
    bad_numbers,
    every_return,
    fail,
    table,
    with_terms,
)

POINTS = {
    "check_grad.X": ("X", lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, v), X),
    "check_prox.X": ("X", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, v), X),
}
NUMBERS = {
    "check_grad.tol": ("tol", lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, X, tol=v), POSITIVE),
    "check_prox.t": ("t", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, v), POSITIVE),
    "check_prox.tol": ("tol", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, tol=v), POSITIVE),
}
SEEDS = {
    "check_grad.seed": ("seed", lambda v: op.checks.check_grad(UNTOUCHABLE.smooth, X, seed=v), 0),
    "check_prox.seed": ("seed", lambda v: op.checks.check_prox(UNTOUCHABLE.nonsmooth, X, seed=v), 0),
}
MISFITS = [
    ("check_grad", lambda: op.checks.check_grad(L1, X), TypeError, "check_grad was given .*, a L1; it needs a Smooth"),
    ("check_prox", lambda: op.checks.check_prox(ELL, X), TypeError, "check_prox was given .*, a Quadratic; .* Nonsmooth"),
    ("check rows", lambda: op.checks.check_grad(ELL, C[1:]), ValueError, r"X has 5 rows but A has shape \(6, 6\)"),
    (
        "check mu",
        lambda: op.checks.check_prox(nonsmooth.L1(abs(B)), X.T),
        ValueError,
        r"mu has shape \(6, 2\), X has \(2, 6\)",
    ),
]


@table(bad_matrices(POINTS), bad_numbers(NUMBERS), bad_integers(SEEDS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@every_return
def test_the_checks_say_the_same(terms, error, message):
    problem = with_terms(**terms)
    is_smooth = terms.keys() & {"fun", "grad"}
    check, term = (op.checks.check_grad, problem.smooth) if is_smooth else (op.checks.check_prox, problem.nonsmooth)
    with pytest.raises(error, match=r"it needs|both need|finite"):
        check(term, X)


def test_a_wrong_gradient_is_reported():
    with pytest.raises(ValueError, match=r"gradient does not fit the value: relative error .*, above 1e-05. Check its formula"):
        op.checks.check_grad(smooth.Function(lambda X: np.sum(X**2), lambda X: X), X)


def test_a_wrong_prox_is_reported():
    wrong = nonsmooth.Function(lambda X: np.sum(np.abs(X)), lambda X, t: np.sign(X) * np.maximum(np.abs(X) - t / 2, 0))
    with pytest.raises(
        ValueError, match=r"prox does not minimise its model: .* better by .* Check its formula, the meaning of t"
    ):
        op.checks.check_prox(wrong, X)


def test_a_prox_is_not_checked_beyond_its_modulus():
    with pytest.raises(ValueError, match=r"t = 0.5; .* t < 1 / modulus = 0.25, pass a smaller t"):
        op.checks.check_prox(nonsmooth.Function(fail, fail, modulus=4.0), X)
