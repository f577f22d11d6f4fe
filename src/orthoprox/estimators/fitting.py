"""From a covariance to sparse orthonormal components and the certified result behind them."""

from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.estimators.candidates import LARGEST
from orthoprox.estimators.covariance import WIDE, Covariance
from orthoprox.estimators.explained import ordered
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.runs import Runs
from orthoprox.estimators.search import Search
from orthoprox.estimators.starts import principal
from orthoprox.estimators.support import on_support
from orthoprox.estimators.wanted import Wanted
from orthoprox.estimators.warned import warn
from orthoprox.nonsmooth.separable import Zero

Matrix = np.ndarray[Any, Any]
_ORTHONORMAL = 1e-12  # |X'X - I| that may be rounding


class Fitting:
    """The fits of one covariance: candidates and the scale of the penalty are found once."""

    def __init__(self, covariance: Covariance, wanted: Wanted) -> None:
        self.covariance, self.wanted, self.shape = covariance, wanted, (len(covariance.variances), wanted.n)
        self.runs = Runs(covariance, wanted)
        self.search = Search(self.runs)

    def components(self) -> tuple[Matrix, op.Result]:
        """Return X of shape (m, n), and the result that certifies it: of the penalised problem, or
        with ``n_nonzero`` of the variance on the support. Ctrl-C ends the search, and the best so
        far is returned.
        """
        with self.runs.deadline.listening():
            return self._components()

    def _components(self) -> tuple[Matrix, op.Result]:
        wanted, runs = self.wanted, self.runs
        if wanted.quota is not None:
            X = self.chosen(wanted.quota)
            result = runs.whole(runs.certified(X), cut=self.search.cut)
            _warn_of(result, None if wanted.penalty == "l21" else wanted.quota, X)
            return X, result
        if runs.diagonal or (wanted.alpha >= 1 and isinstance(wanted.penalty, str)):
            X = runs.coordinates()
            result = runs.certified(X)
        elif wanted.alpha == 0 and isinstance(wanted.penalty, str) and not wanted.nonnegative:
            result = runs.minimised(op.Problem(runs.smooth, Zero(), self.shape), runs.start("pca"))
            X = self._rotated(result.X)
        else:
            result = self._penalised(runs.start("rotated"))
            X = self._on_its_support(_sparse(result), refit=wanted.refit)
            if self._refits_wide and result.converged and not _is_orthonormal(X):  # the refit was refused
                polished = runs.minimised(runs.penalised(), result.X)
                result = polished if polished.converged else result  # there may be no time left
                X = _sparse(result)
            X = _orthonormal(X)
        result = runs.whole(result)
        _warn_of(result)
        return self._ordered(X), result

    def chosen(self, quota: Quota) -> Matrix:
        """Return X of shape (m, n) with the wanted number of nonzeros."""
        X = self.search.best(quota)
        X = X if self.wanted.nonnegative else _orthonormal(self._on_its_support(X, refit=True))
        return self._ordered(X, sort=quota.each is None)

    def _ordered(self, X: Matrix, *, sort: bool = True) -> Matrix:
        used = np.flatnonzero(np.any(X != 0, axis=1))
        variances = np.sum(X * self.covariance.apply(X), axis=0) if sort else None
        Y = np.zeros_like(X)
        Y[used] = ordered(X[used], variances, self.covariance.canonical(used))
        return Y

    @property
    def _refits_wide(self) -> bool:
        """Whether a refit of wide data follows, which finds the last digits: the run before it
        needs no polish.
        """
        return self.wanted.refit and self.shape[0] > WIDE

    def _penalised(self, start: Matrix | str) -> op.Result:
        wanted, runs = self.wanted, self.runs
        problem = runs.penalised()
        effort = {} if wanted.effort is None else {"effort": wanted.effort}
        polish = {"polish": False} if self._refits_wide else {}
        found = [runs.minimised(problem, start, **effort, **polish)]
        for _ in range(wanted.n_init - 1):
            if runs.deadline.interrupted:
                break
            found.append(runs.minimised(problem, runs.random(), **polish))
        return min(found, key=lambda result: result.projected_objective)

    def _on_its_support(self, X: Matrix, *, refit: bool) -> Matrix:
        """Return X orthonormal on its support, refitted if that is wanted; X itself if there is no
        such matrix near it.
        """
        used = np.any(X != 0, axis=1)
        if self.wanted.penalty == "l21" and refit and np.sum(used) >= self.wanted.n:
            return self.runs.on_rows(used)
        if np.count_nonzero(X) > LARGEST:
            return self._refitted_large(X) if refit else X
        C, deadline = self.covariance.rows(np.flatnonzero(used)), self.runs.deadline
        found = on_support(C, X[used], X[used] != 0, 50 if refit else 0, deadline)
        if found is None or (self.wanted.nonnegative and np.min(found[1]) < 0):
            return X
        Y = np.zeros_like(X)
        Y[used] = found[0].polished(found[1]) if refit and deadline.left() > 0 else found[1]
        return Y

    def _refitted_large(self, X: Matrix) -> Matrix:
        result = self.runs.certified(X, history=False)
        kept = not np.any((X == 0) & (result.X != 0)) and result.feasibility <= _ORTHONORMAL
        return np.asarray(result.X) if kept else X

    def _rotated(self, X: Matrix) -> Matrix:
        """Return the principal components in the span of X."""
        G = np.matmul(X.T, self.covariance.apply(X))
        rotated: Matrix = np.matmul(X, principal(G)[1])
        return rotated


def _is_orthonormal(X: Matrix) -> bool:
    return bool(op.metrics.feasibility(X) <= _ORTHONORMAL)


def _orthonormal(X: Matrix) -> Matrix:
    """Return X if it is orthonormal, or else, as after a run without an end, the nearest matrix
    that is.
    """
    return X if _is_orthonormal(X) else np.asarray(op.stiefel.polar(X))


def _warn_of(result: op.Result, quota: Quota | None = None, X: Matrix | None = None) -> None:
    """Warn of a run that did not end by its rule, and of another number of nonzeros."""
    messages = [] if result.converged else [result.message]
    if quota is not None and X is not None and not quota.met(X != 0):
        messages.append(f"n_nonzero is {quota.total}, but {np.count_nonzero(X)} nonzeros were found; ask for more or fewer.")
    for message in messages:
        warn(message)


def _sparse(result: op.Result) -> Matrix:
    """Return the point with exact zeros: the polished one, or the prox point of the certificate."""
    X = np.asarray(result.X)
    sparse = X if result.polished else np.asarray(result.certificate.point)
    return sparse if np.all(np.any(sparse != 0, axis=0)) else X
