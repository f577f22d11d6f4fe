"""The best point with a wanted number of nonzeros, found among candidates on one covariance."""

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.face import Matrix
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.starts import coordinates, rotations
from orthoprox.estimators.support import exchange, grow, on_support, prune

DENSE = 240  # entries of X up to which dense starts are pruned; beyond, points of the path
LARGEST = 600  # nonzeros up to which Newton's method refits
_BEST, _MOVES = 3, 15  # candidates that exchange nonzeros, and how often
_NEAREST = 3  # points of the path that are pruned

Path = Callable[[], list[Matrix]]  # points along a path in the weight of the penalty, densest first


class Candidates:
    """Candidates that all wanted numbers of nonzeros share.

    A small X is pruned from dense starts: the rotations of the principal components to simple
    structure. A larger one is pruned from the three points of a path in the penalty's weight with
    the fewest nonzeros above the wanted number. The three best exchange nonzeros; the best by the
    criterion wins, among those with exactly the wanted number.
    """

    def __init__(self, C: Matrix, n: int, path: Path, rng: np.random.Generator, n_init: int) -> None:
        self.C, self.n, self._path, self._rng, self._more = C, n, path, rng, n_init - 1

    @cached_property
    def dense(self) -> list[Matrix]:
        """The dense starts."""
        return rotations(self.C, self.n, self._rng, self._more)

    @cached_property
    def points(self) -> list[Matrix]:
        """The points of the path."""
        return self._path()

    def best(self, quota: Quota, criterion: str, *, along_path: bool) -> Matrix | None:
        """Return the best point with this many nonzeros; None if none has them exactly."""
        found = [X for start in self._starts(quota, along_path) if (X := self._fitted(start, quota)) is not None]
        if not found:
            found = [X for X in [self._fitted(coordinates(self.C, self.n), quota)] if X is not None]
        exact = [X for X in found if quota.met(X != 0)]
        ranked = sorted(exact, key=lambda X: -self._value(X, criterion))[:_BEST]
        ranked = [exchange(self.C, X, quota, _MOVES, criterion) for X in ranked]
        return max(ranked or found, key=lambda X: self._value(X, criterion), default=None)

    def _starts(self, quota: Quota, along_path: bool) -> list[Matrix]:
        if self.C.shape[0] * self.n <= DENSE and not along_path:
            return self.dense
        above = [X for X in self.points if np.count_nonzero(X) >= quota.total] or self.dense[:1]
        return sorted(above, key=np.count_nonzero)[:_NEAREST]

    def _fitted(self, X: Matrix, quota: Quota) -> Matrix | None:
        """Return X pruned or grown to the quota."""
        X = _thinned(X, quota)
        found = prune(self.C, X, quota) if quota.surplus(X != 0) > 0 else on_support(self.C, X, X != 0)
        if found is not None and quota.shortage(found[0].mask) > 0:
            found = grow(self.C, found[1], quota)
        return None if found is None else found[1]

    def _value(self, X: Matrix, criterion: str) -> float:
        return criterion_value(self.C, X, criterion)


def _thinned(X: Matrix, quota: Quota) -> Matrix:
    """Return X without its smallest entries, where more are nonzero than Newton's method takes."""
    limit = max(LARGEST, math.ceil(1.1 * quota.total))
    if np.count_nonzero(X) <= limit:
        return X
    return np.where(np.abs(X) >= np.sort(np.ravel(np.abs(X)))[-limit], X, 0.0)
