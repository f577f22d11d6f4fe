"""The descent of ManPG and ManPG-Ada."""

from itertools import pairwise

import numpy as np
import pytest

from orthoprox import stiefel
from orthoprox.solvers import ManPG, ManPGAda
from small_problems import PROBLEMS, run


@pytest.mark.parametrize("kind", [ManPG, ManPGAda])
@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_manpg_descends(kind, name):
    """F(X+) <= F(X) - a |V|^2 / 2t with a = 1, 1/2, ... the accepted length; V is tangent to the
    inner tolerance; t adapts.
    """
    problem, solver = PROBLEMS[name], kind(step_size=20.0)
    states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 40)
    for old, new in pairwise(states):
        a = 0.5 ** (new.trials - 1)
        assert new.F == pytest.approx(float(problem.value(new.X)), rel=1e-13)
        if new.failures == old.failures:
            assert new.F <= old.F - a * stiefel.norm(new.V) ** 2 / (2 * old.t) + 1e-13 * abs(old.F)
            np.testing.assert_allclose(new.X, stiefel.polar(old.X + a * new.V), atol=1e-13)
        assert stiefel.norm(old.X.T @ new.V + new.V.T @ old.X) ** 2 <= 1.1 * solver._inner_tolerance(old) + 1e-24
        factor = 1.0 if kind is ManPG else 1.01 if new.trials == 1 else 1 / 1.01
        assert new.t == pytest.approx(max(20.0, factor * old.t))
    assert any(state.trials > 1 for state in states)
