"""Known answers and certified ones, without tuning."""

import numpy as np
import pytest

import orthoprox as op
from cases import SUBLINEAR
from orthoprox import stiefel
from orthoprox.solvers.base import SUBGRADIENT


@pytest.mark.parametrize("seed", range(10))
def test_smooth_problems_reach_the_eigenvalue_sum(seed):
    """g = 0, symmetric A with an eigengap of .1: half the sum of the n smallest eigenvalues, the
    exact answer.
    """
    rng = np.random.default_rng(seed)
    m, n = 40, 4
    w = np.sort(rng.uniform(-1, 1, m))
    w[n:] += 0.1
    Q = stiefel.random_point(m, m, rng)
    A = (Q * w) @ Q.T
    problem = op.Problem(op.smooth.Quadratic((A + A.T) / 2), op.nonsmooth.Zero(), (m, n))
    result = op.minimize(problem, seed=rng)
    assert result.converged
    assert result.projected_objective == pytest.approx(w[:n].sum() / 2, rel=1e-8)


def test_largest_variance_without_a_penalty():
    """sparse_pca with mu = 0 is principal component analysis."""
    A = op.datasets.five_components(100, 30, seed=0)
    w = np.linalg.eigvalsh(A.T @ A)
    result = op.minimize(op.problems.sparse_pca(A, 3, 0.0))
    assert result.projected_objective == pytest.approx(-w[-3:].sum(), rel=1e-8)


def gaussian(p, m):
    A = np.random.default_rng(3).standard_normal((p, m))
    A -= A.mean(axis=0)
    return A / np.linalg.norm(A, axis=0)


CERTIFIED = {
    "five components": op.problems.sparse_pca(op.datasets.five_components(200, 100, seed=1), 10, 0.5),
    "Gaussian": op.problems.sparse_pca(gaussian(50, 100), 10, 0.8),
    "compressed modes": op.problems.compressed_modes(100, 10, 0.1),
}
CERTIFYING = [
    name for name, kind in op.SOLVERS.items() if kind.facts.nonsmooth and not (SUBGRADIENT in kind().needs or name in SUBLINEAR)
]


@pytest.mark.slow
@pytest.mark.parametrize("method", CERTIFYING)
@pytest.mark.parametrize("name", CERTIFIED)
def test_defaults_reach_a_certificate(name, method):
    """At (100, 10), without tuning, every method that does not step along subgradients of g is
    certified to 1e-4.
    """
    result = op.minimize(CERTIFIED[name], method=method, tol=1e-4)
    assert result.converged
    assert max(result.stationarity, result.feasibility, result.certificate.feasibility) <= 1e-4
