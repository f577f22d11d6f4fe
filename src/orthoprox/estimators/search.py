"""The search for components with a wanted number of nonzeros."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from orthoprox.estimators.candidates import DENSE, Candidates
from orthoprox.estimators.covariance import LARGE, Formed, significant
from orthoprox.estimators.penalty import problem_at, weighted
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.runs import Runs
from orthoprox.estimators.selection import best_rows
from orthoprox.nonsmooth.base import Nonsmooth

Matrix = np.ndarray[Any, Any]
_SHORT, _LONG = np.geomspace(0.02, 0.3, 6), np.geomspace(0.01, 0.6, 10)  # alphas of the path, beside dense starts or alone
_ROUGH = {"tol": 1e-3, "polish": False, "history": False, "progress": False}  # its runs
_DIGITS = 10  # of C that the search sees: what rounding changes in the data changes no choice
_ROWS, _FEWEST_ROWS = 4, 300  # variables for each that is wanted, and at least, among which "l21" chooses
_VARIABLES = 400  # among which the search for nonzeros is, if there are too many for a matrix


class Search:
    """The candidates of one covariance, on its variables in their canonical order."""

    def __init__(self, runs: Runs) -> None:
        self.runs, self.cut = runs, False  # whether the time was over before the search
        self._candidates: Candidates | None = None
        self._chosen = np.arange(runs.m)  # the variables of the candidates
        self._parts = dict[int, Search]()  # on some of the variables, by their number

    def best(self, quota: Quota) -> Matrix:
        """Return the best X of shape (m, n) that was found; its nonzeros are the wanted ones
        wherever that was possible, and in time.
        """
        runs, wanted = self.runs, self.runs.wanted
        if wanted.penalty == "l21":
            return runs.on_rows(self._rows(quota.total // wanted.n))
        if runs.m > max(LARGE, 2 * math.ceil(quota.total / wanted.n)):
            return self._among(self._most(quota), quota)
        if self._candidates is None:
            self._candidates = self._made()
        found = self._candidates.best(quota, wanted.criterion, positive=wanted.nonnegative)
        self.cut |= self._candidates.cut
        X = np.zeros(runs.shape)
        X[self._chosen] = found
        return X

    def _rows(self, number: int) -> Matrix:
        """Return a mask of so many variables, the same for all components."""
        covariance, wanted = self.runs.covariance, self.runs.wanted
        rows = np.arange(self.runs.m)
        if self.runs.m > LARGE:
            rows = self._carrying(max(_ROWS * number, _FEWEST_ROWS))
        rows, mask = rows[covariance.canonical(rows)], np.zeros(self.runs.m, dtype=bool)
        mask[rows[best_rows(covariance.rows(rows), wanted.n, number, wanted.criterion)]] = True
        return mask

    def _among(self, chosen: Matrix, quota: Quota) -> Matrix:
        """Return the best point with zeros outside of the chosen variables."""
        runs, number = self.runs, len(chosen)
        if number not in self._parts:
            self._parts[number] = Search(runs.on(Formed(runs.covariance.rows(chosen)), chosen))
        X = np.zeros(runs.shape)
        X[chosen] = self._parts[number].best(quota)
        self.cut |= self._parts[number].cut
        return X

    def _most(self, quota: Quota) -> Matrix:
        """Return the variables among which nonzeros are looked for, where there are many."""
        needed = 2 * math.ceil(quota.total / self.runs.wanted.n)
        return self._carrying(max(min(max(_VARIABLES, quota.total), LARGE), needed))

    def _carrying(self, number: int) -> Matrix:
        """Return so many variables, those that carry most of the principal components."""
        values, vectors = self.runs.covariance.leading(self.runs.wanted.n)
        carried = np.sum(vectors**2 * values, axis=1)
        return np.sort(np.argsort(-carried, kind="stable")[:number])

    def _made(self) -> Candidates:
        """Return the candidates. They see C rounded and in the canonical order, so that nothing
        that should not changes a choice: units, the order of samples, that of variables.
        """
        covariance = self.runs.covariance
        self._chosen = covariance.canonical(np.arange(self.runs.m))
        C = rounded(covariance.rows(self._chosen) / covariance.unit)
        runs = self.runs.on(Formed(C), self._chosen)
        path = iter(()) if runs.wanted.nonnegative or runs.diagonal else _path(runs)
        return Candidates(C, path, runs.wanted, dense=runs.wanted.penalty == "l1", deadline=runs.deadline)


def _path(runs: Runs) -> Iterator[Matrix]:
    """Yield the sparse points along the path, each from the one before, upwards in alpha."""
    wanted, point = runs.wanted, runs.start("pca")
    smooth = wanted.penalty not in ("l1", "l21")  # a prox without derivative
    fine = runs.m * wanted.n > DENSE or wanted.criterion == "adjusted" or smooth
    steps = 8 if not fine else 30 if not smooth else 100
    options = _ROUGH | {"method": None if smooth else "almssn", "max_iterations": steps}
    for alpha in _LONG if fine else _SHORT:
        own = isinstance(wanted.penalty, Nonsmooth)
        penalty = weighted(wanted.penalty, alpha / _LONG[-1]) if own else wanted.penalty
        problem = problem_at(runs.smooth, runs.shape, alpha * runs.mu_max, penalty, False)
        result = runs.minimised(problem, point, **options)
        sparse = np.asarray(result.certificate.point)
        if not np.all(np.any(sparse != 0, axis=0)):
            return
        point = np.asarray(result.X)
        yield sparse


def rounded(C: Matrix) -> Matrix:
    """Return C with ten digits of its standard deviations and of its correlations."""
    deviations = np.sqrt(np.maximum(C.diagonal(), 0.0))
    unit = significant(deviations, _DIGITS)
    both = np.multiply.outer(deviations, deviations)
    correlations = np.round(np.divide(C, both, out=np.zeros_like(C), where=both > 0), _DIGITS)
    return np.multiply.outer(unit, unit) * correlations
