"""Counting the work that is done on a problem."""

from dataclasses import dataclass

import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, SMOOTH, normal
from counting import counting
from orthoprox.nonsmooth import base as nonsmooth_base
from orthoprox.nonsmooth.separable import Separable, Zero
from orthoprox.problems.problem import HasShape, Problem, counted
from orthoprox.problems.work import Work
from orthoprox.smooth import base as smooth_base
from orthoprox.smooth.base import HasLipschitz, Smooth
from small_problems import SPARSE, X0

KINDS = [
    kind
    for module in (smooth_base, nonsmooth_base)
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
] + [HasShape, Separable, Zero]


def test_each_evaluation_is_counted_once():
    work = Work()
    problem = counted(SPARSE, work)
    for evaluate, expected in [
        (lambda: problem.grad(X0), Work(gradients=1)),
        (lambda: problem.value(X0), Work(values=1)),
        (lambda: problem.value_and_grad(X0), Work(gradients=1, values=1)),
        (lambda: problem.prox(X0, 0.5), Work(proxes=1)),
        (lambda: problem.nonsmooth.value(X0), Work()),
        (lambda: problem.smooth.lipschitz, Work()),
    ]:
        before = work + Work()
        evaluate()
        assert work == before + expected


def test_a_problem_evaluates_its_terms():
    np.testing.assert_array_equal(SPARSE.grad(X0), SPARSE.smooth.grad(X0))
    np.testing.assert_array_equal(SPARSE.prox(X0, 0.5), SPARSE.nonsmooth.prox(X0, 0.5))
    value, D = SPARSE.value_and_grad(X0)
    assert (value, D.tolist()) == (SPARSE.smooth.value(X0), SPARSE.smooth.grad(X0).tolist())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_counted_term_is_what_the_term_is(kind):
    """Every class and every ability, of every term."""
    for ell in SMOOTH.values():
        for g in NONSMOOTH.values():
            problem = Problem(ell, g, SHAPE)
            same = counted(problem, Work())
            assert isinstance(same.smooth, kind) == isinstance(ell, kind)
            assert isinstance(same.nonsmooth, kind) == isinstance(g, kind)
            assert (same.nonsmooth.modulus, repr(same.smooth)) == (g.modulus, repr(ell))


class Estimating(Smooth):
    """A term whose abilities are attributes, and one of its methods as well."""

    def __init__(self):
        self.lipschitz = 2.0
        self.grad = lambda X: 2 * X

    def value(self, X):
        return np.sum(X**2)

    def grad(self, X):
        raise AssertionError

    def value_and_grad(self, X):
        return self.value(X), self.grad(X)


def test_attributes_of_a_term_are_seen_and_its_methods_counted():
    work, ell = Work(), Estimating()
    problem = counted(Problem(ell, Zero(), (20, 3)), work)
    assert isinstance(problem.smooth, HasLipschitz)
    ell.lipschitz = 3.0
    assert problem.smooth.lipschitz == 3.0
    np.testing.assert_array_equal(problem.grad(X0), 2 * X0)
    assert work.gradients == 1


def test_an_attribute_that_a_term_lacks_is_missing():
    problem = counted(SPARSE, Work())
    for term, name in ((problem.smooth, "prox"), (problem.nonsmooth, "grad"), (problem.nonsmooth, "nothing")):
        assert not hasattr(term, name)
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(term, name)


def test_counting_does_not_nest():
    first, second = Work(), Work()
    once = counted(SPARSE, first)
    counted(once, second).grad(X0)
    assert (first.gradients, second.gradients) == (0, 1)


@dataclass(frozen=True, slots=True)
class Slotted(Smooth):
    """A term without a dictionary of attributes."""

    lipschitz: float

    def value(self, X):
        return np.sum(X**2)

    def grad(self, X):
        return 2 * X

    def value_and_grad(self, X):
        return self.value(X), self.grad(X)


def test_a_term_with_slots_is_counted():
    work = Work()
    problem = counted(Problem(Slotted(2.0), Zero(), (20, 3)), work)
    assert isinstance(problem.smooth, HasLipschitz)
    problem.grad(X0)
    assert (problem.smooth.lipschitz, work.gradients) == (2.0, 1)


@pytest.mark.parametrize("name", SMOOTH)
def test_terms_do_not_count_their_own_calls(name):
    """A subclass that counts each call finds one for each."""
    work, X = Work(), normal(0, *SHAPE)
    ell = counting(SMOOTH[name], work)
    for evaluate, expected in [
        (ell.grad, Work(gradients=1)),
        (ell.value, Work(values=1)),
        (ell.value_and_grad, Work(gradients=1, values=1)),
    ]:
        before = work + Work()
        evaluate(X)
        assert work == before + expected


def test_messages_show_the_name_of_the_users_term():
    class Broken(Estimating):
        pass

    broken = Broken()
    broken.grad = lambda X: np.full_like(X, np.nan)
    with pytest.raises(ValueError, match="gradient of the smooth term Broken returned NaN"):
        op.minimize(Problem(broken, Zero(), (20, 3)))
