"""Problems of every kind at any scale, for the tests of the default method."""

from dataclasses import replace

import numpy as np

import orthoprox as op
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, L21, MCP, Nonnegative, Zero

DATA = op.datasets.five_components(50, 30, seed=1)
X0 = stiefel.random_point(30, 4, seed=2)


def scaled(c):
    """Problems with c f in place of f; what scales a penalty's bend is its own parameter."""
    A, B = op.datasets.random_quadratic(30, 4, seed=3)
    root = c**0.5
    return {
        "sparse_pca": op.Problem(smooth.Variance(root * DATA), L1(0.3 * c), (30, 4)),
        "quadratic": op.Problem(smooth.Quadratic(c * A, c * B), L1(0.35 * c), (30, 4)),
        "rows": op.Problem(smooth.Variance(root * DATA), L21(0.3 * c), (30, 4)),
        "MCP": op.Problem(smooth.Variance(root * DATA), MCP(0.3 * c, gamma=2.0 / c), (30, 4)),
        "nonnegative": op.Problem(smooth.Variance(root * DATA), Nonnegative(), (30, 4)),
        "smooth": op.Problem(smooth.Quadratic(c * A, c * B), Zero(), (30, 4)),
        "own": op.Problem(
            smooth.Function(lambda X: -c * np.sum(np.log(np.cosh(DATA @ X))), lambda X: -c * DATA.T @ np.tanh(DATA @ X)),
            L1(0.05 * c),
            (30, 4),
        ),
    }


def with_iterate(state, **changes):
    """The state with other fields of the state of its phase."""
    return replace(state, now=replace(state.now, **changes))


def with_memory(state, **changes):
    """The state with another memory."""
    return with_iterate(state, memory=replace(state.now.memory, **changes))


def steps(solver, problem, state, number):
    """The states after each of some steps."""
    states = []
    for _ in range(number):
        state = solver.step(problem, state)
        states.append(state)
    return states
