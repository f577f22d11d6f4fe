"""The end of a call: the polish, when and to what, and the status that the certificate proves."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import LARGE
from cases import normal
from orthoprox import stiefel
from orthoprox._run.conclusion import with_certified_status
from small_problems import GAUSSIAN


def test_minimize_polishes():
    """To rounding, with exact zeros, at the same objective."""
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    plain, polished = (op.minimize(problem, "random", method=LARGE, polish=choice) for choice in (False, "auto"))
    assert polished.polished
    assert not plain.polished
    assert polished.measurement.kkt_error <= 1e-12 < 1e-9 < plain.measurement.kkt_error
    assert polished.objective == pytest.approx(plain.projected_objective, rel=1e-6)
    np.testing.assert_array_equal(polished.X != 0, plain.certificate.point != 0)
    assert polished.history["stationarity"][-1] == polished.stationarity
    assert polished.iterations == plain.iterations
    assert polished.seconds > 0
    assert polished.to_dict()["polished"]


def test_a_run_that_polishing_completes_has_converged():
    """The budget ends the run at 1e-4 or so; the polished point meets the tolerance."""
    problem, X0 = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0), stiefel.random_point(20, 4, seed=0)
    stop = next(k for k in range(20, 400, 10) if reached(problem, X0, k) <= 1e-4)
    result = op.minimize(problem, X0, max_iterations=stop)
    assert result.converged
    assert result.polished
    assert result.message == op.Status.CONVERGED.value


def reached(problem, X0, iterations):
    stop = op.stopping.MaxIterations(iterations)
    return op.solve(problem, op.solvers.Adaptive(), X0, stop=stop).measurement.kkt_error


@pytest.mark.parametrize("size", [1e-20, 1e-14, 1e-12])
def test_a_point_that_is_exact_is_polished_with_its_zeros(size):
    """Entries that differ from 0 by rounding alone stand where zeros belong."""
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    best = op.minimize(problem)
    filled = np.where(best.X == 0, size * normal(1, 20, 4), best.X)
    result = op.minimize(problem, filled, project=True)
    assert result.polished
    np.testing.assert_array_equal(result.X != 0, best.X != 0)
    assert result.measurement.kkt_error <= 1e-12
    assert result.history["kkt_error"][-1] == result.measurement.kkt_error


@pytest.mark.parametrize(
    "options", [{"polish": False}, {"method": "manpg"}, {"stop": op.stopping.Stationary(1e-4)}, {"max_iterations": 0}]
)
def test_what_is_not_polished(options):
    """Other methods and stopping rules keep their own points, and a point that is far from
    stationary stays.
    """
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        assert not op.minimize(problem, stiefel.random_point(20, 4, seed=0), **options).polished


def test_polishing_on_request():
    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    result = op.minimize(problem, "random", method="manpg", tol=1e-4, polish=True)
    assert result.polished
    assert result.measurement.kkt_error <= 1e-12


def test_an_interrupted_run_is_not_polished():
    def stop(now):
        if now.iteration == 5:
            raise StopIteration

    problem = op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0)
    with pytest.warns(op.ConvergenceWarning):
        assert not op.minimize(problem, stiefel.random_point(20, 4, seed=0), tol=1e-15, callback=stop).polished


def test_polish_is_a_flag_or_auto():
    with pytest.raises(ValueError, match="it needs True, False or 'auto'"):
        op.minimize(op.problems.sparse_pca(normal(0, 40, 20), 4, 2.0), polish="always")


def test_what_is_proved_is_called_converged():
    """A budget may end a run at the very iteration that reached the tolerance."""
    with pytest.warns(op.ConvergenceWarning):
        short = op.minimize(GAUSSIAN, "random", max_iterations=3, polish=False)
    assert with_certified_status(short, 1e-6) is short
    proved = with_certified_status(short, 2 * short.measurement.kkt_error)
    assert proved.converged
    assert proved.message == op.Status.CONVERGED.value


@pytest.mark.parametrize("status", list(op.Status))
def test_only_a_run_that_ended_by_itself_or_by_a_budget_gets_the_status_of_its_certificate(status):
    result = replace(op.minimize(GAUSSIAN, "random", tol=1e-3, polish=False), status=status)
    proved = with_certified_status(result, 2 * result.measurement.kkt_error)
    assert proved.converged == (status not in (op.Status.DIVERGED, op.Status.INTERRUPTED))


def test_a_failed_run_that_is_proved_to_have_converged_keeps_its_reason():
    ended = op.minimize(GAUSSIAN, "random", tol=1e-3, polish=False)
    failed = replace(ended, status=op.Status.FAILED, message="The prox raised.")
    proved = with_certified_status(failed, 2 * failed.measurement.kkt_error)
    assert proved.converged
    assert proved.message.endswith("Before that: The prox raised.")
