"""Step lengths: backtracking and Barzilai-Borwein."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal, symmetric
from orthoprox._linalg.linesearch import averaged, backtrack, barzilai_borwein


@given(good=st.integers(0, 12), shrink=st.sampled_from([0.1, 0.5, 0.9]), first=st.sampled_from([1e-3, 1.0, 50.0]))
@EXAMPLES
def test_the_first_good_length_is_taken(good, shrink, first):
    """first, shrink first, shrink^2 first, ... are tried in this order, each once, up to the first
    that is good.
    """
    tried = []

    def at(length):
        tried.append(length)
        return len(tried) - 1

    step = backtrack(at, lambda length, point: point >= good, first, shrink=shrink, shortest=0.0)
    np.testing.assert_allclose(tried, first * shrink ** np.arange(good + 1))
    assert (step.length, step.point, step.trials, step.accepted) == (tried[-1], good, good + 1, True)


@pytest.mark.parametrize(("shortest", "trials"), [(0.3, 2), (0.25, 3), (0.2, 3), (1.0, 1), (9.0, 1)])
def test_no_length_is_shorter_than_the_shortest(shortest, trials):
    """Where nothing is good the search ends at the last length from ``shortest`` up, and says so;
    one is always tried.
    """
    step = backtrack(lambda length: length, lambda length, point: False, 1.0, shortest=shortest)
    assert (step.length, step.trials, step.accepted) == (0.5 ** (trials - 1), trials, False)
    assert step.point == step.length


def test_a_value_that_is_not_a_number_is_not_good():
    """Comparisons with NaN fail: the search goes on past a point where f is not defined."""

    def f(x):
        return float("nan") if x < 0 else x**2

    step = backtrack(lambda t: 1 - 2 * t, lambda t, x: f(x) <= 1 - t, 1.0, shortest=1e-9)
    assert (step.point, step.trials) == (0.0, 2)


@given(seed=SEEDS, m=st.sampled_from([1, 4, 9]))
@EXAMPLES
def test_barzilai_borwein_is_an_inverse_curvature(seed, m):
    """With V = HS for positive definite H the length |<S, V>| / <V, V> lies between 1 / max and 1 /
    min of the spectrum.
    """
    H = symmetric(seed, m) @ symmetric(seed, m) + np.eye(m)
    S = normal(seed + 1, m, 2)
    w = np.linalg.eigvalsh(H)
    length = barzilai_borwein(S, H @ S)
    assert type(length) is float
    assert (1 - 1e-12) / w[-1] <= length <= (1 + 1e-12) / w[0]
    assert barzilai_borwein(S, -H @ S) == length
    assert barzilai_borwein(S, 3 * S) == pytest.approx(1 / 3)


@given(seed=SEEDS)
@EXAMPLES
def test_the_long_barzilai_borwein_step_is_the_longer(seed):
    """<S, S> / |<S, V>| is not below |<S, V>| / <V, V>; the geometric mean of both is |S| / |V|."""
    S, V = normal(seed, 5, 2), normal(seed + 1, 5, 2)
    short, long = barzilai_borwein(S, V), barzilai_borwein(S, V, long=True)
    assert long >= short
    assert short * long == pytest.approx(np.sum(S**2) / np.sum(V**2))


def test_barzilai_borwein_of_no_change_is_zero():
    """Where the gradient did not change there is no curvature to invert."""
    assert barzilai_borwein(np.ones((3, 2)), np.zeros((3, 2))) == 0.0
    assert barzilai_borwein(np.ones((3, 2)), np.zeros((3, 2)), long=True) == 0.0


def test_the_average_forgets_old_values():
    """After f_0, ..., f_k it is the mean with weights a^k, ..., a, 1 for a factor a < 1."""
    values, a = normal(0, 30), averaged(0.0, 1.0, 0.0)[1] - 1
    assert 0 < a < 1
    C, q = float(values[0]), 1.0
    for k, f in enumerate(values[1:], start=1):
        C, q = averaged(C, q, float(f))
        weights = a ** np.arange(k, -1, -1)
        assert pytest.approx(weights.sum()) == q
        assert pytest.approx(np.average(values[: k + 1], weights=weights)) == C


@pytest.mark.parametrize("length", [0.0, float("nan"), float("inf")])
def test_a_length_that_is_no_positive_number_is_tried_once(length):
    found = backtrack(lambda a: a, lambda a, point: False, length, shortest=0.0)
    assert (found.trials, found.accepted) == (1, False)
