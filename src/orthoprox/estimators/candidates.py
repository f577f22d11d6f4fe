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

DENSE = 240  # entries of X up to which dense starts are pruned as well
LARGEST = 600  # nonzeros up to which Newton's method refits
_NEAREST, _BEST, _MOVES = 3, 3, 15  # points of the path, candidates that exchange nonzeros, and how often
_MANY = 100  # nonzeros beyond which there are two, one and fewer
_WORK = 1.5e7  # moves times nonzeros^3

Path = Callable[[], list[Matrix]]  # points along a path in the weight of the penalty, densest first


class Candidates:
    """Candidates that all wanted numbers of nonzeros share.

    Points of a path in the penalty's weight are pruned, the three with the fewest nonzeros above
    the wanted number; if X is small, dense starts as well, the rotations of the principal
    components to simple structure. The three best exchange nonzeros; the best by the criterion
    wins, among those with exactly the wanted number.
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

    def best(self, quota: Quota, criterion: str, *, dense: bool) -> Matrix | None:
        """Return the best point with this many nonzeros; None if none has them exactly. ``dense``
        tells whether dense starts may be used.
        """
        starts = self._nearest(quota)
        if not starts or (dense and self.C.shape[0] * self.n <= DENSE):
            starts = [*self.dense, *starts]
        found = [X for start in starts if (X := self._fitted(start, quota)) is not None]
        found = found or [X for X in [self._fitted(coordinates(self.C, self.n), quota)] if X is not None]
        exact = sorted((X for X in found if quota.met(X != 0)), key=lambda X: -self._value(X, criterion))
        many = quota.total > _MANY
        moves = min(_MOVES, math.ceil(_WORK / quota.total**3))
        moved = [exchange(self.C, X, quota, moves, criterion) for X in exact[: 1 if many else _BEST]]
        return max([*moved, *exact] or found, key=lambda X: self._value(X, criterion), default=None)

    def _nearest(self, quota: Quota) -> list[Matrix]:
        above = [X for X in self.points if np.count_nonzero(X) >= quota.total]
        return sorted(above, key=np.count_nonzero)[: 2 if quota.total > _MANY else _NEAREST]

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
