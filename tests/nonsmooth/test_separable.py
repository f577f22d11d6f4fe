"""Separable terms act on some entries alone."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox._linalg.packed import PackedEntries

M, N = 30, 12
MASK = np.random.default_rng(0).random((M, N)) < 0.2
MASK[3], MASK[:, 5] = False, False  # an empty row and an empty column


@pytest.mark.parametrize(
    "g",
    [
        op.nonsmooth.L1(0.3),
        op.nonsmooth.L1(np.abs(normal(0, M, N)), bound=0.7),
        op.nonsmooth.L1(np.abs(normal(0, M, 1))),
        op.nonsmooth.Box(-np.abs(normal(1, 1, N)), 0.4),
        op.nonsmooth.Nonnegative(),
        op.nonsmooth.MCP(0.3),
        op.nonsmooth.SCAD(0.3),
    ],
)
def test_a_separable_term_acts_on_the_entries_alone(g):
    at, W = PackedEntries(MASK), normal(5, M, N)
    np.testing.assert_array_equal(g.at(at).prox(at.take(W), 0.4), at.take(g.prox(W, 0.4)))
