"""Which of the points of a run is the best."""

from math import inf, nan

import numpy as np
import pytest

import orthoprox as op
from orthoprox._certify.evaluator import Measured, Measurement, unmeasured
from small_problems import SPARSE, X0


def measured(projected, kkt_error, feasibility=0.0, objective=0.0):
    return Measured("state", None, None, None, Measurement(objective, projected, feasibility, kkt_error, 0.0, kkt_error))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (measured(-2.0, 0.1), measured(-1.0, 1e-3)),  # lower
        (measured(-1.0, 1e-3), measured(-1.0 - 1e-12, 1e-2)),  # as low, and nearer to stationary
        (measured(inf, 1e-3), measured(-5.0, 1e-2)),  # the nearest feasible point lies outside of the domain of g
        (measured(-1.0, 1e-3), measured(-5.0, 1e-1, feasibility=3.0)),  # far away
        (measured(-1.0, 0.1), measured(-2.0, nan)),
        (measured(-1.0, 0.1), measured(-2.0, 0.01, objective=nan)),
        (measured(-1.0, 0.1), measured(-2.0, inf)),
    ],
)
def test_a_better_point_is_lower_or_as_low_and_nearer_to_stationary(better, worse):
    assert better.better_than(worse)
    assert not worse.better_than(better)
    assert better.better_than(None)


def test_what_is_not_finite_is_never_the_best():
    for one in (measured(-1.0, nan), measured(-1.0, inf), measured(-1.0, 0.1, objective=nan)):
        assert not one.better_than(None)


def test_a_point_about_which_nothing_is_known_proves_nothing():
    found = unmeasured(SPARSE, X0)
    assert found.measurement.objective == float(SPARSE.value(X0))
    assert found.measurement.kkt_error == found.certificate.upper == inf
    assert found.certificate.lower == 0


def test_a_term_that_fails_leaves_the_objective_unknown():
    def broken(X):
        raise op.problems.own_terms.TermError

    term = op.smooth.Function(broken, broken)
    found = unmeasured(op.Problem(term, op.nonsmooth.Zero(), (20, 3)), X0)
    assert np.isnan(found.measurement.objective)


def test_an_f_that_is_no_number_is_told_as_infinite():
    assert measured(nan, 0.1, objective=nan).told == measured(inf, 0.1, objective=inf).measurement
    assert measured(-1.0, 0.1).told == measured(-1.0, 0.1).measurement
