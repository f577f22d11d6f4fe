"""Riemannian gradient descent and its line searches."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import Zero
from orthoprox.solvers import RGD
from small_problems import ELL, SMOOTH, X0, run, spread


@pytest.mark.parametrize("trial", ["grow", "restart"])
@pytest.mark.parametrize("retraction", ["polar", "qr"])
def test_rgd_descends(trial, retraction):
    """l(X+) <= l(X) - decrease t |xi|^2 with t the accepted step, on the manifold; l never
    rises.
    """
    solver = RGD(trial=trial, retraction=retraction, step_size=30.0, decrease=0.3)
    states = run(solver, SMOOTH, X0, 60)
    for old, new in pairwise(states):
        t = (30.0 if trial == "restart" else old.t) * 0.5 ** (new.trials - 1)
        assert new.f == pytest.approx(ELL.value(new.X), rel=1e-13)
        assert new.f <= old.f - 0.3 * t * stiefel.norm(old.xi) ** 2 + 1e-13
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-13
    assert states[1].trials > 1


def test_barzilai_borwein_steps_undercut_the_average():
    """l(X^k+1) <= C_k, the average of Zhang and Hager, which itself never rises; single values
    may.
    """
    states = run(
        RGD(trial="barzilai-borwein"),
        op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(-1, 1, 20))), Zero(), (20, 3)),
        X0,
        40,
    )
    f, C = np.array([state.f for state in states]), np.array([state.C for state in states])
    assert np.all(f[1:] <= C[:-1] + 1e-13)
    assert np.all(np.diff(C) <= 1e-13)
