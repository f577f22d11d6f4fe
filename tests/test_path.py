"""Paths along the weight of a penalty."""

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca, normal
from orthoprox.nonsmooth import L1, L21, MCP, SCAD, Nonnegative
from orthoprox.smooth import Variance


@pytest.mark.parametrize("kind", [L1, L21, MCP, SCAD])
def test_a_path_solves_each_problem(kind):
    """Each result is certified for its own weight, and sparsity falls with the weight."""
    problem = op.Problem(Variance(normal(0, 30, 12) / 10), kind(0.1), (12, 2))
    mus = [0.6, 0.3, 0.1]
    results = op.path(problem, mus, tol=1e-5)
    assert [result.problem.nonsmooth.mu for result in results] == mus
    for mu, result in zip(mus, results, strict=True):
        own = op.Problem(problem.smooth, kind(mu), (12, 2))
        assert result.converged
        assert op.certificate(own, result.X, multiplier=result.multiplier).relative() <= 2e-5
    assert results[0].sparsity >= results[-1].sparsity


def test_a_path_starts_each_run_from_the_solution_before():
    """Nearby weights need few iterations: far fewer than from the first start."""
    problem = gaussian_pca()
    first, *others = op.path(problem, [0.5, 0.499, 0.498], "random", both_ways=False)
    assert max(result.iterations for result in others) < first.iterations / 2


@pytest.mark.parametrize("mus", [[0.1, 0.4, 1.0, 2.0], [2.0, 1.0, 0.4, 0.1]])
def test_going_back_never_ends_higher(mus):
    """Each weight has the lower of the minima that the two directions find."""
    problem = op.Problem(Variance(normal(0, 30, 12)), L1(0.1), (12, 4))
    once, twice = (op.path(problem, [10 * mu for mu in mus], "random", both_ways=both) for both in (False, True))
    for one, two in zip(once, twice, strict=True):
        assert two.projected_objective <= one.projected_objective + 1e-12 * abs(one.projected_objective)


@pytest.mark.parametrize(("runs", "at_work", "solved"), [(2, 1, 2), (3, 2, 3), (4, 1, 3), (5, 0, 3)])
def test_the_weight_at_work_is_the_one_that_is_interrupted(runs, at_work, solved):
    """Three weights and back are five runs, of the weights 0, 1, 2, 1 and 0."""
    begun = []

    def interrupt(now):
        begun.extend([now] if now.iteration == 0 else [])
        if len(begun) == runs:
            raise StopIteration

    with pytest.warns(op.ConvergenceWarning):
        results = op.path(gaussian_pca(), [0.5, 0.45, 0.4], "random", callback=interrupt)
    statuses = [op.Status.CONVERGED] * solved
    statuses[at_work] = op.Status.INTERRUPTED
    assert [result.status for result in results] == statuses


def test_other_parameters_of_a_penalty_stay():
    assert MCP(0.3, gamma=2.5).weighted(0.1).gamma == 2.5
    assert SCAD(0.3, a=4.5).weighted(0.1).a == 4.5
    assert L1(0.3, bound=0.7).weighted(0.1).bound == 0.7
    assert L1(0.3).weighted(0.1).bound == np.inf


@pytest.mark.parametrize(
    ("g", "mus", "message"),
    [
        (Nonnegative(), [0.1], "Nonnegative has no weight"),
        (L1(0.1), [], "mus is empty"),
        (L1(0.1), [0.1, -1.0], "An entry of mus"),
    ],
)
def test_bad_paths_are_refused(g, mus, message):
    with pytest.raises((ValueError, TypeError), match=message):
        op.path(op.Problem(Variance(normal(0, 30, 12)), g, (12, 2)), mus)
