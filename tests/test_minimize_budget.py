"""A call ends when its time is over: every method, every start, slow functions."""

from time import perf_counter, sleep

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, normal
from orthoprox._adaptive.settings import SETTINGS
from orthoprox.minimize import _time_share
from orthoprox.nonsmooth import L1, Zero
from orthoprox.starts import STARTS
from orthoprox.stopping import Status

A, DELAY, BUDGET = normal(0, 40, 20) / 4, 0.02, 0.1
ALLOWED = 1.1 * BUDGET + 0.1 + 3 * DELAY


def slow(function):
    def delayed(*arguments):
        sleep(DELAY)
        return function(*arguments)

    return delayed


def problem(who, g):
    ell = op.smooth.Variance(A)
    functions = {"value": ell.value, "gradient": ell.grad}
    if who == "prox":
        g.prox = slow(g.prox)
    else:
        functions[who] = slow(functions[who])
    return op.Problem(op.smooth.Function(*functions.values()), g, (20, 3))


def ends_in_time(what, *arguments, **options):
    """The machine may be busy: one of three calls has to be in time."""
    for _ in range(3):
        begin = perf_counter()
        with pytest.warns(op.ConvergenceWarning, match="time budget"):
            result = op.minimize(what, *arguments, max_seconds=BUDGET, **options)
        took = perf_counter() - begin
        assert result.status is Status.TIME
        assert np.all(np.isfinite(result.X))
        assert result.feasibility < 1
        if took <= ALLOWED:
            return
    raise AssertionError(f"{took:.2f} s, of which {ALLOWED:.2f} are allowed")


@pytest.mark.parametrize("name", [name for name in SOLVERS if " " not in name])
def test_every_method_ends_in_time(name):
    ends_in_time(problem("gradient", Zero() if name in SMOOTH_ONLY else L1(0.1)), "random", method=name, tol=1e-14)


@pytest.mark.parametrize("who", ["value", "gradient", "prox"])
@pytest.mark.parametrize("start", ["auto", *STARTS])
def test_every_start_ends_in_time(start, who):
    ends_in_time(problem(who, L1(0.1)), start)


def test_several_starts_share_the_time():
    ends_in_time(problem("gradient", L1(0.1)), "random", n_starts=3)


def test_what_could_not_be_certified_in_time_is_not_claimed():
    """Not even one measurement fits into this budget."""
    with pytest.warns(op.ConvergenceWarning, match="Nothing could be certified"):
        result = op.minimize(problem("gradient", L1(0.1)), "random", max_seconds=1e-6)
    assert result.iterations == 0
    assert result.stationarity == result.certificate.upper == np.inf
    assert result.certificate.lower == 0


def test_a_certificate_that_was_not_refined_says_so():
    with pytest.warns(op.ConvergenceWarning, match="quick one"):
        op.minimize(op.problems.sparse_pca(normal(0, 200, 100), 50, 0.5), max_seconds=0.05, tol=1e-14)


def test_a_short_budget_is_not_spent_on_the_search():
    """The run gets nine tenths of the time, so that it ends below a run from coordinate vectors of
    two thirds of it.
    """
    what = op.problems.sparse_pca(normal(0, 200, 100), 50, 0.5)
    values = []
    for start, seconds in (("auto", 0.15), ("coordinates", 0.1)):
        with pytest.warns(op.ConvergenceWarning):
            values.append(op.minimize(what, start, max_seconds=seconds, tol=1e-14).projected_objective)
    assert values[0] <= values[1] + 0.02 * abs(values[1])


@pytest.mark.parametrize("method", ["adaptive", "lsalm", "manpg", "soc"])
def test_a_slow_operator_ends_in_time(method):
    """Its products are also needed for the curvature of l, which no term evaluates."""
    operator = LinearOperator(A.shape, matvec=slow(lambda v: A @ v), rmatvec=slow(lambda v: A.T @ v), dtype=float)
    ends_in_time(op.problems.sparse_pca(operator, 1, 0.1), "random", method=method, tol=1e-14)


def test_a_start_that_is_cut_short_is_used():
    """Half of the time goes into the start, and what it has found is not thrown away."""
    values = []
    for start in ("smoothed", "random"):
        with pytest.warns(op.ConvergenceWarning):
            result = op.minimize(problem("gradient", L1(0.1)), start, max_seconds=1.0, tol=1e-14)
        values.append(result.projected_objective)
    assert values[0] <= 0.8 * values[1]  # both are negative


@pytest.mark.parametrize(("shape", "share"), [((60, 30), 0.7), ((100, 50), SETTINGS.share)])
def test_the_probes_of_a_small_problem_may_take_most_of_the_time(shape, share):
    assert _time_share(op.Problem(op.smooth.Quadratic(np.eye(shape[0])), L1(0.1), shape)) == share
