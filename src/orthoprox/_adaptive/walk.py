"""The loop of first-order iterations, compiled by numba: what ``FirstOrder.step`` does, without a
call of Python in between.
"""

from math import inf, log, sqrt
from typing import Any

import numpy as np

from orthoprox._adaptive.kept import compiled
from orthoprox._adaptive.rules import MATRICES, MONITOR, NUMBERS

GOING, ENDED, LOST = 0, 1, 2  # why a walk returns: all its iterations are made, it has ended, it needs a restart

# What it works on beside the fields of an iterate, by the names of ``Settings`` and ``Memory``
CONSTANTS = "penalty", "smoothing", "centre", "inertia", "near", "vanished", "weight", "window", "slow", "goal", "identified"
MEMORY = "floor", "safety", "bound"
# The places of ``NUMBERS`` and ``MONITOR``
C, NEAR_C, GAP, STATIONARITY, FEASIBILITY, T, THETA, VANISHED = range(len(NUMBERS))
STEP_RULE, PATIENCE, ITERATIONS, WINDOW_BEST, PREVIOUS_BEST, SLOW = range(len(NUMBERS), len(NUMBERS + MONITOR))

_ROWS = "Tuple((int64[::1], int64[::1], float64[::1]))"
_ARRAYS = f"UniTuple(float64[:, ::1], {len((*MATRICES, 'mu', 'B', 'room', 'room'))})"
_SETTINGS = (
    f"Tuple((UniTuple(float64, {len(CONSTANTS)}), UniTuple(float64, {len((*MEMORY, 'tol'))}), {'UniTuple(float64, 2), ' * 2}))"
)
SIGNATURE = f"Tuple((int64, int64))({_ROWS}, {_ARRAYS}, float64[::1], {_SETTINGS}, int64)"


