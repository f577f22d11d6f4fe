"""Every method finds the same minimum where there is one to compare with."""

import numpy as np
import pytest

import orthoprox as op
from cases import SOLVERS, SUBLINEAR, normal
from orthoprox import smooth
from orthoprox.nonsmooth import Zero
from small_problems import spread

EXACT = [name for name in SOLVERS if name.split()[0] not in SUBLINEAR and name.split()[-1] not in ("fixed", "published")]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", [0, 1])
def test_without_g_the_eigenvalue_sum_is_reached(name, seed):
    """min tr(X'AX)/2 is half the sum of the n smallest eigenvalues, from a random start and at the
    defaults.
    """
    w = np.sort(np.random.default_rng(seed).uniform(-1, 1, 40))
    w[4:] += max(0.0, 0.1 - (w[4] - w[3]))
    problem = op.Problem(smooth.Quadratic(spread(seed, 40, w)), Zero(), (40, 4))
    result = op.minimize(problem, method=name if name in op.SOLVERS else SOLVERS[name], seed=seed)
    assert result.converged
    assert result.projected_objective == pytest.approx(w[:4].sum() / 2, rel=1e-6)


SHIFTS = {"convex": (0.8, 1.0, 0.2), "concave": (-1.0, -0.5, 0.2), "mostly linear": (-1.0, 1.0, 1.0), "linear": (0.0, 0.0, 0.2)}


@pytest.mark.parametrize("name", [name for name in op.SOLVERS if name not in {"adaptive", "lsalm", "soc", "pamal"} | SUBLINEAR])
@pytest.mark.parametrize("case", SHIFTS)
def test_defaults_bear_a_linear_part(name, case):
    """Penalties and steps follow the gradient where a linear part makes it larger than the
    curvature says.
    """
    low, high, size = SHIFTS[case]
    linear = size * normal(1, 20, 3)
    problem = op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(low, high, 20)), linear), Zero(), (20, 3))
    best = op.minimize(problem, method="rgd", seed=3).objective
    assert op.minimize(problem, method=name, seed=3, max_iterations=5000).projected_objective == pytest.approx(best, rel=1e-5)
