"""Supports: zeros that orthogonality asks for, and moves from one support to a better one."""

import math

import numpy as np

from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.face import FOREVER, Face, Matrix
from orthoprox.estimators.quota import Quota
from orthoprox.stopping.clock import Deadline

_SMALL = 60  # nonzeros up to which entries are dropped by threes, the last eight one at a time
_ROUNDS = 6  # in which larger supports lose their surplus
_DAMPING = 1e-2  # of the Hessian where entries are dropped, in units of the largest variance
_TRIES = 12  # entries that are tried in turn where dropping one leaves too few, or no orthonormal point


def clean(X: Matrix, mask: Matrix) -> Matrix:
    """Return the mask without entries that must be zero: two columns that share exactly one row
    cannot be orthogonal with both entries nonzero, so that the smaller one goes.
    """
    mask = mask.copy()
    while True:
        counts = mask.astype(float)
        shared = np.matmul(counts.T, counts)
        sizes = shared.diagonal()
        single = np.triu(shared == 1, 1) & (np.maximum.outer(sizes, sizes) > 1)
        if not single.any():
            return mask
        a, b = np.argwhere(single)[0]
        row = int(np.argmax(mask[:, a] & mask[:, b]))
        smaller = a if abs(X[row, a]) < abs(X[row, b]) else b
        other = b if smaller == a else a
        mask[row, smaller if sizes[smaller] > 1 else other] = False


def on_support(C: Matrix, X: Matrix, mask: Matrix, steps: int = 50, deadline: Deadline = FOREVER) -> tuple[Face, Matrix] | None:
    """Return the face of the cleaned mask and X refitted by at most so many steps, or None if it
    has no orthonormal point.
    """
    if not np.all(np.any(mask, axis=0)):
        return None
    face = Face(C, clean(X, mask))
    found = face.refit(X, steps, deadline=deadline)
    return None if found is None else (face, found)


def fitted(C: Matrix, X: Matrix, quota: Quota, deadline: Deadline = FOREVER) -> Matrix | None:
    """Return X pruned or grown to the quota, or None if that leads to no orthonormal point."""
    found = prune(C, X, quota, deadline=deadline) if quota.surplus(X != 0) > 0 else on_support(C, X, X != 0)
    if found is not None and quota.shortage(found[0].mask) > 0:
        found = grow(C, found[1], quota, deadline)
    return None if found is None else found[1]


def exact(C: Matrix, X: Matrix, quota: Quota, steps: int = 5, deadline: Deadline = FOREVER) -> Matrix:
    """Return a point with the wanted nonzeros that costs little: the largest entries of X stay, and
    the rows of two columns that would share one alone come in twos. The point is orthonormal; its
    nonzeros are others where this fails. It is refitted by at most so many steps.
    """
    sizes = np.abs(X) + 1e-9 * np.arange(X.size, 0, -1).reshape(X.shape) / X.size
    mask = np.zeros(X.shape, dtype=bool)
    for j, number in enumerate(np.ones(X.shape[1], dtype=int) if quota.each is None else quota.each):
        mask[np.argsort(-sizes[:, j], kind="stable")[:number], j] = True
    order = np.argsort(-np.ravel(np.where(mask, -1.0, sizes)), kind="stable")[: max(quota.shortage(mask), 0)]
    mask.flat[order] = True
    found = on_support(C, X, mask, steps, deadline)
    if found is not None and quota.shortage(found[0].mask) > 0:
        found = grow(C, found[1], quota, deadline, steps)
    if found is None:
        return X
    return found[1] if steps else found[0].filled(found[1])


def prune(C: Matrix, X: Matrix, quota: Quota, steps: int = 50, deadline: Deadline = FOREVER) -> tuple[Face, Matrix] | None:
    """Drop the nonzeros of X that cost least until the quota is met from above, and refit."""
    here = on_support(C, X, X != 0, 2)
    while here is not None and (surplus := quota.surplus(here[0].mask)) > 0:
        deadline.heed()
        face, X = here
        few = 1 if surplus <= 8 else 3
        number = few if face.size <= _SMALL else math.ceil(surplus / _ROUNDS)
        here = _dropped(face, X, quota, number)
    return None if here is None else on_support(C, here[1], here[0].mask, steps)


def grow(C: Matrix, X: Matrix, quota: Quota, deadline: Deadline = FOREVER, steps: int = 5) -> tuple[Face, Matrix] | None:
    """Add the nonzeros that gain most, one at a time, until the quota is met; refit each time by
    at most so many steps.
    """
    here = on_support(C, X, X != 0, steps)
    while here is not None and quota.shortage(here[0].mask) > 0:
        deadline.heed()
        face, X = here
        gains = np.where(quota.below(face.mask) & ~face.mask & ~face.alone, face.gains(X), -np.inf)
        best = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[best] == -np.inf:
            return here
        mask = face.mask.copy()
        mask[best] = True
        here = on_support(C, X, mask, steps)
    return here


