"""Stopping rules are values: what they say, how they combine, what they cost."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox._certify.evaluator import Evaluator
from orthoprox.stopping import Below, Leaves, MaxIterations, MaxSeconds, ObjectiveBelow, Stationary, Status, Stop
from snapshots import snapshot


class Says(Stop):
    """A rule that always says the same."""

    def __init__(self, status):
        self.status = status

    def check(self, now):
        return self.status


CONVERGED, ITERATIONS, TIME = Status.CONVERGED, Status.ITERATIONS, Status.TIME


@pytest.mark.parametrize(
    ("first", "second", "either", "both"),
    [
        (None, None, None, None),
        (CONVERGED, None, CONVERGED, None),
        (None, ITERATIONS, ITERATIONS, None),
        (ITERATIONS, CONVERGED, CONVERGED, CONVERGED),
        (CONVERGED, TIME, CONVERGED, CONVERGED),
        (TIME, ITERATIONS, TIME, TIME),
    ],
)
def test_rules_combine(first, second, either, both):
    """a | b ends with one of them, a & b with both; converged wins over a budget."""
    for now in (snapshot(iteration=0), snapshot()):
        assert (Says(first) | Says(second)).check(now) is either
        assert (Says(first) & Says(second)).check(now) is both


def test_single_rules():
    now = snapshot()
    assert Below(step=1e-4).check(now) is CONVERGED
    assert Below(step=9e-5).check(now) is None
    assert Below(step=1e-4, constraint=1.0).check(now) is None
    assert Below(step=1.0).check(snapshot(iteration=0)) is None
    assert MaxIterations(5).check(now) is ITERATIONS
    assert MaxIterations(6).check(now) is None
    assert MaxSeconds(2.0).check(now) is TIME
    assert MaxSeconds(2.1).check(now) is None
    assert ObjectiveBelow(now.objective).check(now) is CONVERGED
    assert ObjectiveBelow(now.objective - 1e-9).check(now) is None
    assert Leaves(1.0, grace=5).check(now) is None
    assert Leaves(1.0, grace=4).check(now) is Status.DIVERGED
    assert Leaves(2.0, grace=4).check(now) is None


def test_stationary_needs_the_point_itself_near_its_prox_point():
    """l = |X - T|^2 / 2 over a far X: one prox step lands on the feasible solution T, but X is not
    stationary.
    """
    T = stiefel.random_point(6, 2, 1)
    smooth = op.smooth.Function(lambda X: np.sum((X - T) ** 2) / 2, lambda X: X - T)
    problem = op.Problem(smooth, op.nonsmooth.Zero(), (6, 2))
    X = stiefel.random_point(6, 2, 2)
    evaluator = Evaluator(problem, step=1.0, floor=0.0)
    now = snapshot(problem=problem, X=X, own_multiplier=lambda: np.zeros((2, 2)), evaluator=evaluator, due=True)
    assert now.stationarity <= 1e-12
    assert now.certificate.feasibility <= 1e-12
    assert now.feasibility <= 1e-12
    assert Stationary(1e-3).check(now) is None


def test_stationary_computes_no_certificate_in_between():
    """Between those that are due the rule reads the solver's residuals, which are free."""
    now = snapshot(residuals={"constraint": lambda: 1.0, "prox": lambda: 1.0})
    assert Stationary(1e-6).check(now) is None
    assert not now.certified


def test_stationary_looks_between_the_measurements_when_the_residuals_are_small():
    """Residuals are compared with tol times the gradient; after a look in vain they halve, or some
    iterations pass.
    """
    small = {"constraint": lambda: 1e-7, "prox": lambda: 5e-6}

    def looks(**changes):
        now = snapshot(residuals=small, **changes)
        Stationary(1e-6).check(now)
        return now.certified

    assert looks(iteration=100, checked=0, scale=10.0)
    assert not looks(iteration=100, checked=0, scale=1.0)  # 5e-6 > 1e-6 |grad l|
    assert not looks(iteration=100, checked=95, scale=10.0, least=9e-7)
    assert looks(iteration=100, checked=95, scale=10.0, least=1.1e-6)
    assert not looks(iteration=1000, checked=990, scale=10.0, least=9e-7)
    assert looks(iteration=1000, checked=500, scale=10.0, least=9e-7)


@pytest.mark.parametrize("method", ["adaptive", "lsalm", "manpg", "mialm"])
@pytest.mark.parametrize("every", [None, 7])
def test_where_a_run_ends_does_not_depend_on_its_history(method, every):
    """The rule reads certificates of its own, and not those of the measurements that are kept."""
    problem, X0 = op.problems.sparse_pca(op.datasets.five_components(50, 30, seed=0), 3, 0.5), stiefel.random_point(30, 3, 0)
    kept, unkept = (op.solve(problem, op.SOLVERS[method](), X0, every=every, history=history) for history in (True, False))
    assert kept.converged
    assert kept.iterations == unkept.iterations
    np.testing.assert_array_equal(kept.X, unkept.X)
