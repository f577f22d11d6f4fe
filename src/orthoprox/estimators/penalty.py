"""Penalties by name, and the scale on which their weight lies in [0, 1]."""

import math
from typing import Any

import numpy as np

from orthoprox.nonsmooth.base import HasWeight, Nonsmooth
from orthoprox.nonsmooth.concave import MCP, SCAD
from orthoprox.nonsmooth.group import L21
from orthoprox.nonsmooth.indicator import Nonnegative
from orthoprox.nonsmooth.separable import L1
from orthoprox.problems.problem import Problem
from orthoprox.smooth.quadratic import Quadratic

Matrix = np.ndarray[Any, Any]
NAMES = "l1", "l21", "mcp", "scad"
FLAT = 0.3  # the size of entries from which the concave penalties are flat
_SCAD = 3.7  # the ratio of the two kinks of SCAD


def largest_weight(coupling: float, spread: float, penalty: str) -> float:
    """Return the weight mu_max from which coordinate vectors minimise -tr(X'CX) + mu |X|_1.

    With rho = max |C_ij| off the diagonal (``coupling``), l the largest eigenvalue of C without its
    diagonal (``spread``) and s = |x|_1, each column has x'(C - diag C)x <= min(rho (s^2 - 1), l).
    This is at most mu (s - 1) for all s if mu >= rho (1 + sqrt(1 + l / rho)), and the diagonal part
    is at most the sum of the n largest variances, which coordinate vectors attain. For "l21" rho is
    the largest row norm of the n largest entries; the concave penalties are flat beyond ``FLAT``,
    and take 1 / FLAT times as much.
    """
    mu = coupling * (1 + math.sqrt(1 + max(spread, 0.0) / coupling)) if coupling > 0 else 0.0
    return mu if penalty in ("l1", "l21") else mu / FLAT


def row_coupling(C: Matrix, n: int, penalty: str) -> float:
    """Return rho of a dense C."""
    return largest_row(np.abs(C - np.diag(C.diagonal())), n, penalty)


def largest_row(off: Matrix, n: int, penalty: str) -> float:
    """Return the largest entry of a nonnegative matrix, or for "l21" the largest norm of the n
    largest entries of a row.
    """
    if penalty != "l21":
        return float(np.max(off))
    largest = np.sort(off, axis=1)[:, -n:]
    return float(np.max(np.sqrt(np.sum(largest**2, axis=1))))


def problem_at(smooth: Any, shape: tuple[int, int], mu: float, penalty: Any, nonnegative: bool) -> Problem:
    """Return the problem  min l(X) + g(X)  with the penalty of weight mu, l = -tr(X'CX).

    With X >= 0 the l1 norm is the linear function sum(X), a part of l.
    """
    if isinstance(penalty, Nonsmooth):
        return Problem(smooth, penalty, shape)
    if nonnegative and smooth.hessian is None:
        raise ValueError(
            f"nonnegative=True needs the covariance matrix, which is not formed for {shape[0]} variables; choose fewer."
        )
    if nonnegative:
        slope = np.full(shape, mu)
        return Problem(Quadratic(smooth.hessian, slope), Nonnegative(), shape)
    if penalty == "scad":  # of slope mu up to FLAT / a: in units of that slope
        kink = FLAT / _SCAD
        return Problem(smooth.times(kink / mu), SCAD(kink, _SCAD), shape)
    if penalty == "mcp":
        return Problem(smooth, MCP(mu, FLAT / mu), shape)
    return Problem(smooth, L21(mu) if penalty == "l21" else L1(mu), shape)


def weighted(penalty: Any, factor: float) -> Any:
    """Return a term of the user's own with its weight times a factor."""
    if not isinstance(penalty, HasWeight) or not hasattr(penalty, "mu"):
        raise TypeError(
            f"{type(penalty).__name__} has no weight to change; n_nonzero needs penalty='l1', 'l21', 'mcp', 'scad', "
            "or a term with mu and weighted."
        )
    return penalty.weighted(factor * penalty.mu)
