"""The step rules of the Riemannian subgradient method."""

import numpy as np
import pytest

from orthoprox import stiefel
from orthoprox.solvers import RSM
from small_problems import SPARSE, X0, A, B, run


@pytest.mark.parametrize(
    ("rule", "length"), [("geometric", lambda k: 0.3 * 0.9**k), ("diminishing", lambda k: 0.3 / (k + 2) ** 0.6)]
)
@pytest.mark.parametrize("retraction", ["polar", "qr"])
def test_rsm_takes_the_steps_of_its_rule(rule, length, retraction):
    """X+ = R(X - t_k P_T(grad l(X) + s)) with s in dg(X) of least norm, and t_k as the rule
    says.
    """
    solver = RSM(rule=rule, step_size=0.3, decay=0.9, power=0.6, offset=2.0, retraction=retraction)
    X = X0
    for k, state in enumerate(run(solver, SPARSE, X0, 10)):
        np.testing.assert_allclose(state.X, X, atol=1e-13)
        X = stiefel.RETRACTIONS[retraction](X - length(k) * stiefel.tangent(X, A @ X + B + 0.1 * np.sign(X)))
