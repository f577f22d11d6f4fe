"""The best point with a wanted number of nonzeros, found among candidates on one covariance."""

import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from orthoprox.estimators.disjoint import Supports, agglomerated, supports_of
from orthoprox.estimators.explained import criterion_value
from orthoprox.estimators.face import Matrix
from orthoprox.estimators.neighbours import climb
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.starts import coordinates, principal, random_rotations, rotations, sparse_rotations
from orthoprox.estimators.support import exact, exchange, fitted
from orthoprox.estimators.wanted import Wanted
from orthoprox.files.journal import CURRENT
from orthoprox.stopping.clock import Deadline

T = TypeVar("T")
LARGEST = 600  # nonzeros up to which Newton's method prunes and refits
DENSE = 240  # entries of X up to which dense starts are pruned as well
_NEAREST, _BEST, _MOVES = 3, 2, 15  # points of the path, candidates that exchange nonzeros, and how often
_CLIMB, _DISJOINT = 15, 20  # moves to neighbours, of variables between disjoint supports
_ROTATIONS, _FEWEST, _FEW = 6, 2, 16  # sparse rotations for each component beyond four; where nonzeros are this few
_CLIMBERS = 5  # candidates that move to neighbours; three more for each component beyond four
_JOINED = 240  # variables up to which supports are joined from single ones
_PARTITIONS = 3  # dense starts that become disjoint supports
_EFFORT = {"fast": 0, "normal": 1, None: 1, "thorough": 8}  # times the rotations and the climbers
_THIN = 1.6  # times the wanted nonzeros: what is left of a dense start before it is pruned
_MANY = 100  # nonzeros beyond which fewer points of the path are pruned, and one exchanges
_WORK = 1.5e7  # moves times nonzeros^3


