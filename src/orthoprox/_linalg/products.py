"""The products of a step, CX, XS, X'R and X'X, and its sums over whole matrices. The one place that
knows a sparse X.

X is an ordinary dense array. Where most of its entries are exact zeros, as they are late in a run
with a sparse solution, the products go over its nonzero entries only. Small, dense or foreign
arrays are multiplied as usual.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays.library import Array, inner, is_array, namespace, norm

SMALL = 20_000  # entries of X below which a dense product is as fast
_LOADING = 20.0  # seconds, more than compiling takes on a slow machine
_LONG = 2**31  # entries of X from which places need long integers
_FEW_ROWS = 4  # one in so many rows of X pays to be looked for
_REMEMBERED = 4  # points whose products with wide data are
_SAMPLED = 100  # one in so many rows is compared first
_DENSE, _DENSE_SCIPY = 0.08, 0.03  # the share of nonzero entries above which it is: of compiled loops, of scipy


_HURRIED: ContextVar[bool] = ContextVar("hurried", default=False)
_USED: ContextVar[bool | None] = ContextVar("used", default=None)
_ALL: ContextVar[bool] = ContextVar("all", default=False)


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    """Let what is done within do without compiled loops that are not loaded yet, if there are so
    few seconds: they may have to be compiled.
    """
    token = _HURRIED.set(seconds < _LOADING)
    try:
        yield
    finally:
        _HURRIED.reset(token)


@contextmanager
def using(loops: bool) -> Iterator[None]:
    """Let what is done within use compiled loops, or do without them, whatever else holds."""
    token = _USED.set(loops)
    try:
        yield
    finally:
        _USED.reset(token)


@contextmanager
def dense() -> Iterator[None]:
    """Let the products within go over all entries, those of a sparse X as well."""
    token = _ALL.set(True)
    try:
        yield
    finally:
        _ALL.reset(token)


def compiled() -> Any:
    """Return the module of compiled loops, or None without numba, an extra, or in a hurry; scipy
    serves then.

    numba is imported here, at the first product that can use it, and not with the library.
    """
    used = _USED.get()
    if used is not None:
        return _load() if used else None
    return None if _HURRIED.get() and not _load.cache_info().currsize else _load()


@cache
def _load() -> Any:
    try:
        from orthoprox._linalg import kernels
    except (ImportError, OSError):  # not installed, or installed for another version of NumPy
        return None
    return kernels


@dataclass(frozen=True)
class Support:
    """The nonzero entries of a sparse X, row by row."""

    pointers: Any  # where the rows begin
    columns: Any
    values: Any
    shape: tuple[int, int]

    @property
    def matrix(self) -> Any:
        """X as a scipy.sparse array."""
        return sp.csr_array((self.values, self.columns, self.pointers), shape=self.shape)


def is_large(X: Array) -> bool:
    """Whether X is a matrix of NumPy, row by row in memory, so large that loops of our own pay."""
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.size >= SMALL and X.flags.c_contiguous


def support(X: Array) -> Support | None:
    """Return the nonzero entries of X, or None where dense products are faster."""
    if not is_large(X) or _ALL.get():
        return None
    flat = X.reshape(-1)
    there = flat != 0
    if np.count_nonzero(there) > (_DENSE_SCIPY if compiled() is None else _DENSE) * X.size:
        return None
    (m, n), places = X.shape, np.flatnonzero(there)
    kind = np.int32 if X.size < _LONG else np.int64
    pointers = np.searchsorted(places, np.arange(0, X.size + 1, n)).astype(kind)
    return Support(pointers, (places % n).astype(kind), flat[places], (m, n))


def apply(C: Array, X: Array) -> Array:
    """Return CX for a symmetric C; X may be a stack of matrices."""
    if X.ndim > 2 and not is_array(C):  # a sparse matrix takes matrices alone
        columns = np.moveaxis(X, -2, 0)
        return np.moveaxis((C @ columns.reshape(X.shape[-2], -1)).reshape(columns.shape), 0, -2)
    plain = isinstance(C, np.ndarray) and C.ndim == 2 and isinstance(X, np.ndarray) and C.dtype == X.dtype
    sparse = support(X) if plain else None
    if sparse is None:
        return C @ X
    if (kernels := compiled()) is not None:
        return kernels.apply(np.ascontiguousarray(C), sparse.pointers, sparse.columns, sparse.values, X.shape[1])
    return np.ascontiguousarray((sparse.matrix.T @ C).T)


def transposed(A: Any, Z: Any) -> Any:
    """Return A'Z; a dense A is read row by row, in half the time."""
    if isinstance(A, np.ndarray) and A.ndim == np.ndim(Z) == 2:
        return np.ascontiguousarray((Z.T @ A).T)
    return (A.mT if is_array(A) else A.T) @ Z


