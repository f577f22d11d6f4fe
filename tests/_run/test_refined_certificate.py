"""The certificate of a run that a polish follows is refined where the polish is refused."""

import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox._run import conclusion


@pytest.mark.parametrize("compiled", [False, None])
def test_a_refused_polish_leaves_a_refined_certificate(monkeypatch, compiled):
    """Only a refined one has a lower bound."""
    problem = gaussian_pca(m=20, n=4)
    monkeypatch.setattr(conclusion, "polish", lambda *_: None)
    first = op.minimize(problem, op.stiefel.random_point(20, 4), polish=False, compiled=compiled, tol=1e-3)
    found = op.minimize(problem, op.stiefel.random_point(20, 4), compiled=compiled, tol=1e-3)
    np.testing.assert_array_equal(found.X, first.X)
    assert found.certificate.upper == pytest.approx(first.certificate.upper, rel=0.5)
    assert (found.certificate.lower > 0) == (first.certificate.lower > 0)
    assert found.measurement.kkt_error <= 1e-3
