r"""An independent judge of claims of convergence.

A certificate claims bounds of

    dist(P) = min |grad l(P) + s + 2PY|_F   over symmetric Y and s in dg(P).

This module computes dist(P) by other means: bounded linear least squares (``scipy``'s
``lsq_linear``) where dg(P) is a box, and a cone problem where it is a product of balls. What dg is,
and the gradient, are written down here once more: nothing but numbers comes from the library.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

LARGEST = 1e4  # multiplier, in units of the gradient, that rounding does not spoil
FLOOR = 1e-3  # the gradient counts as no smaller than this share of its size at the start


# --- Subdifferentials ---


@dataclass(frozen=True)
class Box:
    """The s with lower <= s <= upper."""

    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True)
class Balls:
    """In each row, one number s = centre, or the ball |s| <= radius where the row of P is 0."""

    centre: np.ndarray
    radius: np.ndarray  # 0 in the rows that are not 0


def zero(P):
    return Box(0 * P, 0 * P)


def l1(P, mu, bound=np.inf):
    mu = np.broadcast_to(mu, P.shape)
    lower, upper = np.where(P == 0, -mu, np.sign(P) * mu), np.where(P == 0, mu, np.sign(P) * mu)
    return Box(np.where(P == -bound, -np.inf, lower), np.where(P == bound, np.inf, upper))


def mcp(P, mu, gamma=3.0):
    return _folded(P, mu, np.where(np.abs(P) <= gamma * mu, mu - np.abs(P) / gamma, 0.0))


def scad(P, mu, a=3.7):
    middle = np.where(np.abs(P) <= a * mu, (a * mu - np.abs(P)) / (a - 1), 0.0)
    return _folded(P, mu, np.where(np.abs(P) <= mu, mu, middle))


def _folded(P, mu, slope):
    return Box(np.where(P == 0, -mu, np.sign(P) * slope), np.where(P == 0, mu, np.sign(P) * slope))


def box(P, lower, upper):
    lower, upper = np.broadcast_to(lower, P.shape), np.broadcast_to(upper, P.shape)
    return Box(np.where(P == lower, -np.inf, 0.0), np.where(P == upper, np.inf, 0.0))


def nonnegative(P):
    return box(P, 0.0, np.inf)


def l21(P, mu):
    norms = np.linalg.norm(P, axis=1, keepdims=True)
    return Balls(np.where(norms > 0, mu * P / np.where(norms > 0, norms, 1.0), 0.0), np.where(norms > 0, 0.0, mu))


def ridge(P):
    return Box(P, P)


# --- The distance ---


def distance(C, P, dg) -> float:
    """Return min |C + s + 2PY| over symmetric Y and s in dg."""
    C, P = np.asarray(C, dtype=float), np.asarray(P, dtype=float)
    parts = [np.abs(part[np.isfinite(part)]).max(initial=0.0) for part in (C, *vars(dg).values())]
    size = 2.0 ** np.floor(np.log2(max(parts))) if max(parts) > 0 else 1.0  # so that no square overflows
    dg = type(dg)(*(part / size for part in vars(dg).values()))
    exact = _to_balls(C / size, P, dg) if isinstance(dg, Balls) else _to_box(C / size, P, dg)
    return float(size * exact)


def _symmetric(P):
    """Return the matrix of Y -> 2PY, from the entries of Y on and above its diagonal."""
    n = P.shape[1]
    columns = []
    for i in range(n):
        for j in range(i, n):
            Y = np.zeros((n, n))
            Y[i, j] = Y[j, i] = 1
            columns.append((2 * P @ Y).ravel())
    return np.array(columns).T


def _to_box(C, P, dg):
    """Solve the bounded least squares problem in Y and in those s that are not one number."""
    lower, upper = dg.lower.ravel(), dg.upper.ravel()
    free = lower < upper
    fixed = C.ravel() + np.where(free, 0.0, np.where(np.isfinite(lower), lower, 0.0))
    N = _symmetric(P)
    M = np.hstack([N, np.eye(len(fixed))[:, free]])
    unbounded = np.full(N.shape[1], np.inf)
    bounds = np.concatenate([-unbounded, lower[free]]), np.concatenate([unbounded, upper[free]])
    with np.errstate(invalid="ignore"):  # "trf" multiplies infinities by 0 on some processors; what is NaN is no start
        found = [lsq_linear(M, -fixed, bounds=bounds, method=method, tol=1e-15, max_iter=1000).x for method in ("bvls", "trf")]
    starts = [x[: N.shape[1]] for x in found if np.abs(x).max(initial=0.0) <= LARGEST]
    return min(_refined(N, C.ravel(), lower, upper, y) for y in [*starts, np.zeros(N.shape[1])])


def _refined(N, c, lower, upper, y):
    """Return the least |c + s + Ny| near y.

    ``lsq_linear`` may stop early, or far away, where its matrix is nearly singular. With the best s
    for each y the problem is convex in y, and a Newton step is a least squares problem in the
    entries that s cannot cancel.
    """

    def residual(y):
        w = c + N @ y
        return w + np.clip(-w, lower, upper)

    R = residual(y)
    for _ in range(200):
        left = R != 0
        step = np.linalg.lstsq(N[left], -R[left], rcond=1e-12)[0]
        lengths = 0.5 ** np.arange(40)
        better = next((y + t * step for t in lengths if np.linalg.norm(residual(y + t * step)) < np.linalg.norm(R)), None)
        if better is None:
            break
        y, R = better, residual(better)
    return np.linalg.norm(R)


def _to_balls(C, P, dg):
    """Solve the cone problem. A row of P that is 0 has no part in 2PY, so that it is done by
    itself; least squares do the others.
    """
    zero_rows = dg.radius[:, 0] > 0
    shrunk = np.maximum(np.linalg.norm(C[zero_rows], axis=1) - dg.radius[zero_rows, 0], 0.0)
    W, Q = (C + dg.centre)[~zero_rows], P[~zero_rows]
    M, w = _symmetric(Q), W.ravel()
    rest = M @ np.linalg.lstsq(M, -w, rcond=None)[0] + w if len(w) else w
    return np.hypot(np.linalg.norm(shrunk), np.linalg.norm(rest))


def norm(M) -> float:
    """Return |M|_F without squares that overflow or vanish."""
    size = np.abs(M).max(initial=0.0)
    return float(size * np.linalg.norm(M / size)) if 0 < size < np.inf else float(size)


# --- The claim ---


@dataclass(frozen=True)
class Plain:
    """A problem without the library: two functions of arrays."""

    grad: Any  # X -> grad l(X)
    subdifferential: Any  # P -> Box or Balls
    steepest: float  # a bound of |grad l(X)| over the manifold


@dataclass(frozen=True)
class Verdict:
    """What the judge found about a result."""

    exact: float  # dist(P)
    relative: float  # over the scale of the gradient
    rounding: float  # the error that dist(P) may have
    complaints: tuple[str, ...]


def judge(result, plain, tol, *, start=None, slack=1e-11) -> Verdict:
    """Judge a result that says it converged to ``tol``.

    ``slack`` is what rounding may add, relative to the gradient; without a start, the scale of the
    gradient is the largest that a start can have.
    """
    X, proof = np.asarray(result.X, dtype=float), result.certificate
    P = np.asarray(proof.point, dtype=float)
    C, dg = plain.grad(P), plain.subdifferential(P)
    exact, n = distance(C, P, dg), X.shape[1]
    scale = max(norm(plain.grad(X)), FLOOR * (plain.steepest if start is None else norm(plain.grad(start))))
    scale = scale or float(proof.subgradient)
    rounding = slack * (scale + norm(C) + float(proof.subgradient))
    relative = exact / scale if exact > 0 else 0.0
    measured = {
        "|P'P - I|": np.linalg.norm(P.T @ P - np.eye(n)),
        "|X'X - I|": np.linalg.norm(X.T @ X - np.eye(n)),
        "|P - X| / sqrt(n)": np.linalg.norm(P - X) / n**0.5,
    }
    complaints = [f"{name} = {value:.3g} > tol = {tol:g}" for name, value in measured.items() if not value <= tol + slack]
    if not exact <= (tol + slack) * scale + rounding:
        complaints.append(f"the relative distance to stationarity is {relative:.3g} > tol = {tol:g}")
    if not proof.lower <= exact + rounding:
        complaints.append(f"the lower bound {proof.lower:.6g} is above the distance {exact:.6g}")
    if not exact <= proof.upper + rounding:
        complaints.append(f"the upper bound {proof.upper:.6g} is below the distance {exact:.6g}")
    return Verdict(exact, relative, rounding, tuple(complaints))
