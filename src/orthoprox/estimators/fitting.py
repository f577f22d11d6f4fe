"""From a covariance to sparse orthonormal components and the certified result behind them."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.estimators.candidates import DENSE, LARGEST, Candidates
from orthoprox.estimators.covariance import Covariance
from orthoprox.estimators.explained import arranged, ordered
from orthoprox.estimators.penalty import largest_weight, problem_at, weighted
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.selection import best_rows
from orthoprox.estimators.starts import canonical, principal, rotated
from orthoprox.estimators.support import on_support
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.nonsmooth.indicator import Box
from orthoprox.nonsmooth.separable import Zero
from orthoprox.stopping.clock import Deadline

Matrix = np.ndarray[Any, Any]
_SHORT, _LONG = np.geomspace(0.02, 0.3, 6), np.geomspace(0.01, 0.6, 10)  # alphas of the path, beside dense starts or alone
_ROUGH = {"tol": 1e-3, "polish": False, "history": False}  # its runs
_DIGITS = 10  # of C in the search for nonzeros: what rounding changes in the data changes no choice
_ORTHONORMAL = 1e-12  # |X'X - I| that may be rounding


@dataclass(frozen=True)
class Wanted:
    """What is wanted of the components."""

    n: int
    alpha: float = 0.1
    quota: Quota | None = None
    penalty: Any = "l1"
    nonnegative: bool = False
    refit: bool = True
    criterion: str = "variance"
    start: Any = "auto"  # "auto", the name of a start, or a point
    n_init: int = 1
    effort: str | None = None  # of minimize, for the penalised problem
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    options: dict[str, Any] = field(default_factory=dict)  # of minimize


class Fitting:
    """The fits of one covariance: candidates and the scale of the penalty are found once."""

    def __init__(self, covariance: Covariance, wanted: Wanted) -> None:
        self.covariance, self.wanted = covariance, wanted
        self.m, self.shape = len(covariance.variances), (len(covariance.variances), wanted.n)
        name = wanted.penalty if isinstance(wanted.penalty, str) else "l1"
        self.deadline = Deadline(wanted.options.get("max_seconds"))
        coupling, spread = covariance.couplings(wanted.n, name, self.deadline)
        self.diagonal = covariance.is_diagonal(coupling)
        self.mu_max = largest_weight(coupling, spread, name) / covariance.unit
        self.smooth = covariance.smooth()
        self.candidates: Candidates | None = None
        self._chosen = np.arange(0)  # the variables of the candidates

    def chosen(self) -> Matrix:
        """Return X of shape (m, n) with the wanted number of nonzeros."""
        return self._ordered(self._with_quota(self.wanted.quota or Quota(self.m * self.wanted.n)))

    def principal_variance(self) -> float:
        """Return what n principal components explain."""
        values = np.linalg.eigvalsh(self._dense())
        return float(np.sum(values[-self.wanted.n :]))

    def components(self) -> tuple[Matrix, op.Result]:
        """Return X of shape (m, n), and the result that certifies it: of the penalised problem, or
        with ``n_nonzero`` of the variance on the support.
        """
        wanted = self.wanted
        if wanted.quota is not None:
            X = self.chosen()
            return X, self._certified(X)
        if self.diagonal or (wanted.alpha >= 1 and isinstance(wanted.penalty, str)):
            X = self._coordinates()
            result = self._certified(X)
        elif wanted.alpha == 0 and isinstance(wanted.penalty, str) and not wanted.nonnegative:
            result = self._minimised(op.Problem(self.smooth, Zero(), self.shape), self._start("pca"))
            X = self._rotated(result.X)
        else:
            result = self._penalised(self._start("rotated"))
            X = self._refitted(_sparse(result), refit=wanted.refit)
        return self._ordered(X), result

    def _ordered(self, X: Matrix) -> Matrix:
        sort = self.wanted.quota is None or self.wanted.quota.each is None
        used = np.any(X != 0, axis=1)
        if np.sum(used) > 2 * LARGEST:  # too many for a matrix: in the order in which they come
            return arranged(np.sum(X * self.covariance.apply(X), axis=0), np.arange(self.m), X, sort=sort)
        ordered_rows = ordered(self.covariance.rows(used), X[used], sort=sort)
        Y = np.zeros_like(X)
        Y[used] = ordered_rows
        return Y

    # One penalised problem.

    def _penalised(self, start: Matrix | str) -> op.Result:
        wanted = self.wanted
        mu = wanted.alpha * self.mu_max
        problem = problem_at(self.smooth, self.shape, mu, wanted.penalty, wanted.nonnegative)
        effort = {} if wanted.effort is None else {"effort": wanted.effort}
        found = [self._minimised(problem, start, **effort)]
        for _ in range(wanted.n_init - 1):
            found.append(self._minimised(problem, self._random()))
        return min(found, key=lambda result: result.projected_objective)

    def _minimised(self, problem: op.Problem, start: Matrix | str, **options: Any) -> op.Result:
        left = {} if self.wanted.options.get("max_seconds") is None else {"max_seconds": max(self.deadline.left(), 1e-3)}
        seed = int(self.wanted.rng.integers(2**31)) if isinstance(start, str) else 0
        project = {} if isinstance(start, str) else {"project": True}
        return op.minimize(problem, start, **{**self.wanted.options, "seed": seed, **project, **options, **left})

    def _certified(self, X: Matrix) -> op.Result:
        """Return the result of the variance on the support of X, from X."""
        mask = 2.0 * (X != 0)
        return self._minimised(op.Problem(self.smooth, Box(-mask, mask), self.shape), X)

    def _refitted(self, X: Matrix, *, refit: bool) -> Matrix:
        """Return X refitted on its support if that is wanted, orthonormal in any case: if nothing
        else is, as after a run without an end, the nearest orthonormal matrix.
        """
        Y = self._on_its_support(X, refit=refit)
        return Y if op.metrics.feasibility(Y) <= _ORTHONORMAL else np.asarray(op.stiefel.polar(Y))

    def _on_its_support(self, X: Matrix, *, refit: bool) -> Matrix:
        if self.wanted.penalty == "l21" and refit:
            used = np.any(X != 0, axis=1)
            if np.sum(used) >= self.wanted.n:
                return self._on_rows(used)
        used = np.any(X != 0, axis=1)
        if np.count_nonzero(X) > LARGEST:
            return self._refitted_large(X) if refit else X
        found = on_support(self.covariance.rows(used), X[used], X[used] != 0, 50 if refit else 0)
        if found is None or (self.wanted.nonnegative and np.min(found[1]) < 0):
            return X
        Y = np.zeros_like(X)
        Y[used] = found[0].polished(found[1]) if refit else found[1]
        return Y

    def _refitted_large(self, X: Matrix) -> Matrix:
        result = self._certified(X)
        kept = not np.any((X == 0) & (result.X != 0)) and result.feasibility <= 1e-12
        return np.asarray(result.X) if kept else X

    # A wanted number of nonzeros.

    def _with_quota(self, quota: Quota) -> Matrix:
        if self.wanted.penalty == "l21":
            return self._on_rows(best_rows(self._dense(), self.wanted.n, quota.total // self.wanted.n, self.wanted.criterion))
        if self.candidates is None:
            self.candidates = self._candidates()
        dense = self.wanted.penalty == "l1" and not self.wanted.nonnegative
        found = self.candidates.best(quota, self.wanted.criterion, dense=dense)
        if found is None:
            raise ValueError(f"No orthonormal components with {quota.total} nonzeros were found; ask for more or fewer.")
        X = np.zeros(self.shape)
        X[self._chosen] = found
        return self._refitted(X, refit=True)

    def _candidates(self) -> Candidates:
        points = None
        if self.m > 2 * LARGEST:  # too many for a matrix: those that the path makes nonzero
            points = self._path()
            self._chosen = np.flatnonzero(np.any([np.any(X != 0, axis=1) for X in points[2:]], axis=0))
        else:
            self._chosen = np.arange(self.m)
        C = self.covariance.rows(self._chosen) / self.covariance.unit
        self._chosen = self._chosen[canonical(C)]
        C = np.round(self.covariance.rows(self._chosen) / self.covariance.unit, _DIGITS)

        def path() -> list[Matrix]:
            return [X[self._chosen] for X in (self._path() if points is None else points)]

        return Candidates(C, self.wanted.n, path, self.wanted.rng, self.wanted.n_init)

    def _path(self) -> list[Matrix]:
        """Return the sparse points along the path, each from the one before, upwards in alpha."""
        wanted, point, points = self.wanted, self._start("pca"), []
        smooth = wanted.penalty not in ("l1", "l21") or wanted.nonnegative  # a prox without derivative
        fine = self.m * wanted.n > DENSE or wanted.criterion == "adjusted" or smooth
        steps = 8 if not fine else 30 if not smooth else 100
        options = _ROUGH | {"method": None if smooth else "almssn", "max_iterations": steps}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", op.ConvergenceWarning)
            for alpha in _LONG if fine else _SHORT:
                own = isinstance(wanted.penalty, Nonsmooth)
                penalty = weighted(wanted.penalty, alpha / _LONG[-1]) if own else wanted.penalty
                problem = problem_at(self.smooth, self.shape, alpha * self.mu_max, penalty, wanted.nonnegative)
                result = self._minimised(problem, point, **options)
                sparse = np.asarray(result.certificate.point)
                if not np.all(np.any(sparse != 0, axis=0)):
                    break
                point = np.asarray(result.X)
                points.append(sparse)
        return points

    # Starts, in the order of the variables as they come.

    def _start(self, auto: str) -> Matrix | str:
        """Return the start that is wanted; ``auto`` is the one that "auto" stands for."""
        start, n = self.wanted.start, self.wanted.n
        if not isinstance(start, str):
            return np.asarray(start)
        if start == "auto":
            start = "coordinates" if self.wanted.nonnegative else auto if self.m <= 2 * LARGEST else "pca"
        if start == "rotated":
            return self._mapped(lambda C: rotated(C, n, n))
        if start == "pca" and self.m <= 2 * LARGEST:
            return self._mapped(lambda C: principal(C)[1][:, :n])
        if start == "coordinates":
            return self._coordinates()
        return self._random() if start == "random" else start

    def _random(self) -> Matrix:
        Q = np.linalg.qr(self.wanted.rng.standard_normal(self.shape))[0]
        if self.m > 2 * LARGEST:
            return Q
        return self._mapped(lambda C: Q)

    def _mapped(self, point: Any) -> Matrix:
        """Return a point that is found in the canonical order of the variables."""
        C = self._dense() / self.covariance.unit
        order = canonical(C)
        X = np.zeros(self.shape)
        X[order] = point(C[np.ix_(order, order)])
        return X

    def _coordinates(self) -> Matrix:
        order = np.argsort(-np.round(self.covariance.variances / self.covariance.unit, 12), kind="stable")[: self.wanted.n]
        X = np.zeros(self.shape)
        X[order, np.arange(self.wanted.n)] = 1.0
        return X

    def _dense(self) -> Matrix:
        return self.covariance.rows(np.arange(self.m))

    def _on_rows(self, used: Matrix) -> Matrix:
        X = np.zeros(self.shape)
        X[used] = principal(self.covariance.rows(used))[1][:, : self.wanted.n]
        return X

    def _rotated(self, X: Matrix) -> Matrix:
        """Return the principal components in the span of X."""
        G = np.matmul(X.T, self.covariance.apply(X))
        rotated: Matrix = np.matmul(X, principal(G)[1])
        return rotated


def _sparse(result: op.Result) -> Matrix:
    """Return the point with exact zeros: the polished one, or the prox point of the certificate."""
    X = np.asarray(result.X)
    sparse = X if result.polished else np.asarray(result.certificate.point)
    return sparse if np.all(np.any(sparse != 0, axis=0)) else X
