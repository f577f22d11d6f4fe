"""The checks offered to users accept right terms and reject wrong ones."""

import numpy as np
import pytest
from hypothesis import given

import orthoprox as op
from cases import EXAMPLES, NONSMOOTH, SEEDS, SHAPE, SMOOTH, normal
from orthoprox.checks import check_grad, check_prox
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.smooth.base import Smooth

X = normal(0, *SHAPE)


@pytest.mark.parametrize("name", SMOOTH)
def test_right_gradients_are_accepted(name):
    """The error is small, and returned."""
    assert 0 <= check_grad(SMOOTH[name], X) <= 1e-5


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e-3, 1.0, 1e3, 1e8, 1e200])
def test_gradients_are_judged_at_their_own_scale(scale):
    """l and c l pass together, or fail together."""
    assert check_grad(op.smooth.Function(lambda X: scale * np.sum(X**4), lambda X: 4 * scale * X**3), X) <= 1e-7
    with pytest.raises(ValueError, match="does not fit"):
        check_grad(op.smooth.Function(lambda X: scale * np.sum(X**4), lambda X: 3 * scale * X**3), X)


def wrong_gradients():
    ell = SMOOTH["Quadratic linear"]
    one = np.zeros(SHAPE)
    one[3, 1] = 1.0
    return {
        "factor 2": lambda X: 2 * ell.grad(X),
        "sign": lambda X: -ell.grad(X),
        "zero": lambda X: 0 * X,
        "no linear part": lambda X: ell.grad(X) - ell.B,
        "one entry": lambda X: ell.grad(X) + one,
        "a thousandth": lambda X: 1.001 * ell.grad(X),
        "NaN": lambda X: np.nan * X,
        "transposed": lambda X: ell.grad(X).T,
    }


@pytest.mark.parametrize("mistake", wrong_gradients())
@given(seed=SEEDS)
@EXAMPLES
def test_wrong_gradients_are_rejected(mistake, seed):
    """No mistake passes, at any point and in any draw of the directions."""
    wrong = op.smooth.Function(SMOOTH["Quadratic linear"].value, wrong_gradients()[mistake])
    with pytest.raises(ValueError, match="grad"):
        check_grad(wrong, normal(seed, *SHAPE), seed=seed)


class Split(Smooth):
    """l(X) = |X|^2 / 2, with a ``value_and_grad`` of its own."""

    def __init__(self, value, grad):
        self.both = value, grad

    def value(self, X):
        return np.sum(X**2) / 2

    def grad(self, X):
        return X

    def value_and_grad(self, X):
        return self.both[0] * self.value(X), self.both[1] * X


def test_value_and_grad_is_checked_as_well():
    """Right alone and wrong together is wrong, NaN included."""
    check_grad(Split(1.0, 1.0), X)
    for both in ((1.01, 1.0), (1.0, 1.01), (1.0, np.nan), (np.nan, 1.0)):
        with pytest.raises(ValueError, match="grad"):
            check_grad(Split(*both), X)


def test_infinite_gradients_are_rejected():
    """Infinity fits no difference quotient."""
    with pytest.raises(ValueError, match="grad"):
        check_grad(op.smooth.Function(lambda X: np.sum(X), lambda X: np.full(X.shape, np.inf)), X)


@pytest.mark.parametrize("name", NONSMOOTH)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e6])
def test_right_proxes_are_accepted(name, scale):
    """No trial does better, however large X is, and however near the border of a set."""
    for seed in range(3):
        assert check_prox(NONSMOOTH[name], scale * normal(seed, *SHAPE), seed=seed) <= 1e-9


def soft(X, t):
    return np.sign(X) * np.maximum(np.abs(X) - t, 0)


WRONG_PROXES = {
    "factor 2": lambda X, t: 2 * soft(X, t),
    "sign": lambda X, t: -soft(X, t),
    "identity": lambda X, t: X,
    "zero": lambda X, t: 0 * X,
    "twice t": lambda X, t: soft(X, 2 * t),
    "half t": lambda X, t: soft(X, t / 2),
    "1 / t": lambda X, t: soft(X, 1 / t),
    "no t": lambda X, t: soft(X, 1.0),
    "hard": lambda X, t: np.where(np.abs(X) > t, X, 0.0),
    "one percent": lambda X, t: 1.01 * soft(X, t),
    "NaN": lambda X, t: np.nan * X,
    "transposed": lambda X, t: soft(X, t).T,
}


@pytest.mark.parametrize("mistake", WRONG_PROXES)
@given(seed=SEEDS)
@EXAMPLES
def test_wrong_proxes_are_rejected(mistake, seed):
    """No mistake passes for the prox of the l1 norm, at any point and in any draw of the trials."""
    wrong = op.nonsmooth.Function(lambda X: np.sum(np.abs(X)), WRONG_PROXES[mistake])
    with pytest.raises(ValueError, match="prox"):
        check_prox(wrong, 2 * normal(seed, *SHAPE), 0.3, seed=seed)


def test_proxes_outside_the_domain_are_rejected():
    """A prox where g is infinite minimises nothing."""
    g = op.nonsmooth.Nonnegative()
    with pytest.raises(ValueError, match="finite"):
        check_prox(op.nonsmooth.Function(g.value, lambda X, t: X), X)


@pytest.mark.parametrize("name", ["MCP", "SCAD"])
def test_a_modulus_too_small_is_rejected(name):
    """With a smaller modulus the model promises more curvature than it has; with a larger one it
    promises less.
    """
    g, near = NONSMOOTH[name], np.clip(X, -1.0, 1.0)
    for modulus in (g.modulus, 1.1 * g.modulus):
        check_prox(op.nonsmooth.Function(g.value, g.prox, modulus), near)
    for modulus in (0.0, 0.9 * g.modulus):
        with pytest.raises(ValueError, match="modulus"):
            check_prox(op.nonsmooth.Function(g.value, g.prox, modulus), near)


def test_points_in_single_precision_are_checked_in_double():
    """A right term passes at a float32 point too: rounding is not a mistake of the term."""
    for dtype in (np.float32, np.float64, int):
        check_grad(SMOOTH["Quadratic linear"], X.astype(dtype))
        check_prox(NONSMOOTH["L21"], X.astype(dtype))


def test_checks_are_deterministic():
    """The same seed tries the same points."""
    assert check_grad(SMOOTH["Quadratic"], X, seed=3) == check_grad(SMOOTH["Quadratic"], X, seed=3)
    assert check_prox(NONSMOOTH["L1"], X, seed=3) == check_prox(NONSMOOTH["L1"], X, seed=3)


def test_checks_need_terms():
    """Each check names the kind of term that it is for."""
    with pytest.raises(TypeError, match=Smooth.__name__):
        check_grad(NONSMOOTH["L1"], X)
    with pytest.raises(TypeError, match=Nonsmooth.__name__):
        check_prox(SMOOTH["Quadratic"], X)
