"""The augmented Lagrangian methods ManIAL and MIALM: iterations, inner rules and penalties."""

from itertools import pairwise

import numpy as np
import pytest

import orthoprox as op
from orthoprox import nonsmooth, stiefel
from orthoprox.solvers import MIALM, ManIAL
from small_problems import ELL, PROBLEMS, SPARSE, X0, run

ALM = {"manial": ManIAL(), "manial II": ManIAL(rule="II"), "mialm": MIALM(), "mialm short": MIALM(max_cycles=5, extra=15)}


@pytest.mark.parametrize("method", ALM)
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_augmented_lagrangian_iterations(name, method):
    """X+ meets the inner tolerance or has used up its steps, Lam lies in dg(Y), and s grows where
    the gap did not shrink.
    """
    problem, solver = PROBLEMS[name], ALM[method]
    ell, g = problem.smooth, problem.nonsmooth
    first, *states = run(solver, problem, stiefel.random_point(*problem.shape, seed=1), 8)
    assert first.unit == pytest.approx(0.1 * stiefel.norm(ell.grad(first.X)))
    for old, new in pairwise([first, *states]):
        W = new.X + old.Lam / old.s
        np.testing.assert_allclose(new.Y, g.prox(W, 1 / old.s), atol=1e-12)
        np.testing.assert_allclose(new.Lam, old.Lam + old.s * (new.X - new.Y), atol=1e-11 * old.s)
        assert stiefel.norm(g.min_norm_subgradient(new.Y, -new.Lam)) <= 1e-11 * old.s
        assert stiefel.norm(stiefel.defect(new.X)) <= 1e-12

        gradient = ell.grad(new.X) + old.s * (W - new.Y)  # of l + the envelope of g at W
        assert new.size == pytest.approx(stiefel.norm(stiefel.tangent(new.X, gradient)), rel=1e-6, abs=1e-11 * old.s)
        left = ell.grad(new.X) + new.Lam + 2 * new.X @ solver.multiplier(new)
        assert stiefel.norm(left) == pytest.approx(new.size, rel=1e-6, abs=1e-11 * old.s)
        assert new.steps == old.cap or (new.size <= old.tol * old.unit and new.steps < old.cap)
        assert new.steps <= new.trials <= 3 * new.steps

        assert new.gap == pytest.approx(stiefel.norm(new.X - new.Y) / (1 + stiefel.norm(new.X) + stiefel.norm(new.Y)))
        grows = new.gap > solver.ratio * old.gap and new.gap >= solver.enough
        assert new.s == pytest.approx(min(solver.growth * old.s, 1e3 * first.s) if grows else old.s)
    assert first.gap == (np.inf if isinstance(solver, ManIAL) else 0.0)


def test_the_inner_rules_of_the_augmented_lagrangian_methods():
    """ManIAL: 2^-k, or 2^k steps. MIALM: the tolerance shrinks where it was reached; elsewhere 10,
    20, ... steps are added.
    """
    floor, most = ManIAL().floor, ManIAL().max_cycles
    one, two = (run(ManIAL(rule=rule), SPARSE, X0, 6) for rule in ("I", "II"))
    assert [(state.tol, state.cap) for state in one] == [(0.5**k, most) for k in range(1, 8)]
    assert [(state.tol, state.cap) for state in two] == [(floor, 2**k) for k in range(1, 8)]
    assert ManIAL(rule="II")._next(40, 0.0, 0, 0) == (floor, 2**14)
    assert ManIAL()._next(40, 0.0, 0, 0) == (floor, most)

    easy = run(MIALM(accuracy=0.1, decrease=0.5, max_cycles=200), SPARSE, X0, 6)
    assert [(state.tol, state.cap) for state in easy] == [(0.1 * 0.5**k, 200) for k in range(7)]
    hard = run(MIALM(accuracy=1e-6, max_cycles=2, extra=35), SPARSE, X0, 4)
    assert [state.cap for state in hard[:4]] == [2, 12, 22, 37]
    assert [state.tol for state in hard[:4]] == [1e-6] * 4


def test_the_penalty_has_a_largest_value():
    """A gap that does not shrink, as of a set that does not meet the manifold, makes s grow a
    thousandfold and no further.
    """
    apart = op.Problem(ELL, nonsmooth.Box(2.0, 3.0), (20, 3))
    for solver in (ManIAL(growth=100.0, max_cycles=3), MIALM(growth=100.0, max_cycles=3)):
        penalties = [state.s for state in run(solver, apart, X0, 6)]
        assert penalties[-1] == penalties[-2] == pytest.approx(1e3 * penalties[0])
        assert np.all(np.diff(penalties) >= 0)
