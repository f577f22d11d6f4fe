"""The loops of products with a sparse X, compiled by numba. They are serial: the threads belong to
the dense products.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

F = TypeVar("F", bound=Callable[..., Any])
_BLOCK = 64  # rows of a result that are worked on together


def _compiled(function: F, **options: Any) -> F:
    try:
        return cast(F, njit(cache=True, **options)(function))
    except RuntimeError:  # no folder to keep the code in: beside this file, in the user's cache, in NUMBA_CACHE_DIR
        return cast(F, njit(**options)(function))


def _summing(function: F) -> F:
    return _compiled(function, fastmath={"reassoc", "contract"})  # sums in any order use wide registers


@_compiled
def apply(C: Any, pointers: Any, columns: Any, values: Any, n: int) -> Any:
    """Return CX for a symmetric C, whose rows are read where CX needs its columns."""
    m = C.shape[0]
    product, block = np.empty((m, n), C.dtype), np.empty((n, _BLOCK), C.dtype)
    for first in range(0, m, _BLOCK):
        size = min(_BLOCK, m - first)
        block[:] = 0
        for i in range(m):
            row = C[i, first : first + size]
            for at in range(pointers[i], pointers[i + 1]):
                value, total = values[at], block[columns[at], :size]
                for k in range(size):
                    total[k] += value * row[k]
        product[first : first + size] = block[:, :size].T
    return product


@_compiled
def right(pointers: Any, columns: Any, values: Any, S: Any) -> Any:
    """Return XS."""
    m, n = pointers.size - 1, S.shape[1]
    product = np.zeros((m, n), S.dtype)
    for i in range(m):
        for at in range(pointers[i], pointers[i + 1]):
            value, j = values[at], columns[at]
            for k in range(n):
                product[i, k] += value * S[j, k]
    return product


@_compiled
def left(pointers: Any, columns: Any, values: Any, R: Any, n: int) -> Any:
    """Return X'R."""
    m, width = pointers.size - 1, R.shape[1]
    product = np.zeros((n, width), R.dtype)
    for i in range(m):
        for at in range(pointers[i], pointers[i + 1]):
            value, j = values[at], columns[at]
            for k in range(width):
                product[j, k] += value * R[i, k]
    return product


@_compiled
def crossed(pointers: Any, columns: Any, left: Any, right: Any, n: int) -> Any:
    """Return L'R for two matrices with the same nonzero entries."""
    product = np.zeros((n, n), left.dtype)
    for i in range(pointers.size - 1):
        for a in range(pointers[i], pointers[i + 1]):
            for b in range(pointers[i], pointers[i + 1]):
                product[columns[a], columns[b]] += left[a] * right[b]
    return product


@_compiled
def overlap_right(rows: Any, x: Any, s: Any) -> Any:
    """Return the entries of XS: entry order[a] shares its row with other[at], as pair[at], for at
    from starts[a] on.
    """
    order, starts, other, pair = rows
    product = np.empty_like(x)
    for a in range(order.size):
        total = x[0, 0] * 0
        for at in range(starts[a], starts[a + 1]):
            total += x[other[at], 0] * s[pair[at], 0]
        product[order[a], 0] = total
    return product


@_compiled
def overlap_cross(rows: Any, x: Any, y: Any, pairs: int) -> Any:
    """Return X'Y at the pairs."""
    order, starts, other, pair = rows
    product = np.zeros((pairs, 1), x.dtype)
    for a in range(order.size):
        value = x[order[a], 0]
        for at in range(starts[a], starts[a + 1]):
            product[pair[at], 0] += value * y[other[at], 0]
    return product


@_compiled
def lincomb(weights: Any, matrices: Any) -> Any:
    """Return the sum of five matrices with weights, in one pass."""
    A, B, C, D, E = matrices
    result = np.empty_like(A)
    a, b, c, d, e, out = A.ravel(), B.ravel(), C.ravel(), D.ravel(), E.ravel(), result.ravel()
    for i in range(a.size):
        out[i] = weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i] + weights[3] * d[i] + weights[4] * e[i]
    return result


@_summing
def restart_test(X: Any, E: Any, old: Any) -> Any:
    """Return |X - E|^2 and <E - X, X - old>, in one pass."""
    x, e, o = X.ravel(), E.ravel(), old.ravel()
    length = along = 0.0
    for i in range(x.size):
        back = e[i] - x[i]
        length += back * back
        along += back * (x[i] - o[i])
    return length, along


@_summing
def secant_norms(pairs: Any) -> Any:
    """Return |E - E0|^2 and |D - D0 + 2 (U - U0)|^2, in one pass."""
    (E, E0), (D, D0), (U, U0) = pairs
    e, d, u = E.ravel(), D.ravel(), U.ravel()
    e0, d0, u0 = E0.ravel(), D0.ravel(), U0.ravel()
    move = change = 0.0
    for i in range(e.size):
        step, lagrangian = e[i] - e0[i], d[i] - d0[i] + 2 * (u[i] - u0[i])
        move += step * step
        change += lagrangian * lagrangian
    return move, change


def compile_all() -> list[Any]:
    """Compile the loops for both precisions, and return them; numba keeps them on disk."""
    for dtype in (np.float64, np.float32):
        X, S = np.eye(3, 2, dtype=dtype), np.eye(2, dtype=dtype)
        pointers, columns, values = np.array([0, 1, 2, 2], np.int32), np.array([0, 1], np.int32), np.ones(2, dtype)
        apply(np.eye(3, dtype=dtype), pointers, columns, values, 2)
        right(pointers, columns, values, S)
        left(pointers, columns, values, X, 2)
        crossed(pointers, columns, values, values, 2)
        lincomb((dtype(1.0),) * 5, (X,) * 5)
        restart_test(X, X, X)
        secant_norms(((X, X),) * 3)
        lists, x = tuple(a.astype(np.int64) for a in (columns, pointers, columns, columns)), np.ones((2, 1), dtype)
        overlap_right(lists, x, x)
        overlap_cross(lists, x, x, 2)
    return [apply, right, left, crossed, overlap_right, overlap_cross, lincomb, restart_test, secant_norms]
