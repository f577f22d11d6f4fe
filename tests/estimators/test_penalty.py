"""The scale of alpha."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.estimators.covariance import Formed
from orthoprox.estimators.penalty import largest_weight, problem_at, weighted


def covariance(m, seed):
    B = np.random.default_rng(seed).standard_normal((2 * m, m))
    return B.T @ B / (2 * m)


@pytest.mark.parametrize("seed", range(5))
def test_from_the_largest_weight_on_coordinate_vectors_are_optimal(seed):
    """No run from any start ends lower than the n largest variances."""
    C = covariance(7, seed)
    term = Formed(C)
    mu = largest_weight(*term.couplings(3, "l1"), "l1")
    coordinates = 3 * mu - np.sum(np.sort(np.diag(C))[-3:])
    problem = op.Problem(op.smooth.Quadratic(-2 * C), op.nonsmooth.L1(mu), (7, 3))
    for start in ("pca", "random", "coordinates"):
        assert op.minimize(problem, start, seed=seed).projected_objective >= coordinates - 1e-9


def test_the_bound_of_one_column_holds_and_is_touched():
    """x'(C - diag C)x <= mu (|x|_1 - 1) for unit x, with equality for two equal entries at most."""
    C = np.eye(2) + 0.5 * (1 - np.eye(2))
    mu = largest_weight(*Formed(C).couplings(1, "l1"), "l1")
    for angle in np.linspace(0, np.pi, 200):
        x = np.array([np.cos(angle), np.sin(angle)])
        assert x @ (C - np.diag(np.diag(C))) @ x <= mu * (np.abs(x).sum() - 1) + 1e-12


def test_scad_has_the_slope_mu_at_zero_in_units_of_the_variance():
    C, mu = covariance(5, 0), 0.4
    problem = problem_at(op.smooth.Quadratic(-2 * C), (5, 2), mu, "scad", False)
    X = 1e-3 * np.ones((5, 2))
    factor = float(problem.smooth.value(X)) / float(op.smooth.Quadratic(-2 * C).value(X))
    assert float(problem.nonsmooth.value(X)) / factor == pytest.approx(mu * np.abs(X).sum(), rel=1e-9)


def test_a_term_without_a_weight_has_no_path():
    with pytest.raises(TypeError, match="no weight"):
        weighted(op.nonsmooth.Nonnegative(), 0.5)
    assert weighted(op.nonsmooth.L1(2.0), 0.5).mu == 1.0
