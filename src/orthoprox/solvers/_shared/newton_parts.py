"""The parts of a step of RPN-CG for a quadratic l and g = L1, compiled by numba.

All matrices like X are transposed, so that the innermost loops go along the rows of X. Symmetric
n x n matrices have coordinates in an orthonormal basis: the entries on the diagonal, and those
below it times the root of 2.
"""

from math import sqrt
from typing import Any

import numpy as np

from orthoprox._adaptive.kept import compiled
from orthoprox.solvers._shared.proximal_newton import CURVED, DEPENDENT

_ROOT = 0.5**0.5
_EXACT, _ROUNDS = 1e-15, 60  # of the root of a matrix
ASCENT, FLAT, FALLS = range(3)  # what the model does


@compiled()
def inner(U: Any, V: Any) -> float:
    total = 0.0
    for j in range(U.shape[0]):
        for i in range(U.shape[1]):
            total += U[j, i] * V[j, i]
    return total


@compiled()
def cross(X: Any, V: Any, S: Any) -> None:
    """S = sym(X'V)."""
    n, m = X.shape
    for a in range(n):
        for b in range(a + 1):
            s = 0.0
            for i in range(m):
                s += X[a, i] * V[b, i] + X[b, i] * V[a, i]
            S[a, b] = S[b, a] = s / 2


@compiled()
def lagrangian(rows: Any, Lam: Any, U: Any, BU: Any) -> None:
    """BU = l''[U] - 2 U Lam."""
    pointers, columns, values = rows
    n, m = U.shape
    dense = len(values) == m * m
    for j in range(n):
        for i in range(m):
            BU[j, i] = 0.0
        for a in range(n):
            y = 2 * Lam[a, j]
            for i in range(m):
                BU[j, i] -= y * U[a, i]
        if dense:
            for k in range(m):
                u = U[j, k]
                if u != 0:
                    for i in range(m):
                        BU[j, i] += u * values[k * m + i]
        else:
            for i in range(m):
                for at in range(pointers[i], pointers[i + 1]):
                    BU[j, i] += values[at] * U[j, columns[at]]


