"""Small problems that the tests of the methods share, and a few helpers."""

import numpy as np

import orthoprox as op
from cases import normal
from orthoprox import nonsmooth, smooth, stiefel
from orthoprox.nonsmooth import L1, L21, Zero

A, B = op.datasets.random_quadratic(20, 3, seed=0)
ELL = smooth.Quadratic(A, B)
X0 = stiefel.random_point(20, 3, seed=1)
SMOOTH = op.Problem(ELL, Zero(), (20, 3))
SPARSE = op.Problem(ELL, L1(0.1), (20, 3))
DIVERGING = op.LSALM(rho=1.0, lam=50.0, r=0.0, alpha=40.0, beta=0.5, eps=0.0)  # on SPARSE
GAUSSIAN = op.problems.sparse_pca(normal(0, 50, 60) / 7, 30, 0.8)  # has many minima
PROBLEMS = {
    "sparse_pca": op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.3),
    "quadratic": SPARSE,
    "compressed_modes": op.problems.compressed_modes(24, 3, 0.1),
    "L21": op.Problem(ELL, L21(0.1), (20, 3)),
    "Zero": SMOOTH,
    "MCP": op.Problem(ELL, nonsmooth.MCP(0.1), (20, 3)),
    "Nonnegative": op.Problem(smooth.Variance(np.abs(normal(0, 30, 20))), nonsmooth.Nonnegative(), (20, 3)),
    "Function": op.Problem(ELL, nonsmooth.Function(L1(0.1).value, L1(0.1).prox), (20, 3)),
}


def spread(seed, m, eigenvalues):
    """A symmetric matrix with the given eigenvalues and random eigenvectors."""
    Q = np.linalg.qr(normal(seed, m, m))[0]
    return stiefel.sym((Q * eigenvalues) @ Q.T)


def run(solver, problem, start, steps):
    """The states of a run, the first one included."""
    states = [solver.init(problem, start)]
    for _ in range(steps):
        states.append(solver.step(problem, states[-1]))
    return states


def raising(error):
    """A function that raises the error, whatever it is called with."""

    def function(*args, **options):
        raise error

    return function
