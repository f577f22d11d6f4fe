"""Fits of wide tables: the refit finds the last digits."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.estimators.fitting import Fitting
from orthoprox.estimators.runs import Runs
from orthoprox.stopping.clock import Deadline

rng = np.random.default_rng(0)
B = np.zeros((3, 3200))
for i in range(3):
    B[i, 40 * i : 40 * i + 40] = 1.0
A = rng.standard_normal((50, 3)) @ B + 0.5 * rng.standard_normal((50, 3200))


@pytest.fixture(scope="module")
def fitted():
    return op.SparsePCA(n_components=3, random_state=0).fit(A)


def test_a_run_before_a_refit_is_not_polished(fitted):
    assert fitted.result_.converged
    assert not fitted.result_.polished
    assert op.SparsePCA(n_components=3, refit=False, random_state=0).fit(A).result_.polished


def test_the_components_are_the_maximum_on_their_support(fitted):
    X = fitted.components_.T
    assert np.any(X == 0)
    assert op.metrics.feasibility(X) <= 1e-12
    D = 2 * (A - A.mean(axis=0)).T @ ((A - A.mean(axis=0)) @ X) / 49
    Y = X.T @ D
    np.testing.assert_allclose((Y + Y.T) / 2, Y, atol=1e-8 * np.linalg.norm(D))  # as it is at a stationary point
    R = np.where(X != 0, D - X @ Y, 0.0)
    # X'R = 0 in the support, up to what overlaps of supports take
    assert np.linalg.norm(R) <= 1e-2 * np.linalg.norm(D)


def test_where_the_refit_is_refused_the_run_is_polished(monkeypatch, fitted):
    monkeypatch.setattr(Fitting, "_refitted_large", lambda self, X: X)
    monkeypatch.setattr("orthoprox.estimators.fitting.LARGEST", 0)
    found = op.SparsePCA(n_components=3, random_state=0).fit(A)
    assert found.result_.polished
    assert op.metrics.feasibility(found.components_.T) <= 1e-12
    assert np.array_equal(found.components_ != 0, fitted.components_ != 0)


def test_where_no_time_is_left_to_polish_the_run_before_is_returned(monkeypatch):
    def late(self, problem, start, **options):
        if not isinstance(start, str):
            self.deadline = Deadline(1e-3)
        return minimised(self, problem, start, **options)

    minimised = Runs.minimised
    monkeypatch.setattr(Fitting, "_refitted_large", lambda self, X: X)
    monkeypatch.setattr("orthoprox.estimators.fitting.LARGEST", 0)
    monkeypatch.setattr(Runs, "minimised", late)
    found = op.SparsePCA(n_components=3, random_state=0).fit(A)
    assert found.result_.converged
    assert op.metrics.feasibility(found.components_.T) <= 1e-12
