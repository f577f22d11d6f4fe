"""What orthonormal components with a number of nonzeros can explain at most, on small tables.

Columns that share a variable form groups, and groups share none. A group of p columns with r
variables has at least r + 2(p - 1) nonzeros: one after the other, each column shares two variables
or more with those before, since sharing exactly one is not orthogonal. It explains at most the sum
of the p largest eigenvalues of C on its variables. The best way to divide the variables among
groups, with as many nonzeros in all, is a bound. Supports of groups that are above what is looked
for are listed; where two columns share two variables, their angles there give a bound.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from benchmarks.support_bounds import angle_bound, group_supports

Matrix = np.ndarray[Any, Any]
LARGEST = 21  # variables and components up to which all subsets of variables are looked at
_SHARED, _MOST = 5, 3_000_000  # nonzeros beyond one for each variable, and supports: beyond, the bound of their group stays


class Limit:
    """The limits of one table, whose covariance is C, for n components.

    A set of variables is a number, whose bits they are.
    """

    def __init__(self, C: Matrix, n: int) -> None:
        self.C, self.n, self.m = C, n, len(C)
        self._sets = np.arange(1 << self.m)
        self._size = np.bitwise_count(self._sets).astype(int)
        self._sums = self._eigenvalue_sums()
        self._rests = {(): np.where(self._sets == 0, 0.0, -np.inf)}

    def bound(self, k: int, above: float) -> tuple[float, int]:
        """Return a bound for k nonzeros, and the number of supports that were listed for it. It is
        the better, the nearer ``above`` is to the truth: what is below that is not looked at.
        """
        best, listed = -np.inf, 0
        for groups in _partitions(self.n, self.n):
            if groups[0] == 1 and k > self.m:
                continue  # without sharing there are not so many
            found, number = self._of_groups(groups, k, max(above, best))
            best, listed = max(best, found), listed + number
        return best, listed

    def _of_groups(self, groups: tuple[int, ...], k: int, above: float) -> tuple[float, int]:
        """Return the bound for groups of so many columns, the largest first."""
        p, others = groups[0], groups[1:]
        rest, least = self._rest(others), sum(_shared(q) for q in others)
        best, listed = -np.inf, 0
        for shared in range(_shared(p), k - self.n + 1) if p > 1 else (0,):
            for number in range(p, min(self.m, k - shared - least) + 1):
                sets = self._sets[self._size == number]
                left = _within(rest, np.flatnonzero(self._size <= k - shared - least - number), self.m)[~sets & self._sets[-1]]
                both = self._sums[p, sets] + left
                for at in np.flatnonzero(both > max(above, best)):
                    found, more = self._of_group(int(sets[at]), p, shared, max(above, best) - left[at])
                    best, listed = max(best, min(both[at], found + left[at])), listed + more
                best = max(best, np.max(both, initial=-np.inf, where=both <= max(above, best)))
        return float(best), listed

    def _of_group(self, chosen: int, p: int, shared: int, above: float) -> tuple[float, int]:
        """Return the bound of one group by its supports, and their number."""
        if p == 1 or shared > _SHARED:
            return np.inf, 0
        supports = group_supports(int(chosen).bit_count(), p, shared, _MOST)
        if supports is None:
            return np.inf, 0
        bits = np.array([1 << i for i in range(self.m) if chosen >> i & 1])
        sets = np.zeros(supports.shape, dtype=int)
        for place, bit in enumerate(bits):
            sets += (supports >> place & 1) * bit
        bounds = self._by_blocks(sets)
        best, listed = -np.inf, 0
        for at in np.argsort(-bounds):
            if bounds[at] <= max(above, best):
                best = max(best, bounds[at])
                break
            listed += 1
            mask = (sets[at] >> np.arange(self.m)[:, None] & 1).astype(bool)
            best = max(best, min(bounds[at], angle_bound(self.C, mask, max(above, best))))
        return float(best), listed

    def _by_blocks(self, sets: Matrix) -> Matrix:
        """Return bounds of many supports, of shape (B, p): for every way to put the columns into
        blocks, a block of q explains at most the q largest eigenvalues on its variables.
        """
        bounds = np.full(len(sets), np.inf)
        for blocks in _blocks(list(range(sets.shape[1]))):
            unions = [np.bitwise_or.reduce(sets[:, block], axis=1) for block in blocks]
            bounds = np.minimum(bounds, sum(self._sums[len(b), u] for b, u in zip(blocks, unions, strict=True)))
        return bounds

    def _rest(self, groups: tuple[int, ...]) -> Matrix:
        """Return, for each set, the most that these groups explain if they divide it."""
        if groups not in self._rests:
            first, others = self._sums[groups[0]], self._rest(groups[1:])
            if len(groups) == 1:
                found = first
            else:
                found = np.full(len(self._sets), -np.inf)
                for chosen in np.flatnonzero(first > -np.inf).tolist():
                    free = _subsets(int(self._sets[-1]) & ~chosen)
                    found[free | chosen] = np.maximum(found[free | chosen], first[chosen] + others[free])
            self._rests[groups] = found
        return self._rests[groups]

    def _eigenvalue_sums(self) -> Matrix:
        """Return the sums of the p largest eigenvalues on each set, for p = 0, ..., n."""
        sums = np.full((self.n + 1, len(self._sets)), -np.inf)
        for size in range(1, self.m + 1):
            rows = np.array(list(combinations(range(self.m), size)))
            sets = np.sum(1 << rows, axis=1)
            values = np.linalg.eigvalsh(self.C[rows[:, :, None], rows[:, None, :]])[:, ::-1]
            most = min(size, self.n)
            sums[1 : most + 1, sets] = np.cumsum(values[:, :most], axis=1).T
        return sums


def _shared(p: int) -> int:
    """Return by how much the nonzeros of a group of p columns exceed its variables, at least."""
    return 2 * (p - 1)


def _within(values: Matrix, allowed: Matrix, m: int) -> Matrix:
    """Return for each set the largest value of its allowed subsets."""
    best = np.full(len(values), -np.inf)
    best[allowed] = values[allowed]
    for i in range(m):
        halves = best.reshape(-1, 2, 1 << i)
        halves[:, 1] = np.maximum(halves[:, 1], halves[:, 0])
    return best


def _subsets(chosen: int) -> Matrix:
    found = np.zeros(1, dtype=int)
    for i in range(chosen.bit_length()):
        if chosen >> i & 1:
            found = np.concatenate([found, found | 1 << i])
    return found


def _partitions(number: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum, the largest first."""
    if number == 0:
        yield ()
    for first in range(min(number, most), 0, -1):
        for others in _partitions(number - first, first):
            yield (first, *others)


def _blocks(columns: list[int]) -> Iterator[list[list[int]]]:
    """Yield the ways to put columns into blocks."""
    if not columns:
        yield []
        return
    first, others = columns[0], columns[1:]
    for size in range(len(others) + 1):
        for more in combinations(others, size):
            for blocks in _blocks([j for j in others if j not in more]):
                yield [[first, *more], *blocks]
