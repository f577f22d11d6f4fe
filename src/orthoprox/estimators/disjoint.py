"""Components that share no variable: one eigenvector for each support, of one sign if wanted.

Nonnegative orthonormal components are of this kind. A component with the support S is the leading
eigenvector of C on S, the only local maximum of x'Cx inside of S; with x > 0 that has to be
positive, and a support whose leading eigenvector has both signs is none.
"""

from itertools import combinations

import numpy as np

from orthoprox.estimators.face import FOREVER, Matrix
from orthoprox.estimators.quota import Quota
from orthoprox.stopping.clock import Deadline

_NEAREST = 24  # variables that are tried in a component: those with the largest pull
_GAIN = 1e-9  # relative, that makes a move


class Supports:
    """Disjoint supports and the variance lambda_max(C_SS) of each."""

    def __init__(self, C: Matrix, owner: Matrix, n: int, positive: bool) -> None:
        self.C, self.n, self.positive = C, n, positive
        self.owner = owner  # of each variable: its component, or -1
        self.values, self.vectors = np.zeros(n), np.zeros((n, len(C)))
        for j in range(n):
            self._fit(j)

    @property
    def components(self) -> Matrix:
        """X of shape (m, n)."""
        return self.vectors.T

    def climb(self, quota: Quota, moves: int, deadline: Deadline = FOREVER) -> None:
        """Move variables, at most so often, while the sum of the variances grows: one leaves a
        component, and one that is free, or the same one, comes to a component.
        """
        for _ in range(moves):
            if deadline.left() <= 0:
                break
            best = max(self._moves(quota), default=(0.0, -1, -1, -1))
            if best[0] <= _GAIN * np.sum(self.values):
                break
            self._assign(best[1], -1)
            self._assign(best[2], best[3])

    def trim(self, quota: Quota, deadline: Deadline = FOREVER) -> None:
        """Let those variables leave or come that cost least or gain most, until the quota is met or
        nothing fits.
        """
        while quota.surplus(self.mask) > 0:
            deadline.heed()
            may = quota.above(self.mask)
            losses = [(self.values[j] - value, i) for j in np.flatnonzero(may).tolist() for i, value in self._without(j)]
            if not losses or min(losses)[0] == np.inf:
                break
            self._assign(min(losses)[1], -1)
        while quota.shortage(self.mask) > 0:
            deadline.heed()
            may = quota.below(self.mask)
            gains = [
                (value - self.values[j], -i, j) for j in np.flatnonzero(may).tolist() for i, value in self._with(j, self._free)
            ]
            if not gains or max(gains)[0] == -np.inf:
                break
            _, i, j = max(gains)
            self._assign(-i, j)

    def _moves(self, quota: Quota) -> list[tuple[float, int, int, int]]:
        """Return gains, what leaves, what comes and where: a free variable in the same component,
        or, if their sizes may change, in another one; or the same variable in another one.
        """
        found, free = [], self._free
        less = {i: self.values[j] - value for j in range(self.n) for i, value in self._without(j)}
        for i in less:
            a = int(self.owner[i])
            found += [(value - self.values[a], i, p, a) for p, value in self._with(a, free, without=i)]
        for j in range(self.n) if quota.each is None else ():
            gains = [(p, value - self.values[j]) for p, value in self._with(j, np.flatnonzero(self.owner != j))]
            found += [(gain - less[p], p, p, j) for p, gain in gains if p in less]
            new = next(((p, gain) for p, gain in gains if self.owner[p] < 0), None)
            if new is not None:
                found += [(new[1] - loss, i, new[0], j) for i, loss in less.items() if self.owner[i] != j]
        return found

    @property
    def mask(self) -> Matrix:
        """The supports, as a mask of shape (m, n)."""
        mask: Matrix = self.owner[:, None] == np.arange(self.n)
        return mask

    @property
    def _free(self) -> Matrix:
        return np.flatnonzero(self.owner < 0)

    def _with(self, j: int, variables: Matrix, without: int = -1) -> list[tuple[int, float]]:
        """Return the variances with one variable more, largest first."""
        members = np.flatnonzero(self.owner == j)
        members = members[members != without]
        if len(variables) > _NEAREST:
            pull = np.abs(np.matmul(self.C[variables], self.vectors[j]))
            variables = np.sort(variables[np.argsort(-pull, kind="stable")[:_NEAREST]])
        sets = np.concatenate([np.repeat(members[None], len(variables), axis=0), variables[:, None]], axis=1)
        return sorted(zip(variables.tolist(), self.variances(sets), strict=True), key=lambda entry: (-entry[1], entry[0]))

    def _without(self, j: int) -> list[tuple[int, float]]:
        """Return the variances with one variable fewer; none if there is only one."""
        members = np.flatnonzero(self.owner == j)
        if len(members) < 2:
            return []
        rest = np.array([members[members != i] for i in members])
        return list(zip(members.tolist(), self.variances(rest), strict=True))

    def variances(self, sets: Matrix) -> list[float]:
        """Return lambda_max on each of the supports, -inf where no component of one sign is."""
        if len(sets) == 0:
            return []
        values, vectors = np.linalg.eigh(self.C[sets[:, :, None], sets[:, None, :]])
        leading = vectors[:, :, -1]
        fine = ~np.any(leading == 0, axis=1)
        if self.positive:
            fine &= np.all(leading > 0, axis=1) | np.all(leading < 0, axis=1)
        return np.where(fine, values[:, -1], -np.inf).tolist()  # type: ignore[no-any-return]

    def _assign(self, i: int, j: int) -> None:
        before = int(self.owner[i])
        self.owner[i] = j
        for changed in {before, j} - {-1}:
            self._fit(changed)

    def _fit(self, j: int) -> None:
        members = np.flatnonzero(self.owner == j)
        self.vectors[j] = 0.0
        if len(members) == 0:
            self.values[j] = -np.inf
            return
        values, vectors = np.linalg.eigh(self.C[np.ix_(members, members)])
        leading = vectors[:, -1]
        self.vectors[j, members] = leading * (1.0 if np.sum(leading) >= 0 else -1.0)
        self.values[j] = values[-1]


