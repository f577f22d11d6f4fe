"""Steps of RPN-CG for a quadratic l and g = L1, compiled by numba: what ``RPNCG.step`` does with
``hybrid=False``, without a call of Python in between.
"""

from math import sqrt
from typing import Any

from orthoprox._adaptive.kept import compiled
from orthoprox.solvers._shared.newton_parts import (
    ASCENT,
    FALLS,
    equation,
    factorise,
    inner,
    lagrangian,
    model,
    move,
    project,
    solve,
    tangent_step,
)
from orthoprox.solvers._shared.proximal_newton import (
    CURVED,
    CYCLES,
    DECREASE,
    LINEAR,
    LONGEST,
    LOWER,
    NEAR,
    POWER,
    RAISE,
    ROUNDING,
    SHORTEST_MOVE,
    STIFF,
    Exit,
)
from orthoprox.solvers._shared.tangent_prox import ACCURACY, COARSEST, FINEST, GOOD, NEWTON_STEPS, SHORTEST, SLOPED

PROX, GRADIENTS, DONE = range(3)  # what comes next: a step for Lam, conjugate gradients, nothing

# What it works on. Matrices like X: the last two are X and U where an unchecked step began
MATRICES = "X", "D", "mu", "B", "W", "moving", "V", "free", "N", "R", "P", "BP", "BU", "U", "room", "X0", "U0"
# n x n: Lam, X'X - I, E, a room; of the order n (n + 1) / 2: an equation, its factor, columns
SQUARES = "Lam", "G", "E", "S", "K", "L", "y"
NUMBERS = (
    *("stage", "steps", "F", "t", "t0", "unit", "size", "used", "unchecked", "F0", "size0", "least", "floor", "residual"),
    *("rounds", "tol", "value", "held", "left", "length", "goal", "power", "cycle", "cycles"),
    *("exit", "products", "proxes", "projections", "moves"),
)
STAGE, STEPS, F, T, T0, UNIT, SIZE, USED, UNCHECKED, F0, SIZE0, LEAST, FLOOR, RESIDUAL = range(14)
ROUNDS, TOL, VALUE, HELD, LEFT, LENGTH, GOAL, POWERED, CYCLE, LAST_CYCLE = range(14, 24)
EXIT, PRODUCTS, PROXES, PROJECTIONS, MOVES = range(24, len(NUMBERS))

_ROWS = "Tuple((int64[::1], int64[::1], float64[::1]))"
_ARRAYS = ", ".join(f"UniTuple(float64[:, ::1], {len(names)})" for names in (MATRICES, SQUARES))
SIGNATURE = f"void({_ROWS}, {_ARRAYS}, float64[::1], float64)"

_LIMIT, _ASCENT, _FLAT = int(Exit.LIMIT), int(Exit.ASCENT), int(Exit.FLAT)
_NEGATIVE, _EARLY, _LINEAR, _SUPERLINEAR = int(Exit.NEGATIVE), int(Exit.EARLY), int(Exit.LINEAR), int(Exit.SUPERLINEAR)


