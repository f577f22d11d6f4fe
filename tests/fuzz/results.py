"""The promises that a result keeps: its status is true, its point finite, its numbers are those of
the point.
"""

import json
from dataclasses import dataclass, field

import numpy as np

import orthoprox as op
from judge import judge, norm
from orthoprox.stopping import Status

ROUNDING = {"float64": 1e-9, "float32": 2e-4}


@dataclass
class Found:
    """Which promises are broken, and how many claims of convergence were checked."""

    broken: list[str] = field(default_factory=list)
    claims: int = 0

    def unless(self, kept, text):
        """Note a broken promise."""
        if not kept:
            self.broken.append(f"result: {text}")


@dataclass(frozen=True)
class ResultCheck:
    """Checks the result of ``minimize`` or ``solve``, or each of a ``path``."""

    recipe: object
    tol: float | None = None  # what CONVERGED stands for; None with a rule of the user's
    start: np.ndarray | None = None  # a point given as an array
    descends: bool = False  # the default method must not end above its start
    warns: bool = False  # minimize warns where it did not converge

    def __call__(self, value, warned=frozenset()):
        found = Found()
        results = value if isinstance(value, list) else [value]
        for k, result in enumerate(results):
            self._check(found, result, first=k == 0 and len(results) == 1)
        if self.warns:
            missed = any(result.status is not Status.CONVERGED for result in results)
            found.unless((op.ConvergenceWarning in warned) == missed, f"warned: {warned}, status {results[-1].status}")
        return found

    def _check(self, found, result, *, first):
        if not isinstance(result, op.Result):
            found.unless(False, f"a {type(result).__name__} was returned")
            return
        X, status, shape = np.asarray(result.X), result.status, self.recipe.shape
        found.unless(isinstance(status, Status), f"status is {status!r}")
        found.unless(X.shape == tuple(shape), f"X has shape {X.shape}, not {shape}")
        found.unless(X.dtype.name in ("float32", "float64"), f"X has dtype {X.dtype}")
        found.unless(bool(np.all(np.isfinite(X))), f"X is not finite, status {status.name}")
        unknown = status is not Status.CONVERGED and not self.recipe.honest  # f cannot be evaluated any more
        found.unless(unknown or not np.isnan(result.objective), f"the objective is NaN, status {status.name}")
        if found.broken:
            return
        slack = max(ROUNDING[X.dtype.name], ROUNDING[self.recipe.dtype])
        gap = np.linalg.norm(X.T.astype(float) @ X - np.eye(shape[1]))
        found.unless(abs(gap - result.feasibility) <= slack * (1 + gap), f"feasibility {result.feasibility}, in fact {gap}")
        json.dumps(result.to_dict(arrays=True), allow_nan=False)
        repr(result)
        if status is Status.CONVERGED and self.tol is not None:
            error = result.measurement.kkt_error
            found.unless(error <= self.tol, f"CONVERGED with a KKT error of {error:.3g}, above tol = {self.tol:g}")
        if self.recipe.honest:
            self._honest(found, result, X, slack, first=first)

    def _honest(self, found, result, X, slack, *, first):
        value, size = self._value(result.problem, X.astype(float))  # in which no f of an extreme size underflows
        same = result.objective == value or abs(result.objective - value) <= slack * size
        found.unless(same, f"the objective is {result.objective!r}, but f(X) = {value!r}")
        if self.descends and isinstance(result.solver, op.solvers.Adaptive) and first and self.start is not None:
            before, size = self._value(result.problem, np.asarray(self.start, dtype=float))
            rounding = 2e-6 if slack < 1e-6 else slack**0.5
            allowed = max(rounding, min(result.measurement.kkt_error, 1e-3)) * size
            worse = result.projected_objective > before + allowed and result.objective > before + allowed
            found.unless(not worse, f"f rose from {before!r} to {result.projected_objective!r}, status {result.status.name}")
        if result.status is Status.CONVERGED and self.tol is not None and self.recipe.plain is not None and first:
            start = None if self.start is None else np.asarray(self.start, dtype=float)
            verdict = judge(result, self.recipe.plain, self.tol, start=start, slack=slack)
            found.claims += 1
            for complaint in verdict.complaints:
                found.unless(False, f"judge: {complaint}")

    def _value(self, problem, X):
        """Return f(X) and the size of its parts."""
        ell, g = float(problem.smooth.value(X.copy())), float(problem.nonsmooth.value(X.copy()))
        size = norm(problem.grad(X.copy())) * X.shape[1] ** 0.5
        return ell + g, abs(ell) + (abs(g) if np.isfinite(g) else 0.0) + size
