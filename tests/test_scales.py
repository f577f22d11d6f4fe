"""Extreme scales: f times 1e-200 to 1e200 is solved as f is, and to the last bit if the factor is a
power of two.
"""

import warnings
from dataclasses import astuple

import numpy as np
import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, SUBLINEAR, normal, symmetric
from orthoprox import nonsmooth, smooth
from orthoprox.solvers import SOLVERS
from orthoprox.starts import STARTS

EXPONENTS = -660, -400, 400, 660
A, B, DATA = symmetric(1, 12), normal(2, 12, 3), normal(3, 30, 12)
SHAPE = 12, 3


def function(c):
    """A term of the user's own."""
    return smooth.Function(lambda X: c * np.sum(np.log(np.cosh(X + B))), lambda X: c * np.tanh(X + B))


PROBLEMS = {
    "l1": lambda c: op.Problem(smooth.Quadratic(c * A, c * B), nonsmooth.L1(0.4 * c), SHAPE),
    "smooth": lambda c: op.Problem(smooth.Quadratic(c * A, c * B), nonsmooth.Zero(), SHAPE),
    "no weight": lambda c: op.Problem(smooth.Quadratic(c * A, c * B), nonsmooth.L1(0.0), SHAPE),
    "no smooth term": lambda c: op.Problem(smooth.Quadratic(0 * A), nonsmooth.L1(0.4 * c), SHAPE),
    "rows": lambda c: op.Problem(smooth.Variance(c**0.5 * DATA), nonsmooth.L21(3 * c), SHAPE),
    "MCP": lambda c: op.Problem(smooth.Quadratic(c * A, c * B), nonsmooth.MCP(c, 3 / c), SHAPE),
    "function": lambda c: op.Problem(function(c), nonsmooth.L1(0.4 * c), SHAPE),
}