def supports_of(C: Matrix, X: Matrix, *, positive: bool) -> Supports:
    """Return disjoint supports from a point: each variable goes where its loading is largest; with
    ``positive`` columns are signed so that their largest loadings are positive, and those of the
    other sign go nowhere.
    """
    signs = np.where(np.sum(X**3, axis=0) < 0, -1.0, 1.0)
    sizes = X * signs if positive else np.abs(X)
    owner = np.argmax(sizes, axis=1)
    owner[np.max(sizes, axis=1) <= 0] = -1
    for j in range(X.shape[1]):  # no component without a variable
        if not np.any(owner == j):
            held = np.bincount(owner[owner >= 0], minlength=X.shape[1])
            may = (owner < 0) | (held[owner] > 1)
            owner[np.argmax(np.where(may, np.abs(X[:, j]), -1.0))] = j
    found = Supports(C, owner, X.shape[1], positive)
    if positive:
        for j in range(X.shape[1]):
            _one_sign(found, j)
    return found


def agglomerated(C: Matrix, n: int, total: int, *, positive: bool = False) -> Supports:
    """Return disjoint supports with so many variables: from single variables, those two supports
    are joined that gain most, until the n supports with the largest variances have them all.

    A union of S and T gains lambda_max of it, less those of both, and makes room for one variable.
    With ``positive`` only unions with a component of one sign are made, as far as there are some.
    """
    alone = Supports(C, np.full(len(C), -1), n, positive)

    def union(a: int, b: int) -> float:
        return alone.variances(np.array([supports[a] + supports[b]]))[0]

    supports = [[i] for i in range(len(C))]
    values = [float(c) for c in C.diagonal()]
    unions = {(a, b): union(a, b) for a, b in combinations(range(len(C)), 2)}
    number = len(C)
    for _ in range(total - n):
        full = sum(len(S) > 1 for S in supports) >= n
        gains = ((v - values[a] - values[b], -a, -b) for (a, b), v in unions.items() if not full or len(supports[b]) > 1)
        gain, a, b = max(gains, default=(-np.inf, 0, 0))
        if gain == -np.inf:
            break
        a, b = -a, -b
        supports.append(sorted(supports[a] + supports[b]))
        values.append(unions[a, b])
        supports[a] = supports[b] = []
        unions = {pair: value for pair, value in unions.items() if not {a, b} & set(pair)}
        unions |= {(i, number): union(i, number) for i in range(number) if supports[i]}
        number += 1
    owner = np.full(len(C), -1)
    best = sorted((i for i in range(number) if supports[i]), key=lambda i: (len(supports[i]) == 1, -values[i], i))
    for j, i in enumerate(best[:n]):
        owner[supports[i]] = j
    return Supports(C, owner, n, positive)


def _one_sign(supports: Supports, j: int) -> None:
    """Let variables leave until the component has one sign."""
    while np.min(x := supports.vectors[j]) < 0 or (np.count_nonzero(x) < np.sum(supports.owner == j)):
        members = np.flatnonzero(supports.owner == j)
        supports._assign(int(members[np.argmin(x[members])]), -1)
