"""A run on a working set of rows has the result of a run on all rows."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from orthoprox._run import rows as module
from orthoprox.stopping import Status
from wide_problems import MU, PLANTED, TRUTH, A, N

SHAPE = PLANTED.shape


def shapes(monkeypatch):
    """The shapes of X of all runs from now on."""
    seen, original = [], module.run
    monkeypatch.setattr(module, "run", lambda call, X, *more: seen.append(call.problem.shape) or original(call, X, *more))
    return seen


def test_the_planted_minimum_is_found_and_proved_on_all_rows(monkeypatch):
    result, seen = op.minimize(PLANTED), shapes(monkeypatch)
    truth = op.minimize(PLANTED, TRUTH)
    assert result.converged
    assert result.objective == pytest.approx(truth.objective, abs=1e-9)
    assert seen[0][0] < SHAPE[0] / 2
    assert seen[-1] == SHAPE
    proof = op.certificate(PLANTED, result.X, multiplier=result.multiplier)
    assert proof.relative() <= 1e-8
    D = PLANTED.grad(result.X)
    assert np.max(np.abs(D[np.all(result.X == 0, axis=1)])) <= MU


def two_features():
    """Two features of each factor: the working set has to grow."""
    first = np.argsort(-np.abs(TRUTH), axis=0, kind="stable")[:2]
    X0 = np.zeros(SHAPE)
    X0[first, np.arange(N)] = np.sign(TRUTH[first, np.arange(N)])
    return op.stiefel.polar(X0)


def test_rows_that_would_leave_zero_enter_the_working_set(monkeypatch):
    """The working set grows until no other row would leave 0."""
    monkeypatch.setattr(module, "WIDE", replace(module.WIDE, near=1.0))
    seen = shapes(monkeypatch)
    result = op.minimize(PLANTED, two_features())
    assert result.converged
    assert seen[-1] == SHAPE
    assert len(seen) > 2
    assert [rows for rows, _ in seen] == sorted(rows for rows, _ in seen)
    assert op.certificate(PLANTED, result.X).relative() <= 1e-8


@pytest.mark.parametrize(
    "g",
    [op.nonsmooth.MCP(2.0), op.nonsmooth.L21(2.5), op.nonsmooth.L1(np.linspace(2.0, 3.0, SHAPE[0])[:, None])],
    ids=["mcp", "l21", "weights"],
)
def test_other_penalties_are_certified_on_all_rows(g):
    problem = op.Problem(PLANTED.smooth, g, SHAPE)
    result = op.minimize(problem)
    assert result.converged
    assert op.certificate(problem, result.X, multiplier=result.multiplier).relative() <= 1e-6
    assert result.objective <= op.minimize(problem, TRUTH).objective + 1e-3


def test_a_solution_is_polished_on_its_rows_alone(monkeypatch):
    seen, front = [], import_module("orthoprox.minimize")
    original = front.polished
    monkeypatch.setattr(front, "polished", lambda call, result: seen.append(call.problem.shape) or original(call, result))
    result = op.minimize(PLANTED, TRUTH)
    assert result.polished
    assert seen
    assert SHAPE not in seen


def test_sparse_data_have_the_result_of_dense_ones():
    B = np.where(np.abs(A) > 0.05, A, 0.0)
    dense = op.minimize(op.problems.sparse_pca(B, N, MU, center=True))
    sparse = op.minimize(op.problems.sparse_pca(sp.csr_array(B), N, MU, center=True))
    assert dense.converged
    assert sparse.converged
    assert sparse.objective == pytest.approx(dense.objective, rel=1e-9)


def test_equal_input_has_equal_output_bit_for_bit():
    first, second = op.minimize(PLANTED), op.minimize(PLANTED)
    assert np.array_equal(first.X, second.X)
    assert first.work == second.work


def test_the_parts_of_the_call_add_up():
    result = op.minimize(PLANTED)
    assert sum(part.gradients for part in result.phases) == result.work.gradients
    assert {"start", "run", "certificate"} <= {part.name for part in result.phases}
    iterations = result.history["iteration"]
    assert np.all(np.diff(iterations) >= 0)
    assert iterations[-1] == result.iterations
    assert result.history["sparsity"][-1] == result.sparsity


def test_an_extreme_unit_changes_nothing():
    huge = op.Problem(PLANTED.smooth.times(2.0**400), op.nonsmooth.L1(MU * 2.0**400), SHAPE)
    result = op.minimize(huge)
    assert result.converged
    assert result.objective / 2.0**400 == pytest.approx(op.minimize(PLANTED).objective, rel=1e-9)


def test_all_iterations_count_to_the_budget(monkeypatch):
    """Those of one working set, and of the next."""
    monkeypatch.setattr(module, "WIDE", replace(module.WIDE, near=1.0))
    seen = shapes(monkeypatch)
    whole = op.minimize(PLANTED, two_features(), polish=False)
    assert len(seen) > 2
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(PLANTED, two_features(), max_iterations=whole.iterations - 1, polish=False)
    assert result.iterations == whole.iterations - 1
    assert result.status is Status.ITERATIONS


def test_a_callback_sees_whole_points():
    seen = []
    result = op.minimize(PLANTED, callback=lambda now: seen.append((now.X.shape, now.iteration)))
    assert {shape for shape, _ in seen} == {SHAPE}
    assert seen[-1][1] == result.iterations


def test_a_deadline_ends_it_with_a_feasible_point():
    rng = np.random.default_rng(0)
    problem = op.problems.sparse_pca(rng.standard_normal((200, 20_000)) / 200**0.5, 10, 2.0)
    with pytest.warns(op.ConvergenceWarning):
        result = op.minimize(problem, max_seconds=0.2)
    assert result.status is Status.TIME
    assert op.metrics.feasibility(op.stiefel.polar(result.X)) <= 1e-12
    assert result.seconds <= 1.5


def test_a_rule_of_ones_own_sees_all_rows(monkeypatch):
    seen = shapes(monkeypatch)
    result = op.minimize(PLANTED, TRUTH, stop=op.stopping.Stationary(1e-4) | op.stopping.MaxIterations(500))
    assert seen == []
    assert result.converged


def test_further_starts_and_more_repairs_end_no_higher():
    """Both count all that they do, and are polished on their rows."""
    one = op.minimize(PLANTED)
    for options in ({"n_starts": 3}, {"effort": "thorough"}):
        result = op.minimize(PLANTED, **options)
        assert result.converged
        assert result.polished
        assert result.objective <= one.objective + 1e-9
        assert result.work.gradients > one.work.gradients + 50
        assert sum(part.gradients for part in result.phases) == result.work.gradients


def test_the_estimator_takes_both_on_wide_data():
    one = op.SparsePCA(n_components=N).fit(A)
    for options in ({"n_init": 3}, {"effort": "thorough"}):
        more = op.SparsePCA(n_components=N, **options).fit(A)
        assert more.result_.converged
        assert np.sum(more.explained_variance_) >= 0.999 * np.sum(one.explained_variance_)


def test_a_run_on_some_rows_begins_with_second_order(monkeypatch):
    first, original = [], module.run

    def run(call, X, *more):
        first.append((call.problem.shape[0], call.solver.init(call.problem, X).phase))
        return original(call, X, *more)

    monkeypatch.setattr(module, "run", run)
    op.minimize(PLANTED)
    assert [phase for m, phase in first if m < SHAPE[0]] == ["proximal Newton"] * (len(first) - 1)
    assert len(first) > 1
