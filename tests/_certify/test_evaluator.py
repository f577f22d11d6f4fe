"""The evaluator of a run: its scale and its KKT error."""

from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox._certify.evaluator import Evaluator
from snapshots import snapshot

SHAPE = 14, 3


def test_a_vanishing_gradient_does_not_inflate_the_relative_distance():
    """The scale of a run never falls below a thousandth of the gradient at its start."""
    T = stiefel.random_point(*SHAPE, 1)
    smooth = op.smooth.Function(lambda X: np.sum((X - T) ** 2) / 2, lambda X: X - T)
    problem = op.Problem(smooth, op.nonsmooth.Zero(), SHAPE)
    start = stiefel.random_point(*SHAPE, 2)
    evaluator = Evaluator.at(problem, start)
    near = stiefel.polar(T + 1e-9 * start)
    assert evaluator.stationarity(evaluator.certify(near, None)) <= 1e-3
    assert evaluator.floor == pytest.approx(1e-3 * stiefel.norm(start - T))


def test_the_kkt_error_is_the_largest_of_four_gaps():
    """tol bounds the stationarity and the feasibility of P, the feasibility of X, and its distance
    from P.
    """
    now = snapshot()
    exact = {"upper": 0.0, "lower": 0.0, "distance": 0.0, "feasibility": 0.0}
    proof = replace(now.certificate, **exact)
    assert now.evaluator.kkt_error(now.X, proof) <= 1e-12
    scale = max(proof.gradient, now.evaluator.floor)
    for name, value, expected in [("upper", 0.3, 0.3 / scale), ("distance", 0.4, 0.4 / 2**0.5), ("feasibility", 0.5, 0.5)]:
        assert now.evaluator.kkt_error(now.X, replace(proof, **{name: value})) == pytest.approx(expected)
    assert now.evaluator.kkt_error(1.1 * now.X, proof) == pytest.approx(0.21 * 2**0.5)
