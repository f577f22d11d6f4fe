"""Supports of small tables or with few shared variables, one by one, and the best of them."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np

from orthoprox.estimators.face import Face

Matrix = np.ndarray[Any, Any]
_STARTS = 4  # random ones from which a support is refitted, besides the best of each column alone


def without_one(C: Matrix, n: int) -> float:
    """Return the largest variance of n components that leave a variable out."""
    rest = (np.delete(np.delete(C, i, axis=0), i, axis=1) for i in range(len(C)))
    return max(_largest(part, n) for part in rest)


def all_supports(m: int, n: int, k: int) -> Iterator[Matrix]:
    """Yield every m x n support with k nonzeros, up to the order of columns, in which no two
    columns share exactly one row.
    """
    seen = set()
    for rows in product(product([False, True], repeat=n), repeat=m):
        mask = np.array(rows)
        if np.sum(mask) == k and np.all(np.any(mask, axis=0)):
            key = tuple(sorted(column.tobytes() for column in mask.T))
            shared = mask.T.astype(int) @ mask
            if key not in seen and np.all(shared[np.triu_indices(n, 1)] != 1):
                seen.add(key)
                yield mask


def one_overlap(C: Matrix, extra: int, above: float) -> Iterator[Matrix]:
    """Yield the supports of three components that use every variable, m + ``extra`` times for extra
    = 2 or 3: two components share that many variables and the third one none. Those of the third
    are left out with which even components without zeros on the others explain at most ``above``.
    """
    m = len(C)
    for size in range(1, m - extra + 1):
        for third in combinations(range(m), size):
            rest = [i for i in range(m) if i not in third]
            if _largest(_part(C, third), 1) + _largest(_part(C, rest), 2) > above:
                for shared in combinations(rest, extra):
                    single = [i for i in rest if i not in shared]
                    for side in product([False, True], repeat=max(len(single) - 1, 0)):
                        mask = np.zeros((m, 3), dtype=bool)
                        mask[list(third), 2] = mask[list(shared), :2] = True
                        for i, first in zip(single, (True, *side), strict=True) if single else ():
                            mask[i, 0 if first else 1] = True
                        yield mask


def best_of(C: Matrix, supports: Iterable[Matrix], above: float = 0.0) -> tuple[float, int]:
    """Return the largest variance on the supports, refitted from some starts each, and their
    number; those whose columns alone explain at most that much, or ``above``, are not refitted.
    """
    rng, best, number = np.random.default_rng(0), 0.0, 0
    for mask in supports:
        number += 1
        if sum(_largest(_part(C, np.flatnonzero(column)), 1) for column in mask.T) <= max(best, above):
            continue
        face = Face(C, mask)
        for start in (_columns(C, mask), *rng.standard_normal((_STARTS, *mask.shape))):
            X = face.refit(np.where(mask, start, 0.0))
            best = best if X is None else max(best, face.value(X))
    return best, number


def _columns(C: Matrix, mask: Matrix) -> Matrix:
    """Return the best column on each column of a support, whether orthogonal or not."""
    X = np.zeros(mask.shape)
    for j, column in enumerate(mask.T):
        X[column, j] = np.linalg.eigh(_part(C, np.flatnonzero(column)))[1][:, -1]
    return X


def _largest(C: Matrix, n: int) -> float:
    return float(np.sum(np.linalg.eigvalsh(C)[-n:]))


def _part(C: Matrix, rows: Any) -> Matrix:
    part: Matrix = C[np.ix_(rows, rows)]
    return part