def exchange(
    C: Matrix, X: Matrix, quota: Quota, moves: int, criterion: str = "variance", *, deadline: Deadline = FOREVER
) -> Matrix:
    """Return X after at most so many moves that add some nonzeros, drop as many and gain by the
    criterion.

    An entry whose row belongs to columns without any other row in common takes the place of theirs.
    """
    face = Face(C, X != 0)
    value, number, skipped = criterion_value(C, X, criterion), max(1, face.size // 5), 0
    promising = _promising(face, X)
    for _ in range(moves):
        added = promising[skipped : skipped + number]
        if len(added) == 0 or deadline.left() <= 0:
            break
        found = _exchanged(face, X, quota, added)
        if found is not None and (higher := criterion_value(C, found[1], criterion)) > value * (1 + 1e-7):
            (face, X), value, skipped = found, higher, 0
            promising = _promising(face, X)
        elif number > 1:
            number //= 2
        else:
            skipped += 1
    return X


def _promising(face: Face, X: Matrix) -> Matrix:
    """Return the entries (i, j) whose gain may exceed what leaves for them, best first."""
    gains, losses = face.gains(X), face.losses(X)
    lost = np.zeros_like(X)
    lost[face.i, face.j] = losses
    taken = np.matmul(lost, (~face.overlap).astype(float))  # where no other row is shared
    net = np.where(face.mask, -np.inf, gains - np.where(taken > 0, taken, np.min(losses)))
    order = np.argsort(-np.ravel(net), kind="stable")
    order = order[np.ravel(net + 0.5 * gains)[order] > 0]
    return np.stack(np.unravel_index(order, X.shape), axis=1)


def _exchanged(face: Face, X: Matrix, quota: Quota, added: Matrix) -> tuple[Face, Matrix] | None:
    mask = face.mask.copy()
    for i, j in added:
        mask[i] &= face.overlap[j] | (np.arange(mask.shape[1]) == j)
        mask[i, j] = True
    if not np.all(np.any(mask, axis=0)):
        return None
    more = on_support(face.C, X, mask, 3)
    fewer = None if more is None else prune(face.C, more[1], quota, 8)
    if fewer is not None and quota.shortage(fewer[0].mask) > 0:
        fewer = grow(face.C, fewer[1], quota)
    return fewer if fewer is not None and quota.met(fewer[0].mask) else None


def _dropped(face: Face, X: Matrix, quota: Quota, number: int) -> tuple[Face, Matrix] | None:
    """Return a face with fewer entries and a point on it: those leave that cost least, after a
    Newton step, and the others make up for it. Where this falls short of the quota, the better of
    two ways: others come, or others leave.
    """
    residual, inverse, _ = face.kkt(X, _DAMPING)
    v = X[face.i, face.j] + np.clip(np.matmul(inverse, residual), -0.1, 0.1)
    free = np.maximum(inverse.diagonal(), 1e-9 / face.unit)
    losses = np.where(quota.above(face.mask)[face.j], v**2 / free, np.inf)
    order = np.argsort(losses, kind="stable")
    order = order[np.isfinite(losses[order])]
    short = None
    for attempt in range(_TRIES):
        gone = _within(face, quota, order[:number]) if number > 1 else order[attempt : attempt + 1]
        if len(gone) == 0:
            break
        moved = v - inverse[:, gone[0]] * (v[gone[0]] / free[gone[0]]) if len(gone) == 1 else v.copy()
        moved = moved if np.max(np.abs(moved)) < 1.5 else v.copy()
        moved[gone] = 0.0
        mask, Y = face.mask.copy(), np.zeros_like(X)
        mask[face.i[gone], face.j[gone]] = False
        Y[face.i, face.j] = moved
        found = on_support(face.C, Y, mask, 0 if number == 1 else 1)
        if found is not None and quota.shortage(found[0].mask) <= 0:
            return found if short is None or found[0].value(found[1]) > short[0].value(short[1]) else short
        if short is None and found is not None:
            short = grow(face.C, found[1], quota)
            short = short if short is not None and quota.met(short[0].mask) else None
        number = 1
    return short


def _within(face: Face, quota: Quota, order: Matrix) -> Matrix:
    """Return the entries that may go together: no column falls below its quota."""
    counts, gone = np.sum(face.mask, axis=0), []
    least = np.ones_like(counts) if quota.each is None else np.maximum(quota.each, 1)
    for q in order:
        if counts[face.j[q]] > least[face.j[q]]:
            counts[face.j[q]] -= 1
            gone.append(q)
    return np.array(gone, dtype=int)