def minimize(problem, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        return op.minimize(problem, **options)


def assert_same(result, base, c):
    """Everything that is reported of c f is that of f: what has its unit c times as large, the rest
    as it is.
    """
    same = np.testing.assert_array_equal
    same(result.X, base.X)
    assert (result.status, result.iterations, result.work) == (base.status, base.iterations, base.work)
    same(astuple(result.measurement.times(1 / c)), astuple(base.measurement))
    proof, other = result.certificate.times(1 / c), base.certificate
    for name in ("point", "distance", "feasibility", "upper", "lower", "multiplier", "gradient", "subgradient"):
        same(getattr(proof, name), getattr(other, name))
    if base.multiplier is not None:
        same(result.multiplier, c * base.multiplier)
    same(result.history["projected_objective"], c * base.history["projected_objective"])
    same(result.history["kkt_error"], base.history["kkt_error"])
    same([part.objective for part in result.phases], [c * part.objective for part in base.phases])


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("method", SOLVERS)
def test_powers_of_two_change_nothing(method, kind):
    """The runs on f and on 2^k f agree to the last bit."""
    problem, options = PROBLEMS[kind], {"method": method, "start": "random", "max_iterations": 60}
    if any(ability.lacking_in(problem(1.0)) for ability in SOLVERS[method]().needs):
        return
    base = minimize(problem(1.0), **options)
    for k in EXPONENTS:
        assert_same(minimize(problem(2.0**k), **options), base, 2.0**k)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_the_default_call_is_invariant(kind):
    """With its search for a start, lower minima and polish."""
    base = op.minimize(PROBLEMS[kind](1.0))
    assert base.converged
    for k in (-660, 660):
        assert_same(op.minimize(PROBLEMS[kind](2.0**k)), base, 2.0**k)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_ordinary_scales_are_invariant_without_a_unit(kind):
    runs = [minimize(PROBLEMS[kind](c), start="random") for c in (1.0, 2.0**-30, 2.0**30)]
    for result, c in zip(runs[1:], (2.0**-30, 2.0**30), strict=True):
        assert_same(result, runs[0], c)


@pytest.mark.parametrize("method", SOLVERS)
def test_powers_of_ten_converge(method):
    kind = "smooth" if method in SMOOTH_ONLY else "l1"
    if method in SUBLINEAR or method == "dissolving":
        kind = "smooth"
    for c in (1e-200, 1e-100, 1e100, 1e200):
        result = op.minimize(PROBLEMS[kind](c), "random", method=method, tol=1e-4)
        assert result.converged
        base = op.minimize(PROBLEMS[kind](1.0), "random", method=method, tol=1e-4)
        assert result.objective == pytest.approx(c * base.objective, rel=1e-3, abs=0)


def test_starts_in_processes(monkeypatch):
    """The problem over a unit is sent to other processes."""
    problem, c = PROBLEMS["MCP"], 2.0**660
    monkeypatch.setattr("orthoprox._run.multistart.cores", lambda: 2)
    result = op.minimize(problem(c), "random", n_starts=2)
    monkeypatch.setattr("orthoprox._run.multistart.cores", lambda: 1)
    assert_same(result, op.minimize(problem(1.0), "random", n_starts=2), c)


@pytest.mark.parametrize("c", [2.0**-660, 2.0**660])
def test_paths(c):
    """Each weight of a path has its own unit."""
    problem, weights = PROBLEMS["l1"], [0.8, 0.4, 0.0]
    runs = zip(op.path(problem(c), [c * mu for mu in weights]), op.path(problem(1.0), weights), strict=True)
    for result, base in runs:
        assert np.array_equal(result.X, base.X)
        assert result.objective == c * base.objective


@pytest.mark.parametrize("c", [2.0**-660, 2.0**660])
@pytest.mark.parametrize("start", STARTS)
def test_starts_by_themselves(start, c):
    for kind in ("l1", "function"):
        X, Y = (STARTS[start](PROBLEMS[kind](scale), np.random.default_rng(3)) for scale in (1.0, c))
        np.testing.assert_allclose(Y, X, atol=1e-12)


@pytest.mark.parametrize("k", [-960, -660, 660, 960])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_certificates_by_themselves(kind, k):
    """A bound of a tiny f is not 0, one of a huge f is finite, and both scale exactly."""
    X, c = op.stiefel.random_point(*SHAPE, 1), 2.0**k
    base, proof = op.certificate(PROBLEMS[kind](1.0), X), op.certificate(PROBLEMS[kind](c), X)
    assert 0 < base.lower <= base.upper
    assert (proof.upper, proof.lower, proof.gradient) == (c * base.upper, c * base.lower, c * base.gradient)
    assert proof.relative() == base.relative()
    again = op.certificate(PROBLEMS[kind](c), X, multiplier=proof.multiplier)
    assert again.upper == c * op.certificate(PROBLEMS[kind](1.0), X, multiplier=base.multiplier).upper


def test_the_end_of_the_range():
    """Entries whose sums nearly overflow."""
    P = op.problems.quadratic(1e307 * (np.eye(12) + np.diag(np.arange(12.0)) / 20), B, 0.1)
    result = op.minimize(P, "random")
    assert result.converged
    assert result.objective == pytest.approx(1e307 * 3.15 / 2)


def test_single_precision():
    """Its range ends at 3e38, and squares of 1e20 are beyond it."""

    def problem(c):
        return op.Problem(smooth.Quadratic((c * A).astype(np.float32)), nonsmooth.L1(0.4 * c), SHAPE)

    base = op.minimize(problem(1.0), tol=1e-4)
    assert base.converged
    for k in (-90, 90):
        result = op.minimize(problem(2.0**k), tol=1e-4)
        assert result.X.dtype == np.float32
        assert np.array_equal(result.X, base.X)


@pytest.mark.parametrize("mu", [1e-200, 1e200])
@pytest.mark.parametrize("g", [nonsmooth.L1, nonsmooth.L21, nonsmooth.MCP, nonsmooth.SCAD])
def test_terms_of_different_size(g, mu):
    """One term is all that double precision can see of l + g. Without l, certificates are no less
    strict: what is not proved relative to grad l is not called converged.
    """
    result = minimize(op.Problem(smooth.Variance(DATA), g(mu), SHAPE))
    assert np.isfinite(result.X).all()
    assert result.feasibility <= 1e-6
    assert result.certificate.gradient == pytest.approx(np.linalg.norm(2 * DATA.T @ DATA @ result.X))
    if mu < 1:
        assert result.converged
    else:
        assert result.objective == pytest.approx(3 * mu)  # three coordinate vectors
        assert result.converged == (result.measurement.kkt_error <= 1e-6)


@pytest.mark.parametrize("method", SOLVERS)
def test_terms_of_different_size_in_every_method(method):
    for g in (nonsmooth.SCAD(1e200), nonsmooth.MCP(1e200), nonsmooth.L21(1e200), nonsmooth.Box(1e-200, 1)):
        problem = op.Problem(smooth.Variance(DATA), g, SHAPE)
        if any(ability.lacking_in(problem) for ability in SOLVERS[method]().needs):
            continue
        result = minimize(problem, method=method, start="random", max_iterations=3)
        assert np.isfinite(result.X).all()
        assert result.converged == (result.measurement.kkt_error <= 1e-6)


@pytest.mark.parametrize("lower", [1e-200, -1e-200])
def test_bounds_near_zero(lower):
    """Entries of 1e-200 have no square; polishing holds them where they are."""
    result = op.minimize(op.Problem(smooth.Variance(DATA), nonsmooth.Box(lower, 1), SHAPE))
    assert result.converged
    assert result.X.min() >= -1e-12