@compiled()
def equation(X: Any, mask: Any, K: Any) -> None:
    """K = the matrix of S -> sym(X'(XS on the mask)) in the orthonormal basis of symmetric S."""
    n, m = X.shape
    M = np.zeros((n, n, n))  # column j of X'(XS on the mask) is M_j s_j
    for j in range(n):
        for a in range(n):
            for b in range(a + 1):
                s = 0.0
                for i in range(m):
                    s += mask[j, i] * X[a, i] * X[b, i]
                M[j, a, b] = M[j, b, a] = s
    for r in range(n):
        for s in range(r + 1):
            for p in range(n):
                for q in range(p + 1):
                    v = M[r, p, s] * (q == r) + M[s, p, r] * (q == s) * (r != s)
                    if p != q:
                        v += M[r, q, s] * (p == r) + M[s, q, r] * (p == s) * (r != s)
                    scale = (1.0 if p == q else _ROOT) * (1.0 if r == s else _ROOT)
                    K[p * (p + 1) // 2 + q, r * (r + 1) // 2 + s] = scale * v


@compiled()
def factorise(K: Any, L: Any, y: Any) -> None:
    """LL' = K up to dependent rows, with pivots: y holds their order and their number. Any solution
    S of K[S] = sym(X'R) gives the same XS on the mask.
    """
    size = len(K)
    for a in range(size):
        y[a, 1], y[a, 2] = a, K[a, a]
    rank = 0
    while rank < size:
        best = rank
        for b in range(rank + 1, size):
            best = b if y[b, 2] > y[best, 2] else best
        if not y[best, 2] > DEPENDENT:
            break
        for j in range(rank):
            L[rank, j], L[best, j] = L[best, j], L[rank, j]
        y[rank, 1], y[best, 1] = y[best, 1], y[rank, 1]
        y[rank, 2], y[best, 2] = y[best, 2], y[rank, 2]
        L[rank, rank] = sqrt(y[rank, 2])
        for b in range(rank + 1, size):
            v = K[int(y[b, 1]), int(y[rank, 1])]
            for j in range(rank):
                v -= L[b, j] * L[rank, j]
            L[b, rank] = v / L[rank, rank]
            y[b, 2] -= L[b, rank] * L[b, rank]
        rank += 1
    y[0, 2] = rank


@compiled()
def solution(L: Any, E: Any, y: Any, S: Any) -> None:
    """S = a solution of K[S] = E, with the factor of K."""
    n, rank = len(E), int(y[0, 2])
    coordinates = np.zeros(len(L))
    for p in range(n):
        for q in range(p + 1):
            coordinates[p * (p + 1) // 2 + q] = E[p, q] * (1.0 if p == q else 2 * _ROOT)
    for a in range(rank):
        v = coordinates[int(y[a, 1])]
        for j in range(a):
            v -= L[a, j] * y[j, 0]
        y[a, 0] = v / L[a, a]
    coordinates[:] = 0
    for a in range(rank - 1, -1, -1):
        v = y[a, 0]
        for j in range(a + 1, rank):
            v -= L[j, a] * coordinates[int(y[j, 1])]
        coordinates[int(y[a, 1])] = v / L[a, a]
    for p in range(n):
        for q in range(p + 1):
            S[p, q] = S[q, p] = coordinates[p * (p + 1) // 2 + q] * (1.0 if p == q else _ROOT)


@compiled()
def solve(K: Any, E: Any, y: Any, S: Any) -> None:
    """K[S] = -E, K positive definite in that basis; its Cholesky factor takes its place."""
    n, size = len(E), len(K)
    for p in range(n):
        for q in range(p + 1):
            y[p * (p + 1) // 2 + q, 0] = -E[p, q] * (1.0 if p == q else 2 * _ROOT)
    for a in range(size):
        for b in range(a + 1):
            pivot = K[a, b]
            for k in range(b):
                pivot -= K[a, k] * K[b, k]
            K[a, b] = sqrt(pivot) if a == b else pivot / K[b, b]
        s = y[a, 0]
        for k in range(a):
            s -= K[a, k] * y[k, 0]
        y[a, 0] = s / K[a, a]
    for a in range(size - 1, -1, -1):
        s = y[a, 0]
        for k in range(a + 1, size):
            s -= K[k, a] * y[k, 0]
        y[a, 0] = s / K[a, a]
    for p in range(n):
        for q in range(p + 1):
            S[p, q] = S[q, p] = y[p * (p + 1) // 2 + q, 0] * (1.0 if p == q else _ROOT)


@compiled()
def tangent_step(matrices: Any, squares: Any, t: float) -> Any:
    """The proximal step for this Lam: W, V, E = X'W + W'X - 2I, where the prox moves; |E|^2 and
    psi.
    """
    X, D, mu, _, W, moving, V = matrices[:7]
    Lam, G, E, S = squares[:4]
    n, m = X.shape
    psi, penalty = 0.0, 0.0
    for j in range(n):
        for i in range(m):
            V[j, i] = X[j, i] - t * D[j, i]
        for a in range(n):
            y = 2 * t * Lam[a, j]
            for i in range(m):
                V[j, i] += y * X[a, i]
        for i in range(m):
            b, threshold = V[j, i], t * mu[j, i]
            w = b - min(max(b, -threshold), threshold)
            psi += (b - w / 2) * w
            penalty += mu[j, i] * abs(w)
            moving[j, i] = 1.0 if abs(b) > threshold else 0.0
            W[j, i] = w
            V[j, i] = w - X[j, i]
    cross(X, V, S)
    size, trace = 0.0, 0.0
    for a in range(n):
        trace += Lam[a, a]
        for b in range(n):
            E[a, b] = 2 * (S[a, b] + G[a, b])
            size += E[a, b] * E[a, b]
    return size, psi / t - penalty - 2 * trace


@compiled()
def model(matrices: Any, step: float, held: float, unit: float, value: float) -> int:
    """Return what the model does at U = V + N + step P, where BU = B[U]."""
    X, D, mu, V, N, P, BU = matrices[0], matrices[1], matrices[2], matrices[6], matrices[8], matrices[10], matrices[12]
    n, m = X.shape
    square, curvature, slope, penalty = 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        for i in range(m):
            u = V[j, i] + N[j, i] + step * P[j, i]
            square += u * u
            curvature += u * BU[j, i]
            slope += u * D[j, i]
            penalty += mu[j, i] * abs(X[j, i] + u)
    curvature += held
    if not slope + curvature / 2 + penalty - value <= 0:
        return ASCENT
    return FALLS if curvature >= CURVED * unit * square else FLAT


@compiled()
def project(matrices: Any, squares: Any, V: Any, out: Any) -> None:
    """The nearest point on the free entries with X'V + V'X = 0; L is the factor for it."""
    X, free = matrices[0], matrices[7]
    _, _, E, S, _, L, y = squares
    n, m = X.shape
    for j in range(n):
        for i in range(m):
            out[j, i] = free[j, i] * V[j, i]
    cross(X, out, E)
    solution(L, E, y, S)
    for j in range(n):
        for a in range(n):
            w = S[a, j]
            for i in range(m):
                out[j, i] -= free[j, i] * w * X[a, i]


@compiled()
def move(rows: Any, matrices: Any, squares: Any, X0: Any, step: float) -> float:
    """X = polar(X0 + step U), with grad l and X'X - I there; return f(X)."""
    X, D, mu, B, U = matrices[0], matrices[1], matrices[2], matrices[3], matrices[13]
    G = squares[1]
    n, m = X.shape
    D[:] = X0 + step * U
    cross(D, D, G)
    root = inverse_root(G)
    X[:] = 0
    for j in range(n):
        for a in range(n):
            for i in range(m):
                X[j, i] += root[a, j] * D[a, i]
    cross(X, X, G)
    for a in range(n):
        G[a, a] -= 1
    lagrangian(rows, 0 * G, X, D)
    value = 0.0
    for j in range(n):
        for i in range(m):
            value += X[j, i] * (D[j, i] / 2 + B[j, i]) + mu[j, i] * abs(X[j, i])
            D[j, i] += B[j, i]
    return value


@compiled()
def inverse_root(C: Any) -> Any:
    """Return the inverse of the root of a positive definite matrix, by Newton's iteration
    Z+ = Z (3I - ZYY) / 2 (Higham 2008, equation 6.35) from the matrix over its trace.
    """
    n, trace = len(C), np.trace(C)
    Y, Z, T = C / trace, np.eye(n), np.empty((n, n))
    for _ in range(_ROUNDS):
        error = 0.0
        for a in range(n):
            for b in range(n):
                s = 3.0 if a == b else 0.0
                for k in range(n):
                    s -= Z[a, k] * Y[k, b]
                T[a, b] = s / 2
                error = max(error, abs(s - (2.0 if a == b else 0.0)))
        Y, Z = product(Y, T), product(T, Z)
        if error <= _EXACT * n:
            break
    return Z / sqrt(trace)


@compiled()
def product(A: Any, B: Any) -> Any:
    """AB for n x n matrices."""
    n = len(A)
    C = np.zeros((n, n))
    for a in range(n):
        for k in range(n):
            for b in range(n):
                C[a, b] += A[a, k] * B[k, b]
    return C
