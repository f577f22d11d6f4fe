"""Which point a stalled run returns."""

import pytest

import orthoprox as op
from adaptive_cases import X0, scaled
from orthoprox._run.solve import _Run
from orthoprox.solvers import Adaptive
from orthoprox.stopping import Stationary, Status


@pytest.mark.parametrize(("solver", "best"), [(Adaptive(), True), (op.LSALM(), False)])
def test_a_stalled_run_returns_its_best_point_if_the_method_recovers(solver, best):
    problem = scaled(1.0)["sparse_pca"]
    run = _Run(problem, solver, Stationary(), None, True, None)
    assert run._ending(Status.STALLED, solver.init(problem, X0)).best is best
