"""What goes into a run on f / unit and what comes out is in the user's units."""

from dataclasses import fields

import numpy as np
import pytest

import orthoprox as op
from cases import SMOOTH_ONLY, float_parameters, normal, symmetric
from orthoprox._run.call import Units
from orthoprox.solvers import SOLVERS
from orthoprox.stopping import MaxIterations

A, B, START = symmetric(1, 12), normal(2, 12, 3), op.stiefel.random_point(12, 3, 1)


def problem(c, smooth=False):
    g = op.nonsmooth.Zero() if smooth else op.nonsmooth.L1(0.4 * c)
    return op.Problem(op.smooth.Quadratic(c * A, c * B), g, (12, 3))


def given(kind):
    """Values for all parameters of a method that are numbers: those in force at the end of a
    run.
    """
    P = problem(1.0, kind in map(SOLVERS.get, SMOOTH_ONLY))
    found = op.solve(P, kind(), START, stop=MaxIterations(5))
    default = {field.name: field.default for field in fields(kind) if isinstance(field.default, float)}
    values = default | {name: value for name, value in found.parameters.items() if name in float_parameters(kind)}
    extra = {"first": 0.01, "smallest": 1e-3, "dual_radius": 20.0, "unit": 2.0, "box": 1.5}
    return values | {name: extra[name] for name in float_parameters(kind) if name not in values}


@pytest.mark.parametrize("k", [20, -660, 660])
@pytest.mark.parametrize("name", SOLVERS)
def test_every_parameter_scales_as_its_method_says(name, k):
    """A run on 2^k f with parameters 2^(kp) times as large, p the power of f that the method names,
    is the run on f. Without a unit inside (k = 20) this checks the powers, with one the units.
    """
    kind, c = SOLVERS[name], 2.0**k
    values, smooth = given(kind), name in SMOOTH_ONLY
    base = op.solve(problem(1.0, smooth), kind(**values), START, stop=MaxIterations(30))
    same = {name: value * c ** kind.units.get(name, 0) for name, value in values.items()}
    result = op.solve(problem(c, smooth), kind(**same), START, stop=MaxIterations(30))
    assert np.array_equal(result.X, base.X)
    assert result.solver == kind(**same)
    for parameter, value in base.parameters.items():
        expected = value * c ** kind.units.get(parameter, 0)
        np.testing.assert_equal(result.parameters[parameter], expected)
        np.testing.assert_equal(result.history[parameter][-1], expected)


def test_multipliers_given_and_returned():
    """Y0 and the multiplier of a result have the unit of f, Z0 has none."""
    Y0, Z0, c = symmetric(3, 3), 0.9 * START, 2.0**660
    base = op.solve(problem(1.0), op.LSALM(Y0=Y0, Z0=Z0), START, stop=MaxIterations(7))
    result = op.solve(problem(c), op.LSALM(Y0=c * Y0, Z0=Z0), START, stop=MaxIterations(7))
    assert np.array_equal(result.X, base.X)
    assert np.array_equal(result.multiplier, c * base.multiplier)


def test_parameters_stay_numbers_in_any_unit():
    """A parameter of ordinary size for an f of 1e-200 is a poor choice, but no error."""
    solver = Units(problem(1.0), 2.0**-900).solver(op.LSALM(rho=1e100, lam=1e-100, r=0.0, Y0=-1e100))
    assert (solver.rho, solver.lam, solver.r, solver.Y0) == (1e300, 1e-300, 0.0, -1e300)
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(problem(1e-200), START, method="lsalm", rho=1.0, lam=0.1, max_iterations=100)
    assert result.parameters["rho"] == pytest.approx(1.0)
    assert np.isfinite(result.X).all()


def test_a_unit_of_one_changes_nothing():
    P, rule, solver = problem(1.0), MaxIterations(3), op.LSALM()
    units = Units(P)
    assert units.inside is P
    assert units.rule(rule) is rule
    assert units.solver(solver) is solver
    assert units.callback(print) is print
    assert units.callback(None) is None


def test_callbacks_and_rules_see_the_users_problem():
    P, seen = problem(2.0**660), []
    stop = op.stopping.ObjectiveBelow(-(2.0**662)) | MaxIterations(50)
    result = op.solve(P, op.LSALM(), START, stop=stop, callback=seen.append)
    assert result.converged
    assert seen[-1].problem is P
    assert seen[-1].objective == result.objective <= -(2.0**662)
    assert seen[-2].objective > -(2.0**662)
    assert result.objective == P.value(result.X)
    assert result.history["objective"][0] == pytest.approx(P.value(START), rel=1e-14)


def test_advice_says_whose_numbers_it_names():
    """A run that diverges on f / unit names parameters for that."""
    with pytest.warns(
        op.ConvergenceWarning, match=r"lam, a quarter of 4 or less, .* f / 2.99e\+197; parameters are named for this"
    ):
        op.minimize(problem(2.0**654), START, method="lsalm", lam=2.0**-654, alpha=2.0**670, max_iterations=200)
