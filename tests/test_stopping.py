"""Stopping rules are values: what they say, how they combine, what they cost."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from orthoprox._certify.evaluator import Evaluator
from orthoprox._linalg.stiefel import random_point
from orthoprox.stopping import Below, Leaves, MaxIterations, MaxSeconds, ObjectiveBelow, Stationary, Status, Stop, paper
from orthoprox.stopping.snapshot import Snapshot


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


def snapshot(**changes):
    A, B = op.datasets.random_quadratic(6, 2, seed=0)
    problem = op.problems.quadratic(A, B, 0.1)
    X = random_point(6, 2, 0)
    fields = {
        "problem": problem, "iteration": 5, "X": X, "own_multiplier": lambda: None, "seconds": 1.0, "wall_seconds": 2.0,
        "scheduled": False, "residuals": {"step": lambda: 1e-4, "constraint": lambda: 2.0}, "evaluator": Evaluator(problem, X),
        "checked": 0, "scale": 1.0, "least": np.inf,
    }  # fmt: skip
    return Snapshot(**{**fields, **changes})


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
    assert Leaves(1.0).check(now) is None
    assert Leaves(1.0).check(snapshot(iteration=51)) is Status.DIVERGED
    assert Leaves(2.0).check(snapshot(iteration=51)) is None


def test_an_unknown_residual_is_named():
    with pytest.raises(ValueError, match=r"no residual 'smothing'; it has constraint, step"):
        Below(smothing=1.0).check(snapshot())


def test_budgets_of_the_paper_are_caps():
    """Each of the paper's rules ends at 30,000 iterations at the latest."""
    for rule in (paper.quadratic, paper.sparse_pca, paper.matching, paper.sparse_pca_rsm(-1e9)):
        names = ("step", "smoothing", "update", "constraint", "kkt", "prox")
        late = snapshot(iteration=30_000, residuals={name: lambda: np.inf for name in names})
        assert rule.check(late) is ITERATIONS


def test_paper_rules_read_what_the_paper_prints():
    """Each rule holds exactly on its thresholds and fails just above one of them."""
    thresholds = [
        (paper.quadratic, {"update": 1e-3, "constraint": 1e-5}),
        (paper.sparse_pca, {"step": 1e-4, "constraint": 1e-4}),
        (paper.matching, {"kkt": 1e-4, "constraint": 1e-6}),
    ]
    for rule, bounds in thresholds:
        values = {name: (lambda bound=bound: bound) for name, bound in bounds.items()}
        assert rule.check(snapshot(residuals=values)) is CONVERGED
        for name, bound in bounds.items():
            over = {**values, name: lambda bound=bound: 1.01 * bound}
            assert rule.check(snapshot(residuals=over)) is None
    now = snapshot(residuals={"constraint": lambda: 1e-4})
    assert paper.sparse_pca_rsm(now.objective - 0.9e-4).check(now) is CONVERGED
    assert paper.sparse_pca_rsm(now.objective - 1.1e-4).check(now) is None


def test_stationary_needs_the_point_itself_near_its_prox_point():
    """l = |X - T|^2 / 2 over a far X: one prox step lands on the feasible solution T, but X is not stationary."""
    T = random_point(6, 2, 1)
    smooth = op.smooth.Function(lambda X: np.sum((X - T) ** 2) / 2, lambda X: X - T)
    problem = op.Problem(smooth, op.nonsmooth.Zero(), (6, 2))
    X = random_point(6, 2, 2)
    evaluator = op.metrics.Evaluator(problem, X)
    evaluator.step = 1.0
    now = snapshot(problem=problem, X=X, own_multiplier=lambda: np.zeros((2, 2)), evaluator=evaluator, scheduled=True)
    assert now.stationarity <= 1e-12
    assert now.certificate.feasibility <= 1e-12
    assert now.feasibility <= 1e-12
    assert Stationary(1e-3).check(now) is None


def test_stationary_computes_no_certificate_in_between():
    """Between the scheduled measurements the rule reads the solver's residuals, which are free."""
    now = snapshot(residuals={"constraint": lambda: 1.0, "prox": lambda: 1.0})
    assert Stationary(1e-6).check(now) is None
    assert not now.certified


def test_status_sentences_are_distinct():
    assert len({status.value for status in Status}) == len(Status) == 6


def test_the_shortfall_is_the_largest_of_four_gaps():
    """tol bounds the stationarity and the feasibility of P, the feasibility of X, and its distance from P."""
    now = snapshot()
    exact = {"upper": 0.0, "lower": 0.0, "distance": 0.0, "feasibility": 0.0}
    proof = replace(now.certificate, **exact)
    assert now.evaluator.kkt_error(now.X, proof) <= 1e-12
    scale = max(proof.gradient, now.evaluator.floor)
    for name, value, expected in [("upper", 0.3, 0.3 / scale), ("distance", 0.4, 0.4 / 2**0.5), ("feasibility", 0.5, 0.5)]:
        assert now.evaluator.kkt_error(now.X, replace(proof, **{name: value})) == pytest.approx(expected)
    assert now.evaluator.kkt_error(1.1 * now.X, proof) == pytest.approx(0.21 * 2**0.5)


def test_stationary_looks_between_the_measurements_when_the_residuals_are_small():
    """Residuals are compared with tol times the gradient; after a look in vain they halve, or some iterations pass."""
    small = {"constraint": lambda: 1e-7, "prox": lambda: 5e-6}

    def looks(**changes):
        now = snapshot(residuals=small, **changes)
        Stationary(1e-6).check(now)
        return now.certified

    assert looks(iteration=100, checked=0, scale=10.0)
    assert not looks(iteration=100, checked=0, scale=1.0)  # 5e-6 > 1e-6 |grad l|
    assert not looks(iteration=100, checked=95, scale=10.0, least=9e-7)
    assert looks(iteration=100, checked=95, scale=10.0, least=1.1e-6)
    assert not looks(iteration=1000, checked=950, scale=10.0, least=9e-7)
    assert looks(iteration=1000, checked=930, scale=10.0, least=9e-7)
