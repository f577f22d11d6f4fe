"""Mistakes in the arguments of a start are named."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.starts import STARTS
from refusals import PROBLEM, A, bad_integers, every_return, table, with_terms

every_start = pytest.mark.parametrize("name", STARTS)
SEEDS = {f"{name}.rng": ("rng", lambda v, name=name: getattr(op.starts, name)(PROBLEM, v), 0) for name in STARTS}


@table(bad_integers(SEEDS))
def test_bad_seeds_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@every_start
@pytest.mark.parametrize("problem", [A, None, "sparse_pca", op.Problem, PROBLEM.smooth], ids=lambda v: type(v).__name__)
def test_what_is_no_problem_is_refused(name, problem):
    with pytest.raises(TypeError, match=r"problem is .*; it needs an orthoprox.Problem, such as"):
        getattr(op.starts, name)(problem, 0)


@pytest.mark.parametrize("name", ["pca", "coordinates", "smoothed"])
@every_return
def test_terms_that_return_the_wrong_thing_are_refused(name, terms, error, message):
    with pytest.raises(error, match=message):
        getattr(op.starts, name)(with_terms(**terms), 0)


@every_start
def test_a_seed_is_its_generator(name):
    start = getattr(op.starts, name)
    expected = STARTS[name](PROBLEM, np.random.default_rng(3))
    np.testing.assert_array_equal(start(PROBLEM, 3), expected)
    np.testing.assert_array_equal(start(PROBLEM, np.random.default_rng(3)), expected)
    assert start.__doc__ == STARTS[name].__doc__


@every_start
@pytest.mark.parametrize(("problem", "rng"), [(None, 0), (PROBLEM, None), (PROBLEM, np.random), (PROBLEM, np.ma.masked)])
def test_the_registry_checks_as_well(name, problem, rng):
    with pytest.raises(TypeError, match=r"(problem|rng) is .*; it needs an (orthoprox.Problem|int or a numpy)"):
        STARTS[name](problem, rng)


def with_late_gradient(odd, first):
    """A problem whose gradient is odd from one call on."""
    calls = []

    def grad(X):
        calls.append(0)
        return odd(np.tanh(X)) if len(calls) >= first else np.tanh(X)

    return op.Problem(op.smooth.Function(lambda X: np.sum(np.log(np.cosh(X))), grad), op.nonsmooth.L1(0.1), (6, 2))


@pytest.mark.parametrize("name", ["pca", "coordinates", "smoothed"])
@pytest.mark.parametrize(
    ("odd", "shown"),
    [(lambda D: D * 1j, "complex128"), (lambda D: D[:1], r"shape \(1, 2\)"), (lambda D: None, "None")],
    ids=["complex", "row", "None"],
)
def test_a_gradient_that_is_odd_at_a_later_call_is_named(name, odd, shown):
    with pytest.raises((TypeError, ValueError), match=f"smooth term Function returned .*{shown}"):
        getattr(op.starts, name)(with_late_gradient(odd, 3), 0)


@every_start
@pytest.mark.parametrize("first", range(2, 12))
@pytest.mark.parametrize("factor", [np.inf, np.nan, 1e300])
def test_a_start_is_a_point_of_the_manifold_or_refused(name, first, factor):
    gap, refusal = 0.0, None
    try:
        gap = op.stiefel.feasibility(getattr(op.starts, name)(with_late_gradient(lambda D: D * factor, first), 0))
    except ValueError as error:
        refusal = error
    assert gap <= 1e-12
    assert refusal is None or (type(refusal) is ValueError and "hoose another" in str(refusal))


def test_what_a_term_raises_passes_as_it_is():
    calls = []

    def grad(X):
        calls.append(0)
        return np.ones_like(X) if len(calls) < 3 else {}["mine"]

    with pytest.raises(KeyError, match="mine"):
        op.starts.pca(op.Problem(op.smooth.Function(np.sum, grad), op.nonsmooth.Zero(), (6, 2)), 0)
