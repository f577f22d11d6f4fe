"""The supports next to one, and the way to a support that none of them betters."""

from collections.abc import Callable
from typing import Any

import numpy as np

from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.face import FOREVER, Face, Matrix, pairs_of_columns
from orthoprox.estimators.faces import Faces
from orthoprox.estimators.quota import Quota
from orthoprox.stopping.clock import Deadline

_WIDTH, _STEPS = 12, 2  # supports that are tried in a move, Newton steps on each
_MORE = 4  # times as many are looked at, since some have no orthonormal point
_SINGLES, _OVERLAP, _PAIRS = 8, 6, 160  # entries that make pairs: the best, the best of an overlap; pairs at most
_SHIFT = 1e-4  # of the Hessian, in units of the largest variance
_LEAST_CURVATURE = 0.02  # of an entry that comes, in the same unit
_GAIN = 1e-8  # relative, that makes a move


def climb(
    C: Matrix, X: Matrix, quota: Quota, moves: int, criterion: str = "variance", *, deadline: Deadline = FOREVER
) -> Matrix:
    """Return X after at most so many moves, each to the best of the supports next to it."""
    face, value = Face(C, X != 0), criterion_value(C, X, criterion)
    for _ in range(moves):
        masks = neighbours(face, X, quota, _WIDTH)
        if len(masks) == 0 or deadline.left() <= 0:
            break
        points, values = Faces(C, masks).refit(X, _STEPS)
        if criterion != "variance":
            values = np.array([criterion_value(C, Y, criterion) if v > 0 else v for Y, v in zip(points, values, strict=True)])
        best = int(np.argmax(values))
        if not values[best] > value * (1 + _GAIN):
            break
        near = Face(C, masks[best])
        found = near.refit(points[best])
        if found is None or not (higher := criterion_value(C, found, criterion)) > value * (1 + _GAIN):
            break
        face, X, value = near, found, higher
    return X


def neighbours(face: Face, X: Matrix, quota: Quota, width: int) -> Matrix:
    """Return at most so many masks with the wanted numbers of nonzeros, the most promising first:
    one or two entries leave, as many come, and no two columns share one row alone.
    """
    comes, goes = np.argwhere(~face.mask), np.stack([face.i, face.j], axis=1)
    gains, losses, net = _model(face, X)
    found = [_changed(face.mask, comes[:, None], goes[:, None], net, _MORE * width)]
    (A, a), (D, d) = _pairs(face, comes, gains, _comes_in_two), _pairs(face, goes, -losses, _goes_in_two)
    found.append(_changed(face.mask, A, D, np.add.outer(a, d), _MORE * width))
    masks, scores = (np.concatenate(part) for part in zip(*found, strict=True))
    fine = valid(masks) & quota.all_met(masks)
    return masks[fine][np.argsort(-scores[fine], kind="stable")[:width]]


def valid(masks: Matrix) -> Matrix:
    """Tell for which masks every column has an entry and no two columns share exactly one row."""
    counts = masks.astype(float)
    shared = np.matmul(np.swapaxes(counts, 1, 2), counts)
    a, b = np.triu_indices(masks.shape[2], 1)
    fine: Matrix = np.all(np.any(masks, axis=1), axis=1) & np.all(shared[:, a, b] != 1, axis=1)
    return fine


