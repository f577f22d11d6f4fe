"""Small wide problems with a planted solution, which calls treat as wide."""

import numpy as np

import orthoprox as op

P, M, N, MU = 60, 2000, 3, 2.5  # samples, features, columns, weight


def data(seed=0, p=P, m=M):
    """Samples of three factors with 30 features each and noise, and the planted X."""
    rng = np.random.default_rng(seed)
    B = np.zeros((m, N))
    for i in range(N):
        B[rng.choice(m, 30, replace=False), i] = 0.8 * rng.choice([-1.0, 1.0], 30)
    A = rng.standard_normal((p, N)) @ B.T + 0.7 * rng.standard_normal((p, m))
    return (A - A.mean(axis=0)) / p**0.5, op.stiefel.polar(B)


A, TRUTH = data()
PLANTED = op.problems.sparse_pca(A, N, MU)
