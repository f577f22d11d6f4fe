"""A run that begins in single precision has the result of one in double precision."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from orthoprox._run import rows
from orthoprox.solvers import adaptive as module
from orthoprox.solvers.adaptive import Mixed, mixed
from wide_problems import TRUTH, A, N

LOW = op.problems.sparse_pca(A, N, 0.6)  # more than half of the rows of a solution are not 0


def precisions(monkeypatch):
    """The precision of each step from now on."""
    seen, original = [], op.solvers.Adaptive.step

    def step(self, problem, state):
        seen.append(problem.smooth.A.dtype)
        return original(self, problem, state)

    monkeypatch.setattr(op.solvers.Adaptive, "step", step)
    return seen


def test_many_rows_are_worked_on_in_single_precision_first(monkeypatch):
    seen = precisions(monkeypatch)
    result = op.minimize(LOW, "pca")
    assert np.sum(np.any(result.X != 0, axis=1)) > len(TRUTH) / 2
    assert seen[0] == np.float32
    assert seen[-1] == np.float64
    assert seen.count(np.float32) > len(seen) / 2
    assert [str(dtype) for dtype in seen] == sorted(map(str, seen))


def test_the_result_is_that_of_double_precision(monkeypatch):
    result = op.minimize(LOW, "pca")
    monkeypatch.setattr(rows, "mixed", lambda solver, problem, X: solver)
    double = op.minimize(LOW, "pca")
    assert result.converged
    assert result.X.dtype == result.multiplier.dtype == np.float64
    assert type(result.solver) is op.solvers.Adaptive
    assert result.objective == pytest.approx(double.objective, rel=1e-8)
    assert abs(result.iterations - double.iterations) <= 0.2 * double.iterations
    assert op.certificate(LOW, result.X, multiplier=result.multiplier).relative() <= 1e-6


def test_equal_input_has_equal_output_bit_for_bit():
    assert np.array_equal(op.minimize(LOW, "pca").X, op.minimize(LOW, "pca").X)


def test_callbacks_see_double_precision():
    seen = []
    op.minimize(LOW, "pca", callback=lambda now: seen.append((now.X.dtype, now.certificate.point.dtype)))
    assert set(seen) == {(np.dtype(np.float64),) * 2}


def test_a_tolerance_that_is_met_early_ends_the_run_in_single_precision(monkeypatch):
    seen = precisions(monkeypatch)
    result = op.minimize(LOW, "pca", tol=1e-3, polish=False)
    assert result.converged
    assert result.measurement.kkt_error <= 1e-3
    assert set(seen) == {np.dtype(np.float32)}


def test_newton_steps_take_their_curvature_from_single_precision(monkeypatch):
    """Under a weak penalty these come first; the result is that of double precision."""
    weak = op.problems.sparse_pca(A, N, 0.01)
    result, seen = op.minimize(weak, "pca"), []
    original = module.with_single_curvature
    monkeypatch.setattr(module, "with_single_curvature", lambda *given: seen.append(1) or original(*given))
    assert np.array_equal(op.minimize(weak, "pca").X, result.X)
    assert seen
    monkeypatch.setattr(module, "with_single_curvature", lambda problem, single: problem)
    double = op.minimize(weak, "pca")
    assert result.converged
    assert result.measurement.kkt_error <= 1e-10
    assert result.objective == pytest.approx(double.objective, rel=1e-10)


def test_a_phase_that_would_end_ends_in_double_precision(monkeypatch):
    """Phases end in the tenth step; the state before goes on."""
    monkeypatch.setattr(module, "WIDE", replace(module.WIDE, rough=0.0))
    seen, original = precisions(monkeypatch), op.solvers.Adaptive.step

    def ending(self, problem, state):
        new = original(self, problem, state)
        late = len(seen) >= 10 and problem.smooth.A.dtype == np.float32
        return replace(new, phase="late first order") if late else new

    monkeypatch.setattr(op.solvers.Adaptive, "step", ending)
    result = op.minimize(LOW, "pca")
    assert [str(dtype) for dtype in seen] == ["float32"] * 10 + ["float64"] * (len(seen) - 10)
    assert result.converged


@pytest.mark.parametrize(
    ("solver", "problem", "X"),
    [
        (op.LSALM(), LOW, TRUTH),
        (op.solvers.Adaptive(), op.problems.sparse_pca(A.astype(np.float32), N, 0.6), TRUTH),
        (op.solvers.Adaptive(), LOW, TRUTH.astype(np.float32)),
        (op.solvers.Adaptive(), op.Problem(LOW.smooth, op.nonsmooth.L1(np.full(LOW.shape, 0.6)), LOW.shape), TRUTH),
    ],
    ids=["another method", "single data", "a single start", "weights in double precision"],
)
def test_otherwise_the_method_stays_as_it_is(solver, problem, X):
    assert mixed(solver, problem, X) is solver


def test_the_settings_of_the_method_are_kept():
    solver = op.solvers.Adaptive(newton=False)
    found = mixed(solver, LOW, TRUTH)
    assert isinstance(found, Mixed)
    assert found.newton is False
    assert found.single.smooth.A.dtype == np.float32