def _model(face: Face, X: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Return what each entry off the mask gains, what each on it costs, and the net gain of each
    exchange of two, to second order.

    With K the KKT matrix on the mask, h_a its column for a further entry a with the residual r_a,
    u = K^-1 h_a and s = H_aa - h_a'u, the gain of a is r_a^2 / (2 s). It moves entry d by
    -u_d r_a / s and makes (K^-1)_dd grow by u_d^2 / s; the loss of d is x_d^2 / (2 (K^-1)_dd).
    """
    C, unit, k = face.C, face.unit, face.size
    pair, first, _ = pairs_of_columns(X.shape[1])
    off = np.nonzero(~face.mask)
    i, j = np.concatenate([face.i, off[0]]), np.concatenate([face.j, off[1]])
    J = np.zeros((len(i), len(first)))
    np.put_along_axis(J, pair[j], X[i], axis=1)
    J = J.T
    on = J[:, :k]
    G = np.matmul(C, X)
    multipliers = np.linalg.solve(np.matmul(on, on.T) + 1e-12 * np.eye(len(first)), np.matmul(on, G[face.i, face.j]))
    L = multipliers[pair]
    same_column, same_row = face.j[:, None] == j, face.i[:, None] == i
    H = np.where(same_row, L[face.j[:, None], j], 0.0) - np.where(same_column, C[face.i[:, None], i], 0.0)
    K = np.block([[H[:, :k] + _SHIFT * unit * np.eye(k), on.T * unit], [on * unit, -1e-8 * unit * np.eye(len(first))]])
    inverse = np.linalg.inv(K)
    h = np.concatenate([H[:, k:], J[:, k:] * unit])
    u = np.matmul(inverse, h)
    s = np.maximum(L[off[1], off[1]] - C[off[0], off[0]] - np.sum(h * u, axis=0), _LEAST_CURVATURE * unit)
    r = G[off] - np.matmul(multipliers, J[:, k:])
    x, free = X[face.i, face.j], np.maximum(inverse.diagonal()[:k], 1e-9 / unit)
    moved, freer = x - (u[:k] * (r / s)).T, free + (u[:k] ** 2 / s).T
    gains = r**2 / (2 * s)
    return gains, x**2 / (2 * free), gains[:, None] - moved**2 / (2 * freer)


def _changed(mask: Matrix, comes: Matrix, goes: Matrix, net: Matrix, number: int) -> tuple[Matrix, Matrix]:
    """Return so many masks in which sets of entries, one of ``comes`` and one of ``goes``, change,
    those with the largest net gains, and these.
    """
    best = np.argsort(-np.ravel(net), kind="stable")[:number]
    p, q = np.unravel_index(best, net.shape)
    masks, at = np.repeat(mask[None], len(best), axis=0), np.arange(len(best))[:, None]
    masks[at, goes[q, :, 0], goes[q, :, 1]] = False
    masks[at, comes[p, :, 0], comes[p, :, 1]] = True
    return masks, np.ravel(net)[best]


def _pairs(face: Face, entries: Matrix, scores: Matrix, related: Callable[..., bool]) -> tuple[Matrix, Matrix]:
    """Return pairs of entries and their scores: of the best ones, and of those that begin or end
    the overlap of two columns, which is never in one row.
    """
    order = np.argsort(-scores, kind="stable")
    entries, scores = entries[order], scores[order]
    a, b = np.triu_indices(min(len(entries), _SINGLES), 1)
    found = set(zip(a.tolist(), b.tolist(), strict=True))
    columns = range(face.mask.shape[1])
    for j in columns:
        mine = np.flatnonzero(entries[:, 1] == j)
        for other in columns:
            shared = mine[face.mask[entries[mine, 0], other]]
            if other != j and related(face, j, other, shared):
                best: list[Any] = shared[:_OVERLAP].tolist()
                found |= {(x, y) for place, x in enumerate(best) for y in best[place + 1 :]}
    if not found:
        return np.zeros((0, 2, 2), dtype=int), np.zeros(0)
    places = np.array(sorted(found))
    sums = scores[places[:, 0]] + scores[places[:, 1]]
    first = np.argsort(-sums, kind="stable")[:_PAIRS]
    return entries[places[first]], sums[first]


def _comes_in_two(face: Face, j: int, other: int, shared: Matrix) -> bool:
    return not face.overlap[j, other]


def _goes_in_two(face: Face, j: int, other: int, shared: Matrix) -> bool:
    return len(shared) == 2