@compiled("newton", SIGNATURE)
def newton(rows: Any, matrices: Any, squares: Any, s: Any, operations: float) -> None:
    """Make ``s[STEPS]`` steps, or fewer if the residual is at most ``s[LEAST]``: ``s[STAGE]`` is
    then DONE. Or return before, after about so many operations.

    Parameters
    ----------
    rows : tuple
        The rows of the Hessian of l, as in a sparse array: where they begin, columns and values.
    matrices, squares : tuples
        ``MATRICES`` and ``SQUARES``. X, D, mu, B, Lam and G are given; and X0 and U0 after an
        unchecked step.
    s : array
        ``NUMBERS``; those up to the floor are given.
    operations : float
        The operations.
    """
    X, D, mu, _, W, moving, V, free, N, R, P, BP, BU, U, room, X0, U0 = matrices
    Lam, _, E, S, K, L, y = squares
    n, m = X.shape
    cheap, dear = 4.0 * m * n * n, 2.0 * n * len(rows[2]) + 8.0 * m * n * n
    unit = s[UNIT]

    while operations > 0:
        t = s[T]
        if s[STAGE] == PROX:
            if s[ROUNDS] == 0:
                s[TOL] = min(COARSEST, max((ACCURACY * s[SIZE] ** 2) ** 2, FINEST))
            size, psi = tangent_step(matrices, squares, t)
            s[PROXES] += 1
            operations -= cheap
            while size > s[TOL] and s[ROUNDS] < NEWTON_STEPS:
                s[ROUNDS] += 1
                equation(X, moving, K)
                shift = 4 * max(min(sqrt(size), 0.1), 1e-11) * t
                for a in range(len(K)):
                    for b in range(len(K)):
                        K[a, b] = 4 * t * K[a, b] + (shift if a == b else 0.0)
                solve(K, E, y, S)
                step, slope, first, length = S.copy(), inner(E, S), Lam.copy(), 2.0
                good = False
                while not good and length / 2 >= SHORTEST:
                    length /= 2
                    for p in range(n):
                        for q in range(n):
                            Lam[p, q] = first[p, q] + length * step[p, q]
                    trial, value = tangent_step(matrices, squares, t)
                    good = trial < size * (1 - GOOD * length) or value <= psi + SLOPED * length * slope
                    s[PROXES] += 1
                    operations -= cheap
                size, psi = trial, value
                operations -= (n + 2) * cheap + len(K) ** 3
                if operations < 0 and size > s[TOL]:
                    return
            s[ROUNDS], s[SIZE], s[USED] = 0, sqrt(inner(V, V)), t
            gradient = max(sqrt(inner(D, D)), s[FLOOR])
            s[RESIDUAL] = s[SIZE] / t / (gradient if gradient > 0 else 1.0)
            if s[RESIDUAL] <= s[LEAST]:
                s[STAGE] = DONE
                return

            # the free entries, and the model at V
            held, value, number = 0.0, 0.0, 0.0
            for j in range(n):
                for i in range(m):
                    far = abs(X[j, i]) > s[SIZE] and W[j, i] != 0
                    free[j, i] = 1.0 if far or mu[j, i] == 0 else 0.0
                    number += free[j, i]
                    held += (1 - free[j, i]) * V[j, i] * V[j, i]
                    value += mu[j, i] * abs(X[j, i])
                    N[j, i] = P[j, i] = 0.0
            s[HELD], s[VALUE], s[LAST_CYCLE], s[CYCLE] = STIFF * unit * held, value, round(CYCLES * number), 0
            lagrangian(rows, Lam, V, BU)
            s[PRODUCTS] += 1
            operations -= dear
            found = model(matrices, 0.0, s[HELD], unit, value)
            s[EXIT] = _ASCENT if found == ASCENT else _FLAT
            s[STAGE] = GRADIENTS if found == FALLS else PROX

        if s[STAGE] == GRADIENTS and s[CYCLE] == 0:
            equation(X, free, K)
            factorise(K, L, y)
            for j in range(n):
                for i in range(m):
                    room[j, i] = BU[j, i] - V[j, i] / t
            project(matrices, squares, room, R)
            s[PROJECTIONS] += 1 + n
            for j in range(n):
                for i in range(m):
                    P[j, i] = -R[j, i]
            s[LEFT] = s[LENGTH] = inner(R, R)
            s[POWERED] = (sqrt(s[LEFT]) / unit) ** POWER
            s[GOAL] = s[LEFT] * min(s[POWERED], LINEAR) ** 2
            s[EXIT] = _LIMIT
            operations -= n * cheap + len(K) ** 3

        # conjugate gradients
        while s[STAGE] == GRADIENTS and s[CYCLE] < s[LAST_CYCLE]:
            operations -= dear
            s[CYCLE] += 1
            s[PRODUCTS] += 1
            lagrangian(rows, Lam, P, BP)
            curvature = inner(P, BP)
            if not curvature > CURVED * unit * s[LENGTH]:
                s[EXIT] = _NEGATIVE
                break
            a = s[LEFT] / curvature
            for j in range(n):
                for i in range(m):
                    BU[j, i] += a * BP[j, i]
            if model(matrices, a, s[HELD], unit, s[VALUE]) != FALLS:
                s[EXIT] = _EARLY
                break
            project(matrices, squares, BP, room)
            s[PROJECTIONS] += 1
            left = 0.0
            for j in range(n):
                for i in range(m):
                    N[j, i] += a * P[j, i]
                    R[j, i] += a * room[j, i]
                    left += R[j, i] * R[j, i]
            beta = left / s[LEFT]
            s[LEFT] = left
            if left <= s[GOAL]:
                s[EXIT] = _LINEAR if s[POWERED] > LINEAR else _SUPERLINEAR
                break
            s[LENGTH] = left + beta**2 * s[LENGTH]
            for j in range(n):
                for i in range(m):
                    P[j, i] = beta * P[j, i] - R[j, i]
            if operations < 0:
                return

        # the step U = V + N, and the next t
        end, square = s[EXIT], 0.0
        for j in range(n):
            for i in range(m):
                U[j, i] = V[j, i] + (0.0 if end == _LIMIT else N[j, i])
                square += U[j, i] * U[j, i]
        if (NEAR + 1 / (t * unit)) * sqrt(square) < s[SIZE] or end == _ASCENT:
            t = LOWER * t
        elif end != _SUPERLINEAR:
            t = RAISE * t
        s[T] = min(max(t, s[T0]), LONGEST * s[T0])

        # along U until f falls; all the way after a superlinear end, and once more
        before, searching = s[F], s[UNCHECKED] == 0 and end != _SUPERLINEAR
        for j in range(n):
            for i in range(m):
                room[j, i] = X[j, i]
        if not searching:
            s[F] = move(rows, matrices, squares, room, 1.0)
            s[MOVES] += 1
            if s[UNCHECKED] == 0:
                s[UNCHECKED], s[F0], s[SIZE0] = 1, before, s[SIZE]
                for j in range(n):
                    for i in range(m):
                        X0[j, i], U0[j, i] = room[j, i], U[j, i]
            else:
                s[UNCHECKED], before = 0, s[F0]
                searching = not s[F] <= before - DECREASE * unit * s[SIZE0] ** 2 + ROUNDING * abs(before)
                square = inner(U0, U0)
                if searching:
                    for j in range(n):
                        for i in range(m):
                            room[j, i], U[j, i] = X0[j, i], U0[j, i]
        length = 2.0
        while searching and length / 2 >= SHORTEST_MOVE:
            length /= 2
            s[F] = move(rows, matrices, squares, room, length)
            s[MOVES] += 1
            searching = not s[F] <= before - DECREASE * length * unit * square + ROUNDING * abs(before)
        operations -= 8 * dear
        s[STAGE], s[STEPS] = PROX, s[STEPS] - 1
        if s[STEPS] <= 0:
            s[STAGE] = DONE
            return
