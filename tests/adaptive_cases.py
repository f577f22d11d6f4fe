"""Problems of every kind at any scale, for the tests of the default method."""

from dataclasses import replace

import numpy as np

import orthoprox as op
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._adaptive.smoothing_newton import SmoothingNewton
from orthoprox.nonsmooth import L1, L21, MCP, Nonnegative, Zero
from orthoprox.solvers import Adaptive

LARGE = Adaptive(small=replace(SMALL, entries=0, stack=0))  # for which no problem is small or narrow
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


def with_residual(iterate, residual):
    """The iterate with another residual."""
    return replace(iterate, stationarity=residual, feasibility=0.0)


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


def memory_of(problem, X, floor=0.0):
    """What a run from X would remember."""
    start = PrimalDual(X, 0 * stiefel.defect(X), problem.smooth.grad(X), 0 * X)
    return Memory(start, float(problem.value(X)), curvature=1.0, floor=floor, step=1.0, bound=2.0, polish_at=0.0)


def begin(problem, X, width=0.3, floor=0.0):
    """The first point of the smoothing Newton method from X."""
    memory = memory_of(problem, X, floor)
    return SmoothingNewton(SETTINGS, width, until_end=True).start(problem, memory.start, memory)


def small_pca(mu=2.0, shape=(12, 3), dtype=np.float64):
    """Sparse PCA with Gaussian data."""
    return op.Problem(smooth.Variance(normal(0, 30, shape[0]).astype(dtype)), Zero() if mu == 0 else L1(mu), shape)


def newton_run(problem, point, done, budget):
    """Take steps of the smoothing Newton method until ``done``; return all points."""
    points, phase = [point], SmoothingNewton(SETTINGS, 0.3, until_end=True)
    while not done(points[-1]):
        assert len(points) <= budget
        points.append(phase.step(problem, points[-1]))
    return points
