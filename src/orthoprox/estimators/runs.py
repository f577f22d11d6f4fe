"""Runs of ``minimize`` on one covariance, from starts that the data determine, in given time."""

import math
import warnings
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox.estimators.covariance import LARGE, Covariance
from orthoprox.estimators.penalty import largest_weight, problem_at
from orthoprox.estimators.starts import coordinates, principal, rotated
from orthoprox.estimators.wanted import Wanted
from orthoprox.nonsmooth.indicator import Box
from orthoprox.problems.work import Work
from orthoprox.stopping.clock import Deadline
from orthoprox.stopping.parts import Part, united

Matrix = np.ndarray[Any, Any]
_CHECK = 20  # iterations of a run from a point that is refitted


class Runs:
    """What all fits of one covariance share: the scale of the penalty, the deadline, and the work
    that is done so far.
    """

    def __init__(self, covariance: Covariance, wanted: Wanted, deadline: Deadline | None = None) -> None:
        self.covariance, self.wanted = covariance, wanted
        self.m, self.shape = len(covariance.variances), (len(covariance.variances), wanted.n)
        name = wanted.penalty if isinstance(wanted.penalty, str) else "l1"
        self.deadline = Deadline(wanted.options.get("max_seconds")) if deadline is None else deadline
        coupling, spread = covariance.couplings(wanted.n, name, self.deadline)
        self.diagonal = covariance.is_diagonal(coupling)
        self.mu_max = largest_weight(coupling, spread, name) / covariance.unit
        self.smooth = covariance.smooth()
        self.began, self._work = perf_counter(), Work()

    def penalised(self) -> op.Problem:
        """Return the problem with the penalty of weight alpha mu_max."""
        wanted = self.wanted
        return problem_at(self.smooth, self.shape, wanted.alpha * self.mu_max, wanted.penalty, wanted.nonnegative)

    def minimised(self, problem: op.Problem, start: Matrix | str, **options: Any) -> op.Result:
        """Return the result of a run with the options that are wanted, and those given here."""
        left = {} if self.deadline.budget == math.inf else {"max_seconds": max(self.deadline.left(), 1e-3)}
        seed = int(self.wanted.rng.integers(2**31)) if isinstance(start, str) else 0
        project = {} if isinstance(start, str) else {"project": True}
        with warnings.catch_warnings():  # whoever takes the result warns
            warnings.simplefilter("ignore", op.ConvergenceWarning)
            result = op.minimize(problem, start, **{**self.wanted.options, "seed": seed, **project, **options, **left})
        self._work.add(result.work)
        return result

    def on(self, covariance: Covariance, chosen: Matrix) -> "Runs":
        """Return runs on the covariance of some of the variables, in this order, which share the
        deadline and the work.
        """
        start = self.wanted.start if isinstance(self.wanted.start, str) else np.asarray(self.wanted.start)[chosen]
        part = Runs(covariance, replace(self.wanted, start=start), self.deadline)
        part._work = self._work
        return part

    def certified(self, X: Matrix, **options: Any) -> op.Result:
        """Return the result of the variance on the support of X, from X; options as above."""
        mask = 2.0 * (X != 0)
        lower = 0.0 * mask if self.wanted.nonnegative else -mask
        problem = op.Problem(self.smooth, Box(lower, mask), self.shape)
        most = self.wanted.options.get("max_iterations")
        if most is None or most > _CHECK:  # X is a maximum as a rule, which the polish finds at once
            result = self.minimised(problem, X, max_iterations=_CHECK, **options)
            if result.converged:
                return result
        return self.minimised(problem, X, **options)

    def whole(self, result: op.Result, *, cut: bool = False) -> op.Result:
        """Return a result with the work and the time of all runs so far: what came before it is
        booked to the start. ``cut`` tells that the time was over, or Ctrl-C was pressed, before the
        search was done.
        """
        seconds = max(perf_counter() - self.began - result.seconds, 0.0)
        before = Part("start", seconds, self._work.gradients - result.work.gradients, math.nan)
        phases, took = united(result.phases, [before]), result.seconds + seconds
        if cut:
            result = replace(result, status=self.deadline.status, message=self.deadline.status.value)
        return replace(result, work=replace(self._work), phases=phases, seconds=took)

    def start(self, auto: str) -> Matrix | str:
        """Return the start that is wanted; ``auto`` is the one that "auto" stands for."""
        start, n = self.wanted.start, self.wanted.n
        if not isinstance(start, str):
            return np.asarray(start)
        if start == "auto":
            start = "coordinates" if self.wanted.nonnegative else auto if self.m <= LARGE else "pca"
        if start == "rotated":
            return self.mapped(lambda C: rotated(C, n, n))
        if start == "pca" and self.m <= LARGE:
            return self.mapped(lambda C: principal(C)[1][:, :n])
        if start == "coordinates":
            return self.coordinates()
        return self.random() if start == "random" else start

    def random(self) -> Matrix:
        """Return a random start."""
        Q = np.linalg.qr(self.wanted.rng.standard_normal(self.shape))[0]
        return Q if self.m > LARGE else self.mapped(lambda C: Q)

    def coordinates(self) -> Matrix:
        """Return the coordinate vectors of the largest variances."""
        return coordinates(self.covariance.order(self.wanted.n), self.shape)

    def mapped(self, point: Any) -> Matrix:
        """Return a point that is found in the canonical order of the variables."""
        order = self.covariance.canonical(np.arange(self.m))
        X = np.zeros(self.shape)
        X[order] = point(self.covariance.rows(order) / self.covariance.unit)
        return X

    def on_rows(self, used: Matrix) -> Matrix:
        """Return the principal components of some variables."""
        X = np.zeros(self.shape)
        X[used] = self.covariance.leading(self.wanted.n, np.flatnonzero(used))[1]
        return X
