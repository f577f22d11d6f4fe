"""Snapshots and rules of a run on f / unit, in the user's units."""

import numpy as np

import orthoprox as op
from orthoprox.problems.scaled import scaled
from orthoprox.stopping import Below, MaxIterations, ObjectiveBelow, Status
from orthoprox.stopping.units import InUnits, multiplied
from snapshots import snapshot

RESIDUALS = {"step": lambda: 1e-4, "constraint": lambda: 2.0, "prox": lambda: 3.0, "kkt": lambda: 5.0}
PLAIN = snapshot(residuals=RESIDUALS, own_multiplier=lambda: np.eye(2), scale=7.0)
UNIT = 2.0**10
USERS = scaled(PLAIN.problem, 1 / UNIT)  # f times the unit
SEEN = multiplied(PLAIN, USERS, UNIT)


def test_what_has_the_unit_of_f_is_multiplied():
    assert SEEN.objective == UNIT * PLAIN.objective == USERS.value(PLAIN.X)
    assert SEEN.measurement == PLAIN.measurement.times(UNIT)
    assert SEEN.scale == 7 * UNIT
    assert np.array_equal(SEEN.own_multiplier(), UNIT * np.eye(2))
    assert multiplied(snapshot(), USERS, UNIT).own_multiplier() is None
    assert [SEEN.residual(name) for name in RESIDUALS] == [1e-4, 2.0, 3 * UNIT, 5 * UNIT]
    assert [SEEN.residuals[name]() for name in RESIDUALS] == [1e-4, 2.0, 3 * UNIT, 5 * UNIT]
    proof, plain = SEEN.certificate, PLAIN.certificate
    assert (proof.upper, proof.lower, proof.gradient) == (UNIT * plain.upper, UNIT * plain.lower, UNIT * plain.gradient)
    assert proof.subgradient == UNIT * plain.subgradient
    assert np.array_equal(proof.multiplier, UNIT * plain.multiplier)
    assert SEEN.evaluator.certify(PLAIN.X, SEEN.own_multiplier()).upper == proof.upper


def test_what_has_no_unit_stays():
    assert SEEN.problem is USERS
    assert (SEEN.iteration, SEEN.seconds, SEEN.scheduled, SEEN.least) == (5, 2.0, False, np.inf)
    for name in ("feasibility", "stationarity", "kkt_error", "apparent_kkt_error"):
        assert getattr(SEEN, name) == getattr(PLAIN, name)
    assert np.array_equal(SEEN.certificate.point, PLAIN.certificate.point)


def test_what_costs_something_is_computed_once():
    """The run sees that its certificate has been computed, and does not compute it again."""
    plain = snapshot()
    assert not plain.certified
    seen = multiplied(plain, USERS, UNIT)
    assert not seen.certified
    assert seen.kkt_error > 0
    assert plain.certified


def test_rules_see_the_users_units():
    for rule, status in (
        (Below(prox=3 * UNIT, kkt=5 * UNIT, constraint=2.0), Status.CONVERGED),
        (Below(prox=2.9 * UNIT), None),
        (ObjectiveBelow(UNIT * PLAIN.objective), Status.CONVERGED),
        (ObjectiveBelow(UNIT * (PLAIN.objective - 1)), None),
        (MaxIterations(5), Status.ITERATIONS),
    ):
        assert InUnits(rule, USERS, UNIT).check(PLAIN) is status
    assert isinstance(SEEN, op.Snapshot)
