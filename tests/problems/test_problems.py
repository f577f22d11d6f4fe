"""Ready-made problems by name, and how problems print."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox.problems.problem import counted
from orthoprox.problems.work import Work


def test_registry_names_every_problem():
    assert set(op.PROBLEMS) == {name for name in op.problems.__all__ if name != "PROBLEMS"}
    assert all(op.PROBLEMS[name] is getattr(op.problems, name) for name in op.PROBLEMS)


class Mine(op.nonsmooth.Nonsmooth):
    """A term of one's own, which says nothing about itself."""

    def __init__(self, weight, *_, label="", **__):
        self.weight, self.label = weight, label

    def value(self, X):
        return 0.0

    def prox(self, X, t):
        return X


PRINTED = [
    (op.smooth.Variance(np.eye(13)[:9]), "Variance(A of shape (9, 13))"),
    (op.smooth.Variance(np.eye(3), center=True), "Variance(A of shape (3, 3), center of shape (3,))"),
    (op.smooth.Quadratic(np.eye(3), np.ones((3, 2))), "Quadratic(A of shape (3, 3), B of shape (3, 2))"),
    (op.smooth.Function(np.sum, np.ones_like), "Function(fun=sum, grad=ones_like)"),
    (op.nonsmooth.L1(0.5), "L1(mu=0.5)"),
    (op.nonsmooth.L1(np.ones((3, 1)), bound=0.5), "L1(mu of shape (3, 1), bound=0.5)"),
    (op.nonsmooth.MCP(0.5), "MCP(mu=0.5)"),
    (op.nonsmooth.SCAD(0.5, a=2.5), "SCAD(mu=0.5, a=2.5)"),
    (op.nonsmooth.Box(-1, np.inf), "Box(lower=-1.0)"),
    (op.nonsmooth.Zero(), "Zero()"),
    (Mine(2.0, label="a"), "Mine(weight=2.0, label='a')"),
]


@pytest.mark.parametrize(("term", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_terms_print_what_they_are_made_of(term, text):
    """Parameters that are not as by default, and the shapes of data."""
    assert repr(term) == text


def test_a_problem_prints_its_terms_and_its_shape():
    problem = op.problems.sparse_pca(np.eye(13), 4, 0.5)
    text = "Problem(Variance(A of shape (13, 13)) + L1(mu=0.5), X of shape (13, 4))"
    assert repr(problem) == repr(counted(problem, Work())) == text