@compiled("walk", SIGNATURE)
def walk(rows: Any, arrays: Any, s: Any, settings: Any, steps: int) -> Any:
    """Make up to so many iterations in place; return how many gradients that took, and why it
    returned. After ``LOST`` the last good X, the monitor and the last c near the manifold are those
    before the last iteration, as a restart needs them.

    Parameters
    ----------
    rows : tuple
        The rows of the Hessian of l, as in a sparse array: where they begin, columns and values.
    arrays : tuple
        ``MATRICES``, the weights mu of g, the linear part B of l, and room for an X and a Y; all
        transposed, so that the innermost loops go along the rows of X.
    s : array
        ``NUMBERS`` and ``MONITOR``.
    settings : tuple
        ``CONSTANTS``, ``MEMORY`` with tol, margins and decays.
    steps : int
        The iterations.
    """
    X, E, Y, Z, D, G, EY, EG, good, mu, B, P, S = arrays
    (pointers, columns, values), (constants, (floor, safety, bound, tol), margins, decays) = rows, settings
    penalty, smoothing, centre, inertia, near, vanished_limit, weight, window, slow_limit, goal, identified = constants
    n, m = X.shape
    dense = len(values) == m * m
    d = np.empty(m)

    for done in range(steps):
        c, stationarity, feasibility, rule = s[C], s[STATIONARITY], s[FEASIBILITY], int(s[STEP_RULE])
        if max(stationarity, feasibility) <= tol or rule >= len(margins):
            return done, ENDED
        total = (1 + smoothing) * c
        alpha = penalty * c

        # Algorithm 1, lines 2 and 3
        toE, toZ, toD, toG = 1 / (1 + smoothing), smoothing / (1 + smoothing), 1 / total, 2 * penalty / (1 + smoothing)
        length = along = 0.0
        for j in range(n):
            for i in range(m):
                w = toE * E[j, i] + toZ * Z[j, i] - toD * (D[j, i] + 2 * EY[j, i]) - toG * EG[j, i]
                x = w - min(max(w, -mu[j, i] * toD), mu[j, i] * toD)
                back = E[j, i] - x
                length += back * back
                along += back * (x - X[j, i])
                Z[j, i] = (1 - centre) * Z[j, i] + centre * x
                P[j, i] = x
        length = sqrt(length)

        # extrapolation
        t, theta = 1.0, 0.0
        if not along > 0:
            t = (1 + sqrt(1 + 2 * s[T] * (2 * s[T]))) / 2
            theta = min((s[T] - 1) / t, inertia) if rule == 0 else 0.0
        move = 0.0
        for j in range(n):
            for i in range(m):
                e = P[j, i] + theta * (P[j, i] - X[j, i])
                move += (e - E[j, i]) * (e - E[j, i])
                E[j, i] = e
                X[j, i] = P[j, i]

        # E'E - I, grad l(E), and the products with E
        size = 0.0
        for a in range(n):
            for b in range(a + 1):
                g = 0.0
                for i in range(m):
                    g += E[a, i] * E[b, i]
                G[a, b] = G[b, a] = g - 1 if a == b else g
                size += G[a, b] * G[a, b] * (1 if a == b else 2)
        size = sqrt(size)
        change = slope = 0.0
        for j in range(n):
            for i in range(m):
                d[i] = B[j, i]
                P[j, i] = 0.0
                EG[j, i] = 0.0
            if dense:
                for k in range(m):
                    e = E[j, k]
                    if e != 0:
                        for i in range(m):
                            d[i] += e * values[k * m + i]
            else:
                for i in range(m):
                    for at in range(pointers[i], pointers[i + 1]):
                        d[i] += values[at] * E[j, columns[at]]
            for a in range(n):
                y, g = Y[j, a], G[j, a]
                for i in range(m):
                    P[j, i] += y * E[a, i]
                    EG[j, i] += g * E[a, i]
            for i in range(m):
                lagrangian = d[i] - D[j, i] + 2 * (P[j, i] - EY[j, i])
                change += lagrangian * lagrangian
                slope += d[i] * d[i]
                D[j, i] = d[i]
                EY[j, i] = P[j, i]
        measured = sqrt(change) / sqrt(move) if move > 0 else 0.0

        # Algorithm 1, line 4, with a weight for each entry near a solution
        if max(stationarity, feasibility) <= identified:
            most = weight * weight if feasibility > weight * stationarity else weight
            for a in range(n):
                for b in range(a + 1):
                    overlap = 0.0
                    for i in range(m):
                        overlap += X[a, i] * X[a, i] * (X[b, i] != 0) + X[b, i] * X[b, i] * (X[a, i] != 0)
                    weighted = 1.0 if a == b else min(max(2 / (overlap if overlap > 0 else 2.0), 1.0), most)
                    S[a, b] = S[b, a] = alpha * weighted * G[a, b]
            for j in range(n):
                for a in range(n):
                    y = S[a, j]
                    for i in range(m):
                        EY[j, i] += y * E[a, i]
        else:
            for a in range(n):
                for b in range(n):
                    S[a, b] = alpha * G[a, b]
            for j in range(n):
                for i in range(m):
                    EY[j, i] += alpha * EG[j, i]

        # divergence: an eigenvalue of G above the bound, or one below -.9, a vanished column
        lost, vanished = not (length < inf and size < inf), False
        if not lost and size > near:
            for side in range(2):  # of bound I - G, then G + near I: are all pivots of its Cholesky factor P positive?
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
        if lost or (vanished and s[VANISHED] + 1 >= vanished_limit):
            return done + 1, LOST

        # residuals, curvature, stagnation
        for a in range(n):
            for b in range(n):
                Y[a, b] += S[a, b]
        gap, scale = total * length, max(sqrt(slope), floor)
        s[GAP], s[STATIONARITY], s[FEASIBILITY] = gap, gap / (scale if scale > 0 else 1.0), size
        s[C] = max(margins[rule] * safety * measured, decays[rule] * c)
        s[NEAR_C] = s[C] if size <= 0.5 else s[NEAR_C]
        s[T], s[THETA], s[VANISHED] = t, theta, s[VANISHED] + 1 if vanished else 0.0
        if not vanished:
            for j in range(n):
                for i in range(m):
                    good[j, i] = X[j, i]
        s[ITERATIONS] += 1
        s[WINDOW_BEST] = min(s[WINDOW_BEST], max(s[STATIONARITY], s[FEASIBILITY]))
        if s[ITERATIONS] % window == 0:
            best, before = s[WINDOW_BEST], s[PREVIOUS_BEST]
            gain = log(before / best) if 0 < best < before < inf else 0.0
            slow = best > 0 and log(max(best / goal, 1 / identified)) * window > slow_limit * gain
            s[SLOW] = s[SLOW] + 1 if s[ITERATIONS] > window and slow else 0.0
            s[WINDOW_BEST], s[PREVIOUS_BEST] = inf, min(before, best)
            if s[SLOW] >= s[PATIENCE]:  # the next step rule begins anew
                s[T], s[STEP_RULE], s[ITERATIONS], s[PREVIOUS_BEST], s[SLOW] = 1.0, rule + 1.0, 0.0, inf, 0.0
    return steps, GOING