def wide(A: Array, X: Array) -> Array:
    """Return AX for a wide A; the sparse columns of X go over the rows that they use, if these are
    few.
    """
    nonzeros = np.ones(len(X), np.float32) @ (X != 0).astype(np.float32)  # of each column
    sparse = _FEW_ROWS * nonzeros <= len(X)
    rows = np.flatnonzero(np.any(X[:, sparse] != 0, axis=1)) if np.any(sparse) else np.arange(len(X))
    if _FEW_ROWS * len(rows) > len(X):
        return A @ X
    AX = np.empty((len(A), X.shape[1]), np.result_type(A, X))
    AX[:, sparse] = A[:, rows] @ X[np.ix_(rows, sparse)]
    if not np.all(sparse):
        AX[:, ~sparse] = A @ X[:, ~sparse]
    return AX


class LastProducts:
    """The last products AX and -2A'AX with a wide A, by the X that they are of: the points of a run
    are measured more than once, and a product takes much longer than to recognise X.
    """

    def __init__(self, A: Array) -> None:
        self.A = A
        self._entries: tuple[tuple[Array, Array, Array | None], ...] = ()  # X, AX and -2A'AX

    def times(self, X: Array) -> Array:
        """Return AX."""
        return self._entry(X)[1]

    def grad(self, X: Array) -> Array:
        """Return -2A'AX."""
        X, AX, D = self._entry(X)
        if D is None:
            D = transposed(self.A, -2 * AX)
            self._entries = (X, AX, D), *self._entries[1:]
        return np.copy(D)

    def _entry(self, X: Array) -> tuple[Array, Array, Array | None]:
        """Return what is known of X, which becomes the first of what is known."""
        before = self._entries
        found = next((entry for entry in before if _same(entry[0], X)), None)
        if found is None:
            found = np.copy(X), wide(self.A, X), None
        others = [entry for entry in before if entry is not found]
        self._entries = found, *others[: _REMEMBERED - 1]
        return found


def _same(X: Array, Y: Array) -> bool:
    """Whether products with both are the same bit by bit: their order in memory counts."""
    some = slice(None, None, _SAMPLED)
    alike = X.dtype == Y.dtype and X.shape == Y.shape and X.strides == Y.strides
    return alike and np.array_equal(X[some], Y[some]) and np.array_equal(X, Y)


def right(X: Array, S: Array, sparse: Support | None) -> Array:
    """Return XS; here as below the support of X is given, if it is sparse."""
    if sparse is None:
        return X @ S
    if (kernels := compiled()) is not None:
        return kernels.right(sparse.pointers, sparse.columns, sparse.values, np.ascontiguousarray(S))
    return sparse.matrix @ S


def left(X: Array, R: Array, sparse: Support | None) -> Array:
    """Return X'R."""
    if sparse is None:
        return X.mT @ R
    if (kernels := compiled()) is not None:
        return kernels.left(sparse.pointers, sparse.columns, sparse.values, np.ascontiguousarray(R), X.shape[1])
    return sparse.matrix.T @ R


def gram(X: Array, sparse: Support | None) -> Array:
    """Return X'X."""
    return X.mT @ X if sparse is None else _crossed(sparse, sparse.values, sparse.values)


def overlap(X: Array, sparse: Support | None) -> Array:
    """Return M with M_ab = sum of x_ia^2 over the support of column b."""
    if sparse is None:
        return (X * X).mT @ namespace(X).astype(X != 0, X.dtype)
    return _crossed(sparse, sparse.values**2, np.ones_like(sparse.values))


def _crossed(sparse: Support, left: Any, right: Any) -> Any:
    """Return L'R for two matrices with the same support."""
    if (kernels := compiled()) is not None:
        return kernels.crossed(sparse.pointers, sparse.columns, left, right, sparse.shape[1])
    L, R = (sp.csr_array((v, sparse.columns, sparse.pointers), shape=sparse.shape) for v in (left, right))
    return np.ascontiguousarray((L.T @ R).toarray())


Pair = tuple[Array, Array]


def lincomb(*terms: tuple[float, Array]) -> Array:
    """Return the sum of two to five matrices with weights."""
    if all(is_large(matrix) for _, matrix in terms) and (kernels := compiled()) is not None:
        first = terms[0][1]
        padded = [*terms, *[(0.0, first)] * (5 - len(terms))]
        return kernels.lincomb(tuple(first.dtype.type(weight) for weight, _ in padded), tuple(matrix for _, matrix in padded))
    total = terms[0][0] * terms[0][1]
    for weight, matrix in terms[1:]:
        total = total + weight * matrix
    return total


def restart_test(X: Array, E: Array, old: Array) -> tuple[float, float]:
    """Return |X - E| and <E - X, X - old>."""
    if all(map(is_large, (X, E, old))) and (kernels := compiled()) is not None:
        length, along = kernels.restart_test(X, E, old)
        return math.sqrt(length), along
    back = E - X
    return float(norm(back)), float(inner(back, X - old))


def secant_norms(E: Pair, D: Pair, U: Pair) -> tuple[float, float]:
    """Return |E - E0| and |D - D0 + 2 (U - U0)|."""
    pairs = (E, D, U)
    if all(is_large(matrix) for pair in pairs for matrix in pair) and (kernels := compiled()) is not None:
        move, change = kernels.secant_norms(pairs)
        return math.sqrt(move), math.sqrt(change)
    return float(norm(E[0] - E[1])), float(norm(D[0] - D[1] + 2 * (U[0] - U[1])))
