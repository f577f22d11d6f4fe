"""The loop of first-order iterations, compiled by numba: what ``FirstOrder.step`` does, without a
call of Python in between.
"""

from collections.abc import Callable
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numba import njit

GOING, ENDED, LOST = 0, 1, 2  # why a walk returns: all its iterations are made, it has ended, it needs a restart
ROWS = "Tuple((int64[::1], int64[::1], float64[::1]))"
SIGNATURE = f"Tuple((int64, int64))({ROWS}, float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], int64)"


def _compiled(function: Callable[..., Any]) -> Any:
    try:
        return njit(SIGNATURE, cache=True, error_model="numpy")(function)
    except RuntimeError:  # no folder to keep the code in
        return njit(SIGNATURE, error_model="numpy")(function)


@_compiled
def walk(rows: Any, big: Any, square: Any, numbers: Any, steps: int) -> Any:
    """Make up to so many iterations in place; return how many gradients that took, and why it
    returned. After ``LOST`` the last good X, the monitor and the last c near the manifold are those
    before the last iteration, as a restart needs them.

    ``big`` has the matrices X, E, Z, D, EY, EG, good, mu, B and room for another; ``square`` has Y,
    G and room for another; ``numbers`` has what ``compiled.py`` names. The rows of the Hessian of l
    are given as in a sparse array: where they begin, columns and values.
    """
    X, E, Z, D, EY, EG = big[0], big[1], big[2], big[3], big[4], big[5]
    good, mu, B, P = big[6], big[7], big[8], big[9]
    Y, G, S = square[0], square[1], square[2]
    s, k = numbers[0], numbers[1]
    pointers, columns, values = rows
    penalty, smoothing, centre, inertia, near, identified, weight = k[0], k[1], k[2], k[3], k[4], k[5], k[6]
    window, slow_after, goal, floor, safety, bound, tol = k[7], k[8], k[9], k[10], k[11], k[12], k[13]
    m, n = X.shape
    d, u = np.empty(n), np.empty(n)

    for done in range(steps):
        c, stationarity, feasibility, rule = s[0], s[3], s[4], int(s[8])
        if max(stationarity, feasibility) <= tol or rule > 1:
            return done, ENDED
        total = (1 + smoothing) * c
        alpha = penalty * c

        # Algorithm 1, lines 2 and 3
        toE, toZ, toD, toG = 1 / (1 + smoothing), smoothing / (1 + smoothing), 1 / total, 2 * penalty / (1 + smoothing)
        length = along = 0.0
        for i in range(m):
            for j in range(n):
                w = toE * E[i, j] + toZ * Z[i, j] - toD * (D[i, j] + 2 * EY[i, j]) - toG * EG[i, j]
                x = w - min(max(w, -mu[i, j] * toD), mu[i, j] * toD)
                back = E[i, j] - x
                length += back * back
                along += back * (x - X[i, j])
                Z[i, j] = (1 - centre) * Z[i, j] + centre * x
                P[i, j] = x
        length = sqrt(length)

        # extrapolation
        t, theta = 1.0, 0.0
        if not along > 0:
            t = (1 + sqrt(1 + 4 * s[5] * s[5])) / 2
            theta = min((s[5] - 1) / t, inertia) if rule == 0 else 0.0
        move = 0.0
        for i in range(m):
            for j in range(n):
                e = P[i, j] + theta * (P[i, j] - X[i, j])
                move += (e - E[i, j]) * (e - E[i, j])
                E[i, j], X[i, j] = e, P[i, j]

        # grad l(E), E'E - I, and the products with E
        for a in range(n):
            for b in range(n):
                G[a, b] = -1.0 if a == b else 0.0
        for i in range(m):
            for a in range(n):
                for b in range(n):
                    G[a, b] += E[i, a] * E[i, b]
        size = 0.0
        for a in range(n):
            for b in range(n):
                size += G[a, b] * G[a, b]
        size = sqrt(size)
        change = slope = 0.0
        for i in range(m):
            for j in range(n):
                d[j] = B[i, j]
                u[j] = 0.0
                EG[i, j] = 0.0
            for at in range(pointers[i], pointers[i + 1]):
                h, row = values[at], columns[at]
                for j in range(n):
                    d[j] += h * E[row, j]
            for a in range(n):
                for j in range(n):
                    u[j] += E[i, a] * Y[a, j]
                    EG[i, j] += E[i, a] * G[a, j]
            for j in range(n):
                lagrangian = d[j] - D[i, j] + 2 * (u[j] - EY[i, j])
                change += lagrangian * lagrangian
                slope += d[j] * d[j]
                D[i, j], EY[i, j] = d[j], u[j]
        measured = sqrt(change) / sqrt(move) if move > 0 else 0.0

        # Algorithm 1, line 4, with a weight for each entry near a solution
        if max(stationarity, feasibility) <= identified:
            most = weight * weight if feasibility > weight * stationarity else weight
            for a in range(n):
                for b in range(n):
                    S[a, b] = 0.0
            for i in range(m):
                for a in range(n):
                    for b in range(n):
                        if X[i, b] != 0:
                            S[a, b] += X[i, a] * X[i, a]
            for a in range(n):
                for b in range(a + 1):
                    overlap = S[a, b] + S[b, a]
                    weighted = 1.0 if a == b else min(max(2 / (overlap if overlap > 0 else 2.0), 1.0), most)
                    S[a, b] = S[b, a] = alpha * weighted * G[a, b]
            for i in range(m):
                for a in range(n):
                    for j in range(n):
                        EY[i, j] += E[i, a] * S[a, j]
        else:
            for a in range(n):
                for b in range(n):
                    S[a, b] = alpha * G[a, b]
            for i in range(m):
                for j in range(n):
                    EY[i, j] += alpha * EG[i, j]

        # divergence: an eigenvalue of G above the bound, or one below -.9, a vanished column
        lost, vanished = not (length < inf and size < inf), False
        if not lost and size > near:
            for side in range(2):  # of bound I - G, then G + near I: are all pivots positive?
                sign, shift = (-1.0, bound) if side == 0 else (1.0, near)
                positive = True
                for a in range(n):
                    for b in range(a + 1):
                        pivot = sign * G[a, b] + (shift if a == b else 0.0)
                        for j in range(b):
                            pivot -= P[a, j] * P[b, j]
                        if a == b:
                            positive = positive and pivot > 0
                            P[a, a] = sqrt(pivot) if pivot > 0 else 1.0
                        else:
                            P[a, b] = pivot / P[b, b]
                if side == 0:
                    lost = not positive
                else:
                    vanished = not positive
        if lost or (vanished and s[7] + 1 >= k[14]):
            return done + 1, LOST

        # residuals, curvature, stagnation
        for a in range(n):
            for b in range(n):
                Y[a, b] += S[a, b]
        gap, scale = total * length, max(sqrt(slope), floor)
        s[2], s[3], s[4] = gap, gap / (scale if scale > 0 else 1.0), size
        s[0] = max(k[15 + rule] * safety * measured, k[17 + rule] * c)
        s[1] = s[0] if size <= 0.5 else s[1]
        s[5], s[6], s[7] = t, theta, s[7] + 1 if vanished else 0.0
        if not vanished:
            for i in range(m):
                for j in range(n):
                    good[i, j] = X[i, j]
        s[10] += 1
        s[11] = min(s[11], max(s[3], s[4]))
        if s[10] % window == 0:
            best, before = s[11], s[12]
            gain = log(before / best) if 0 < best < before < inf else 0.0
            slow = best > 0 and log(max(best / goal, 1 / identified)) * window > slow_after * gain
            s[13] = s[13] + 1 if s[10] > window and slow else 0.0
            s[11], s[12] = inf, min(before, best)
            if s[13] >= s[9]:
                s[5], s[8], s[10], s[12], s[13] = 1.0, rule + 1.0, 0.0, inf, 0.0
    return steps, GOING
