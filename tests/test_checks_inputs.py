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
        ValueError, match=r"prox does not minimise its model: .* better by .* Check its formula and the meaning of t"
    ):
        op.checks.check_prox(wrong, X)


def test_an_exact_prox_of_a_penalty_that_is_not_weakly_convex_is_not_called_wrong():
    """min(|x|, .3) has an exact prox, but no quadratic makes it convex."""

    def prox(Z, t):
        A = np.abs(Z)
        inner, outer = np.clip(A - t, 0, 0.3), np.maximum(A, 0.3)
        lower = inner + (inner - A) ** 2 / (2 * t) <= 0.3 + (outer - A) ** 2 / (2 * t)
        return np.sign(Z) * np.where(lower, inner, outer)

    capped = nonsmooth.Function(lambda Z: np.sum(np.minimum(np.abs(Z), 0.3)), prox)
    with pytest.raises(ValueError, match=r"g is not convex up to its modulus = 0, .* no point tried is better than the prox"):
        op.checks.check_prox(capped, X, 0.1)


def test_a_prox_is_not_checked_beyond_its_modulus():
    with pytest.raises(ValueError, match=r"t = 0.5; .* t < 1 / modulus = 0.25, pass a smaller t"):
        op.checks.check_prox(nonsmooth.Function(fail, fail, modulus=4.0), X)


ODD = {
    "vector": (lambda found: np.ones(3), "NumPy array of shape"),
    "complex": (lambda found: found + 1j, "complex"),
    "masked": (lambda found: np.ma.masked, "masked"),
    "None": (lambda found: None, "None"),
    "text": (lambda found: "1", "'1'"),
    "huge": (lambda found: 10**400, "beyond 1.8e308"),
}


def late(function, first, odd):
    """A function that returns something odd from one call on."""
    calls = []

    def one(*arguments):
        calls.append(0)
        found = function(*arguments)
        return odd(found) if len(calls) >= first else found

    return one


@pytest.mark.parametrize("first", [2, 3, 8])
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.filterwarnings("error")
def test_a_value_that_is_odd_at_a_later_call_is_named(kind, first):
    odd, shown = ODD[kind]
    ell = smooth.Function(late(lambda X: np.sum(X**2), first, odd), lambda X: 2 * X)
    with pytest.raises((TypeError, ValueError), match=f"smooth term Function returned .*{shown}.*; it needs"):
        op.checks.check_grad(ell, X)
    g = nonsmooth.Function(late(lambda X: np.sum(np.abs(X)), first, odd), L1.prox)
    with pytest.raises((TypeError, ValueError), match=f"nonsmooth term Function returned .*{shown}.*; it needs"):
        op.checks.check_prox(g, X)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize(
    ("odd", "shown"),
    [(lambda D: D * 1j, "complex128"), (lambda D: D[:1], "shape"), (lambda D: D.tolist(), "a list")],
    ids=["complex", "row", "list"],
)
@pytest.mark.filterwarnings("error")
def test_a_gradient_that_is_odd_at_a_later_call_is_named(odd, shown, scale):
    ell = smooth.Function(lambda X: scale * np.sum(X), late(lambda X: scale * np.ones_like(X), 2, odd))
    with pytest.raises((TypeError, ValueError), match=f"smooth term Function returned .*{shown}.*; (it needs|both need)"):
        op.checks.check_grad(ell, X)


def test_what_a_term_raises_passes_as_it_is():
    def broken(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        op.checks.check_grad(smooth.Function(np.sum, broken), X)
    with pytest.raises(KeyError, match="mine"):
        op.checks.check_prox(nonsmooth.Function(lambda X: 0.0, broken), X)


def test_a_term_that_changes_its_argument_changes_nothing_else():
    def value(Z):
        total = np.sum(Z**2)
        Z *= 0
        return total

    op.checks.check_grad(smooth.Function(value, lambda Z: 2 * Z), X)


@pytest.mark.parametrize("scale", [1e60, 1e154, 1e200, 1e300])
@pytest.mark.parametrize("g", [L1, nonsmooth.Nonnegative(), nonsmooth.MCP(1.0)], ids=lambda g: type(g).__name__)
def test_a_prox_is_checked_at_points_of_any_size(g, scale):
    op.checks.check_prox(g, scale * X)
    wrong = nonsmooth.Function(g.value, lambda Z, t: g.prox(Z, t) + 0.1 * np.abs(Z))
    with pytest.raises(ValueError, match="prox does not minimise its model"):
        op.checks.check_prox(wrong, scale * X)


def test_a_model_that_overflows_is_not_blamed_on_g():
    with pytest.raises(ValueError, match=r"t = 1e-310; the model .* overflows, pass a larger t"):
        op.checks.check_prox(nonsmooth.Nonnegative(), X, 1e-310)
