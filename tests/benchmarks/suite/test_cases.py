"""The cases of the suite: real data in two parts that share none, with the right mu_max."""

import numpy as np
import pytest
from benchmarks.suite.cases import cases, data, mu_max, settings

import orthoprox as op
from benchmarks.suite import peers

LARGE = next(case for case in cases() if case.kind == "large")


def test_names_tell_cases_apart():
    names = [case.name for case in cases()]
    assert len(set(names)) == len(names)


def test_the_parts_share_no_data():
    """But for the published rows of compressed modes."""
    tuning, heldout = ({(case.table, case.seed) for case in cases(part)} for part in ("tuning", "heldout"))
    assert tuning & heldout == {("modes", None)}
    assert {"digits", "diabetes", "pitprops"} <= {table for table, _ in heldout}
    assert all(2000 <= seed < 2100 for _, seed in heldout if seed is not None)
    assert all(0 <= seed < 10 for _, seed in tuning if seed is not None)


@pytest.mark.parametrize("table", ["iris", "wine", "linnerud", "digits", "diabetes"])
def test_the_variants_are_what_they_are_called(table):
    raw, standardised, correlation = (data(table, variant) for variant in settings()["tables"]["variants"])
    assert np.allclose(raw.mean(axis=0), 0, atol=1e-9 * np.abs(raw).max())
    assert np.allclose(standardised.std(axis=0), 1)
    varying = raw[:, raw.std(axis=0) > 0]
    assert np.allclose(correlation.T @ correlation, np.corrcoef(varying.T))


def test_pitprops_is_a_factor_of_its_correlations():
    A = data("pitprops", "correlation")
    assert np.allclose(A.T @ A, op.datasets.pitprops().correlation)


def test_a_task_is_the_problem():
    for case in (next(cases("tuning", "wine")), next(cases("heldout", "AR(1)")), next(cases("heldout", "modes")), LARGE):
        task, problem = case.make(), case.problem()
        assert problem.shape == (task["m"] if "m" in task else task["A"].shape[1], case.n)
        assert problem.nonsmooth.mu == task["mu"]
    wine = next(cases("tuning", "wine"))
    assert wine.make()["mu"] == wine.mu * mu_max(data("wine", "raw"))


def test_above_mu_max_coordinate_vectors_are_optimal():
    """Two variables with covariance c: f(t) = -(1 + c sin 2t) + mu (|cos t| + |sin t|) is least at
    t = 0 for all mu from mu_max on, and no longer far below.
    """
    c = 0.6
    A = np.linalg.cholesky(np.array([[1, c], [c, 1]])).T
    t = np.linspace(0, np.pi / 2, 1001)
    most = mu_max(A)
    assert most == pytest.approx(c * (1 + 2**0.5))
    for mu, optimal in ((most * (1 + 1e-9), True), (0.9 * most, False)):
        f = -(1 + c * np.sin(2 * t)) + mu * (np.cos(t) + np.sin(t))
        assert bool(np.all(f >= f[0] - 1e-12)) is optimal


def test_packages_get_the_same_problem_over_a_unit():
    """A start of theirs is feasible, and their objective is ours over the square of the unit."""
    case = next(cases("tuning", "wine"))
    task, problem = peers.task(case, "pca"), case.problem()
    X = task["X0"]
    assert np.allclose(X.T @ X, np.eye(case.n))
    theirs = -(np.linalg.norm(task["A"] @ X) ** 2) + task["mu"] * np.abs(X).sum()
    unit = np.linalg.norm(problem.smooth.A) / np.linalg.norm(task["A"])
    assert unit**2 * theirs == pytest.approx(float(problem.value(X)))
    assert np.mean(np.sum(task["A"] ** 2, axis=0)) == pytest.approx(1)