class Candidates:
    """Candidates that all wanted numbers of nonzeros share.

    Points of a path in the penalty's weight are pruned, the three with the fewest nonzeros above
    the wanted number. If X is small, dense starts as well, the rotations of the principal
    components to simple structure, and, if the number allows it, disjoint supports. The best ones
    move to neighbours and exchange nonzeros; the best by the criterion wins.
    """

    def __init__(self, C: Matrix, path: Iterator[Matrix], wanted: Wanted, *, dense: bool, deadline: Deadline) -> None:
        self.C, self.n, self.wanted, self.deadline = C, wanted.n, wanted, deadline
        self.cut = False  # whether the time was over before the search
        self._path, self._points = path, list[Matrix]()
        self._small = dense and C.shape[0] * wanted.n <= DENSE

    @cached_property
    def dense(self) -> list[Matrix]:
        """The dense starts: the user's own, rotations to simple structure, those of ``n_init``."""
        more = random_rotations(self.C, self.n, self.wanted.rng, self.wanted.n_init - 1)
        own = [] if isinstance(self.wanted.start, str) else [np.asarray(self.wanted.start)]
        return [*own, *rotations(self.C, self.n), *more]

    def best(self, quota: Quota, criterion: str, *, positive: bool) -> Matrix:
        """Return the best point with this many nonzeros, or, where none has them or time is short,
        one with other nonzeros.
        """
        found = list[Matrix]()
        self.cut = True
        with self.deadline.part():
            self._collect(quota, criterion, found, positive=positive)
            self.cut = False
        if not any(quota.met(X != 0) for X in found):
            found += self._others(found, quota, positive=positive)
        missing = {id(X): abs(np.count_nonzero(X) - quota.total) + (not quota.met(X != 0)) for X in found}
        return min(found, key=lambda X: (missing[id(X)], -criterion_value(self.C, X, criterion)))

    def _others(self, found: list[Matrix], quota: Quota, *, positive: bool) -> list[Matrix]:
        """Return what there is besides candidates without the wanted nonzeros: single variables;
        without signs, the largest entries of a candidate, and in time the dense starts and single
        variables, pruned or grown. When the time is over, what is at hand has to do, without
        Newton's method.
        """
        variables = np.argsort(-self.C.diagonal(), kind="stable")[: self.n]
        single = coordinates(variables, (len(self.C), self.n))
        if positive:
            return [single]
        if self.cut:
            return [single, exact(self.C, self._at_hand(found), quota, 0)]
        starts = [] if quota.total > LARGEST else [single, *self.dense]
        grown = [X for start in starts if (X := fitted(self.C, _thinned(start, quota), quota)) is not None]
        return [single, *grown, exact(self.C, (found or self.dense)[0], quota)]

    def _at_hand(self, found: list[Matrix]) -> Matrix:
        """Return a point that costs little: a candidate, the user's, of the path, or PCA's."""
        own = [] if isinstance(self.wanted.start, str) else [np.asarray(self.wanted.start)]
        points = [*found[:1], *own, *self._points[-1:]]
        return points[0] if points else principal(self.C)[1][:, : self.n]

    def _collect(self, quota: Quota, criterion: str, found: list[Matrix], *, positive: bool) -> None:
        """Append candidates to ``found``, one after the other, as long as there is time."""
        if positive or (self._small and quota.total <= len(self.C)):
            for components in self._disjoint(quota, positive=positive):
                found.append(components)
        if positive:
            return
        for start in self._starts(quota):
            self.deadline.heed()
            many = quota.total > LARGEST
            how = (
                partial(exact, self.C, start, quota, deadline=self.deadline)
                if many
                else partial(fitted, self.C, _thinned(start, quota), quota, self.deadline)
            )
            X = _noted("pruned", how)
            found += [] if X is None else [X]
        if quota.total > LARGEST:
            return
        ranked = self._ranked(found, quota, criterion)
        effort = _EFFORT[self.wanted.effort]
        climbers = effort * (_CLIMBERS + 3 * max(self.n - 4, 0)) if self._small else 0
        for X in ranked[:climbers]:
            found.append(self._climbed(X, quota, criterion))
        moves = min(_MOVES, math.ceil(_WORK / quota.total**3))
        for X in self._ranked(found, quota, criterion)[: 1 if quota.total > _MANY else _BEST]:
            Y = _noted("exchanged", partial(exchange, self.C, X, quota, moves, criterion, deadline=self.deadline))
            found.append(self._climbed(Y, quota, criterion) if self._small else Y)

    def _climbed(self, X: Matrix, quota: Quota, criterion: str) -> Matrix:
        return _noted("climbed", partial(climb, self.C, X, quota, _CLIMB, criterion, deadline=self.deadline))

    def _starts(self, quota: Quota) -> list[Matrix]:
        starts = self._nearest(quota)
        self.deadline.heed()
        if self._small or not starts:
            starts = [*self.dense, *starts]
        if self._small and (self.n > 4 or quota.total <= _FEW):
            number = _EFFORT[self.wanted.effort] * max(_ROTATIONS * (self.n - 4), _FEWEST)
            starts += sparse_rotations(self.C, self.n, quota.total, 0, 2 * number)
            starts += sparse_rotations(self.C, self.n, quota.total, 1, number)
        return starts

    def _nearest(self, quota: Quota) -> list[Matrix]:
        """Return the points of the path with the fewest nonzeros above the wanted number; the path
        is followed as far as that takes.
        """
        while not self._points or np.count_nonzero(self._points[-1]) >= quota.total:
            self.deadline.heed()
            point = next(self._path, None)
            if point is None:
                break
            self._points.append(point)
        above = [X for X in self._points if np.count_nonzero(X) >= quota.total]
        return sorted(above, key=np.count_nonzero)[: 2 if quota.total > _MANY else _NEAREST]

    def _disjoint(self, quota: Quota, *, positive: bool) -> Iterator[Matrix]:
        for supports in self._partitions(quota, positive=positive):
            yield _noted("disjoint", partial(self._moved, supports, quota))

    def _moved(self, supports: Supports, quota: Quota) -> Matrix:
        supports.trim(quota, self.deadline)
        supports.climb(quota, _DISJOINT, self.deadline)
        return supports.components

    def _partitions(self, quota: Quota, *, positive: bool) -> Iterator[Supports]:
        for start in self.dense[: None if positive else _PARTITIONS]:
            yield supports_of(self.C, start, positive=positive)
        if quota.each is None and len(self.C) <= _JOINED:
            yield agglomerated(self.C, self.n, quota.total, positive=positive)

    def _ranked(self, points: list[Matrix], quota: Quota, criterion: str) -> list[Matrix]:
        """Return the points with the wanted nonzeros and different supports, the best first."""
        met = [X for X in points if quota.met(X != 0)]
        ranked = sorted(met, key=lambda X: -criterion_value(self.C, X, criterion))
        return list({tuple(sorted((x != 0).tobytes() for x in X.T)): X for X in reversed(ranked)}.values())[::-1]


def _noted(name: str, compute: Callable[[], T]) -> T:
    """Return what is computed, or what it was before the fit was resumed."""
    journal = CURRENT.get()
    return compute() if journal is None else journal.unit(name, lambda page: compute())


def _thinned(X: Matrix, quota: Quota) -> Matrix:
    """Return X without its smallest entries, where more are nonzero than are worth pruning."""
    limit = max(LARGEST, math.ceil(1.1 * quota.total)) if X.size > DENSE else math.ceil(_THIN * quota.total) + 4
    if np.count_nonzero(X) <= limit:
        return X
    return np.where(np.abs(X) >= np.sort(np.ravel(np.abs(X)))[-limit], X, 0.0)
