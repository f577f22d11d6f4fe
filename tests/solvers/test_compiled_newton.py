"""RPN-CG by the compiled loop: it makes the steps of the method, counts them, and asks whether to
go on.
"""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox._adaptive.compiled import loop
from orthoprox._adaptive.small import SMALL
from orthoprox._certify.evaluator import Evaluator
from orthoprox.nonsmooth import L1
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work
from orthoprox.smooth import Quadratic, Variance
from orthoprox.solvers._shared import compiled_newton
from orthoprox.solvers.rpncg import RPNCG, advanced, begun
from orthoprox.stopping.clock import Stopped
from within_calls import Clock, looped

pytest.importorskip("numba")
PLAIN = RPNCG(hybrid=False)


def quadratic():
    A, B = op.datasets.random_quadratic(30, 4, seed=3)
    return op.Problem(Quadratic(A, B), L1(np.abs(normal(1, 30, 1))), (30, 4))


PROBLEMS = {
    "dense": op.problems.sparse_pca(normal(0, 40, 13), 4, 3.0),
    "weights, one of them 0": op.Problem(Variance(normal(0, 40, 13)), L1([0.5, 0.0, 2.0]), (13, 3)),
    "linear part": quadratic(),
    "sparse Hessian": op.problems.compressed_modes(64, 4, 0.1),
    "one column": op.problems.sparse_pca(normal(0, 40, 13), 1, 3.0),
    "square": op.problems.sparse_pca(normal(0, 40, 5), 5, 3.0),
}


def first(problem, seed=0):
    X = op.stiefel.random_point(*problem.shape, seed=seed)
    return begun(problem, X, 1 / problem.smooth.lipschitz)


@pytest.mark.parametrize("name", ["dense", "weights, one of them 0", "sparse Hessian", "one column"])
def test_the_steps_are_those_of_the_method(name):
    """To the solution, and all that a state has."""
    problem = PROBLEMS[name]
    one = two = first(problem)
    scale = np.linalg.norm(one.here.D)
    for _ in range(40):
        one, two = advanced(looped(problem), one, 1), PLAIN.step(problem, two)
        np.testing.assert_allclose(one.X, two.X, atol=1e-6)
        np.testing.assert_allclose(one.here.D, two.here.D, atol=1e-6 * scale)
        np.testing.assert_allclose(one.Lam, two.Lam, atol=1e-6 * scale)
        assert one.here.F == pytest.approx(two.here.F, rel=1e-7)
        assert (one.t, one.used, one.size) == pytest.approx((two.t, two.used, two.size), rel=1e-3, abs=1e-9)
        assert (one.unchecked is None) == (two.unchecked is None)
        if two.size / two.used <= 1e-6 * scale:  # below, steps are decided by rounding
            break
    assert two.size / two.used <= 1e-6 * scale or name == "sparse Hessian"  # which takes longer


@pytest.mark.parametrize("name", PROBLEMS)
def test_it_ends_at_solutions(name):
    """Also where columns hardly overlap, and a rank is a matter of rounding."""
    problem = PROBLEMS[name]
    end = advanced(looped(problem), first(problem), 300, 1e-9)
    assert end.size / end.used <= 1e-9 * np.linalg.norm(end.here.D)
    evaluator = Evaluator(problem, end.t0, 0.0)
    assert evaluator.kkt_error(end.X, evaluator.certify(end.X, -end.Lam)) <= 1e-6
    assert end.here.F == pytest.approx(float(problem.value(end.X)), rel=1e-12)
    assert np.linalg.norm(end.X.T @ end.X - np.eye(problem.shape[1])) < 1e-13


def test_many_steps_are_the_same_as_one_by_one():
    problem = looped(PROBLEMS["sparse Hessian"])
    one = many = first(problem)
    for _ in range(20):
        one = advanced(problem, one, 1)
    many = advanced(problem, many, 20)
    np.testing.assert_allclose(one.X, many.X, atol=1e-12)
    assert (one.t, one.here.F) == pytest.approx((many.t, many.here.F), rel=1e-12)


def test_it_ends_at_the_residual():
    problem = looped(PROBLEMS["dense"])
    end = advanced(problem, first(problem), 200, 1e-3)
    residual = end.size / end.used / np.linalg.norm(end.here.D)
    assert 1e-7 < residual <= 1e-3
    plain = advanced(PROBLEMS["dense"], first(problem), 200, 1e-3)
    assert plain.size / plain.used <= 1e-3 * np.linalg.norm(plain.here.D)


@pytest.mark.parametrize("name", ["dense", "sparse Hessian"])
def test_it_counts_what_the_method_counts(name):
    """Gradients, values and proxes; a step for the multiplier may be evaluated once more."""
    works = Work(), Work()
    plain, problem = counted(PROBLEMS[name], works[0]), looped(PROBLEMS[name], works[1])
    for inside in (plain, problem):
        advanced(inside, first(PROBLEMS[name]), 8)
    assert works[0].gradients == works[1].gradients > 20
    assert works[0].values == works[1].values >= 8
    assert works[0].proxes == works[1].proxes


def test_it_asks_often_whether_to_go_on(monkeypatch):
    """In the middle of conjugate gradients, too; where it goes on, nothing changes but a proximal
    step that is evaluated once more.
    """
    problem = PROBLEMS["sparse Hessian"]
    whole = advanced(looped(problem), first(problem), 10)
    monkeypatch.setattr(compiled_newton, "SMALL", replace(SMALL, chunk=1.0))
    parts, work = advanced(looped(problem), first(problem), 10), Work()
    np.testing.assert_allclose(parts.X, whole.X, atol=1e-12)
    assert parts.here.F == pytest.approx(whole.here.F, rel=1e-13)
    with pytest.raises(Stopped):
        advanced(looped(problem, work, Clock(30)), first(problem), 10)
    assert 0 < work.gradients < 60


def test_many_columns_have_no_loop():
    """There the equations for symmetric matrices are large; NumPy solves them."""
    problem = op.problems.sparse_pca(normal(0, 40, 24), SMALL.stack + 1, 3.0)
    assert loop(problem) is not None
    assert not loop(problem).newton
    one, two = (advanced(inside, first(problem), 3) for inside in (looped(problem), problem))
    np.testing.assert_array_equal(one.X, two.X)
