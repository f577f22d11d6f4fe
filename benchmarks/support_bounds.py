"""Supports of columns that share variables, and what orthonormal columns on one explain at most."""

from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]
_ANGLES, _PARTS = 16, 2  # of a half turn that are tried first, and into which an interval is divided
_GAP, _BOXES = 1e-6, 50_000  # relative width of the bound below which boxes are not divided, and their number
_DIMENSIONS = 3  # pairs of columns that share variables, at most


@cache
def group_supports(r: int, p: int, shared: int, most: int) -> Matrix | None:
    """Return all supports of p connected columns on r variables with r + ``shared`` nonzeros, as
    sets of shape (B, p), up to the order of columns; None if there are more than ``most``.

    Every variable is used, and no two columns share exactly one.
    """
    layouts = _layouts(r, p, shared)
    if sum(p ** (r - len(rows)) for rows, _ in layouts) > most:
        return None
    found = [np.zeros((0, p), dtype=int)]
    for rows, patterns in layouts:
        base = [sum(1 << i for i, pattern in zip(rows, patterns, strict=True) if j in pattern) for j in range(p)]
        sets = np.array([base])
        for i in range(r):
            if i not in rows:
                more = np.repeat(sets[:, None], p, axis=1)
                more[:, np.arange(p), np.arange(p)] |= 1 << i
                sets = more.reshape(-1, p)
        found.append(sets)
    return np.concatenate(found)


def _layouts(r: int, p: int, shared: int) -> list[tuple[tuple[int, ...], tuple[frozenset[int], ...]]]:
    """Return which variables are shared, and by which columns, up to the order of columns."""
    several = [frozenset(part) for size in range(2, p + 1) for part in combinations(range(p), size)]
    orders, found, seen = list(permutations(range(p))), [], set()
    for number in range(1, min(r, shared) + 1):
        patterns = [part for part in product(several, repeat=number) if sum(len(columns) - 1 for columns in part) == shared]
        patterns = [part for part in patterns if _orthogonal(part, p)]
        for rows in combinations(range(r), number):
            for part in patterns:
                names = {tuple(tuple(sorted(order[j] for j in columns)) for columns in part) for order in orders}
                if (rows, min(names)) not in seen:
                    seen.add((rows, min(names)))
                    found.append((rows, part))
    return found


def _orthogonal(patterns: tuple[frozenset[int], ...], p: int) -> bool:
    """Tell whether all columns are connected, no two share exactly one variable and no three the
    same two: in a plane, only two directions are orthogonal.
    """
    linked, shared = {frozenset({j}) for j in range(p)}, dict[frozenset[int], frozenset[int]]()
    for a, b in combinations(range(p), 2):
        rows = frozenset(i for i, columns in enumerate(patterns) if {a, b} <= columns)
        if len(rows) == 1:
            return False
        shared[frozenset({a, b})] = rows
        if rows:
            both = {part for part in linked if part & {a, b}}
            linked = linked - both | {frozenset().union(*both)}
    for three in combinations(range(p), 3):
        a, b, c = (shared[frozenset(pair)] for pair in combinations(three, 2))
        if a == b == c and len(a) == 2:
            return False
    return len(linked) == 1


def angle_bound(C: Matrix, mask: Matrix, above: float) -> float:
    """Return a bound of tr(X'CX) over the X with X'X = I on a mask in which columns that share
    variables share two that no other column has; infinity on other masks. What is below ``above``
    is not told apart.

    On two shared variables, one column is s u and the other one t w with u orthogonal to w. For
    given angles of all these u, the best columns are leading eigenvectors of C on directions that
    are known. With the angle of the columns a and b, the sum f of their eigenvalues changes by at
    most 2 (lambda_max(C_a) + lambda_max(C_b)) times that of the angle, which bounds it around the
    angles that are tried; boxes of angles that may be above are divided.
    """
    pairs = [(a, b, np.flatnonzero(mask[:, a] & mask[:, b])) for a, b in combinations(range(mask.shape[1]), 2)]
    pairs = [(a, b, rows) for a, b, rows in pairs if len(rows)]
    if len(pairs) > _DIMENSIONS or any(len(rows) != 2 for *_, rows in pairs) or np.any(np.sum(mask, axis=1) > 2):
        return np.inf
    largest = [float(np.linalg.eigvalsh(C[np.ix_(column, column)])[-1]) for column in mask.T]
    slope = sum(largest[a] + largest[b] for a, b, _ in pairs)  # for half the width of a box
    width = np.pi / _ANGLES
    angles = _grid(width * (0.5 + np.arange(_ANGLES)), len(pairs))
    while True:
        f = sum(_best_column(C, mask, j, pairs, angles) for j in range(mask.shape[1]))
        bounds = f + slope * width
        angles, highest = angles[bounds > above], float(np.max(bounds, initial=above))
        if len(angles) == 0 or np.max(f) > above or slope * width <= _GAP * above or len(angles) > _BOXES:
            return highest
        width /= _PARTS
        inner = _grid(width * (np.arange(_PARTS) - (_PARTS - 1) / 2), len(pairs))
        angles = np.reshape(angles[:, None] + inner, (-1, len(pairs)))


def _grid(values: Matrix, dimensions: int) -> Matrix:
    grid: Matrix = np.stack(np.meshgrid(*dimensions * [values], indexing="ij"), axis=-1).reshape(-1, dimensions)
    return grid


def _best_column(C: Matrix, mask: Matrix, j: int, pairs: list[tuple[int, int, Matrix]], angles: Matrix) -> Matrix:
    """Return lambda_max of C on the variables of a column that are its own, and on its directions
    in those that it shares, for all angles.
    """
    shared = [(e, rows, 0.0 if j == a else np.pi / 2) for e, (a, b, rows) in enumerate(pairs) if j in (a, b)]
    own = [i for i in np.flatnonzero(mask[:, j]) if not any(i in rows for _, rows, _ in shared)]
    D = np.zeros((len(angles), len(C), len(own) + len(shared)))
    D[:, own, np.arange(len(own))] = 1.0
    for place, (e, rows, turn) in enumerate(shared, len(own)):
        D[:, rows, place] = np.stack([np.cos(angles[:, e] + turn), np.sin(angles[:, e] + turn)], axis=1)
    largest: Matrix = np.linalg.eigvalsh(np.swapaxes(D, 1, 2) @ C @ D)[:, -1]
    return largest
