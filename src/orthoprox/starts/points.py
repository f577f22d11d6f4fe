"""Points to start from: random ones, principal components and their rotations, coordinate vectors,
and the neighbours of a minimiser.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array, from_numpy, namespace, norm, to_numpy
from orthoprox._linalg.krylov import conjugate_gradients
from orthoprox._linalg.packed import Orthogonality
from orthoprox._linalg.spectrum import lowest
from orthoprox._linalg.stiefel import polar, tangent
from orthoprox.nonsmooth.separable import L1, Separable
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.smooth.curvature import hessian, hessian_matrix
from orthoprox.smooth.quadratic import Quadratic
from orthoprox.starts.power import power


class Canonical(np.random.Generator):
    """A generator whose Gaussian matrices have their rows in an order that the problem tells: if
    the features of the data are permuted, the rows are permuted with them.

    The order is that of the gradient of l at a matrix of ones, for a variance of the sums of the
    rows of A'A.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the numbers come from.
    problem : Problem
        The gradient is evaluated once.
    """

    def __init__(self, rng: np.random.Generator, problem: Problem) -> None:
        super().__init__(rng.bit_generator)
        key = to_numpy(problem.grad(like_data(problem, np.ones(problem.shape))))[:, 0]
        self._order = np.argsort(key, kind="stable")

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return Gaussian numbers; those of a matrix with as many rows as X are in its order."""
        Z = super().standard_normal(size, dtype, out)
        if np.shape(Z)[:1] != self._order.shape:
            return Z
        rows = np.empty_like(Z)
        rows[self._order] = Z
        return rows


def random(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a uniformly distributed point of the manifold."""
    return like_data(problem, polar(rng.standard_normal(problem.shape)))


def random_direction(problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix whose columns have length 1 on average."""
    return like_data(problem, rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5)


def like_data(problem: Problem, X: np.ndarray) -> Array:
    """Return X in the library and the precision of the problem's data."""
    like = getattr(problem.smooth, "data", None)  # of a term that HasData
    return X if like is None else from_numpy(X, like=like)


def pca(problem: Problem, rng: np.random.Generator) -> Array:
    """Return an approximate minimiser of l alone, perturbed a little at random; for a variance,
    principal components.
    """
    X = power(problem, random(problem, rng))
    return polar(X + SETTINGS.jitters[0] * random_direction(problem, rng))


def rotated(problem: Problem, rng: np.random.Generator) -> Array:
    """Return principal components, rotated by the best R that a continuation finds."""
    return min(rotations(problem, rng, SMALL.stack // 2), key=lambda X: float(problem.value(X)))


def rotations(problem: Problem, rng: np.random.Generator, number: int) -> Iterator[Array]:
    """Yield principal components V, and VR for some minimisers R of the smoothed g(VR): from R = I
    and from random R, if the terms take stacks of matrices. Under a weak penalty these are the
    lowest of four times as many: after each width of the smoothing the higher half goes.

    For a variance l(VR) = l(V) for every rotation R. Under a weak penalty, the rotation is nearly
    the whole problem: min g(VR) over R'R = I.

    With e the Moreau envelope of g for nu and V'V = I, a gradient step of length nu on e(VR) and
    the way back to the manifold are  R+ = polar(V' prox_{nu g}(VR)).
    """
    k, (m, n) = SETTINGS, problem.shape
    V, coordinate_point = _subspace(problem, rng), like_data(problem, np.eye(m, n))
    yield V
    D, stacks = problem.grad(V), problem.takes_stacks(V)
    smoothing = [problem.smoothing(coordinate_point, D, width) for width in (*k.widths, k.widths[-1] ** 2)]
    slope = (V - problem.prox(V, smoothing[-1])) / smoothing[-1]
    many = SMALL.few if float(norm(slope)) <= SMALL.weak * float(norm(D)) else 1
    R = np.stack([np.eye(n), *(polar(rng.standard_normal((n, n))) for _ in range(many * number - 1))])
    R = from_numpy(R if stacks else R[0], like=V)
    for nu in smoothing:
        for _ in range(k.power):
            R = polar(V.mT @ problem.prox(V @ R, nu))
        if stacks and len(R) > number:
            values = to_numpy(problem.nonsmooth.value(V @ R))
            R = R[np.argsort(values, kind="stable")[: max(len(R) // 2, number)]]
    yield from V @ R if stacks else [V @ R]


def _subspace(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the minimiser of l alone, accurate where eigenvectors are cheap."""
    H, n = hessian_matrix(problem.smooth), problem.shape[1]
    if H is not None and H.shape[-1] <= SMALL.decomposed:
        return from_numpy(_signed(to_numpy(namespace(H).linalg.eigh(H)[1])[:, :n]), like=H)
    ell: Any = uncounted(problem)[0]
    if type(ell) is Quadratic and ell.B is None and sp.issparse(ell.A) and n < problem.shape[0] - 1:
        with suppress(RuntimeError):  # no convergence, or a singular factor
            return _signed(lowest(sp.csc_array(ell.A), n, rng.standard_normal(problem.shape[0])))
    return power(problem, random(problem, rng))


def _signed(V: np.ndarray) -> np.ndarray:
    """Return the columns with a positive largest entry, whatever the order of the rows."""
    return np.asarray(V * np.sign(np.take_along_axis(V, np.argmax(np.abs(V), axis=0)[None], axis=0)))


def coordinates(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the n coordinate vectors that a pivoted Cholesky factorisation of -C takes first.

    C = [grad l(e_1) - grad l(0), ...] is the curvature of l between 0 and the coordinate vectors;
    one gradient gives n of its columns. For a variance, these are the first pivots of a QR
    factorisation of the data.
    """
    m, n = problem.shape
    C = _curvature(problem)
    C = (C + C.T) / 2
    pivots = _pivots(_highest(C) * np.eye(m) - C, n)
    X = np.zeros((m, n))
    X[pivots, np.arange(n)] = 1
    return like_data(problem, X)


def steepest(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the n coordinate vectors along which l curves down most: for a variance, the variables
    of largest variance. Under a strong penalty nothing is lower.
    """
    m, n = problem.shape
    lowest = np.argsort(np.diag(_curvature(problem)), kind="stable")[:n]
    X = np.zeros((m, n))
    X[lowest, np.arange(n)] = 1
    return like_data(problem, X)


def affordable_coordinates(problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return the start from coordinate vectors, or none if it takes too many gradients or l is not
    finite there.
    """
    m, n = problem.shape
    try:
        return [coordinates(problem, rng)] if m <= SETTINGS.probe * n else []
    except (ArithmeticError, ValueError):
        return []


def neighbours(problem: Problem, X: Array, rng: np.random.Generator, number: int, *, fresh: bool) -> list[Array]:
    """Return points of the manifold that are X but for one column, chosen at random: a random one
    in turn with a coordinate vector. If X is ``fresh``, up to half of them have a column that has
    grown instead, see :func:`grown`.

    The coordinate is one of those where the gradient of l along the manifold is long: what X leaves
    unexplained.
    """
    n, D = problem.shape[1], problem.grad(X)
    points = grown(problem, X, rng.permutation(n)[: number // 2]) if fresh else []
    steep = np.linalg.norm(to_numpy(tangent(X, D)), axis=1)
    for i in range(len(points), number):
        Z, j = np.array(to_numpy(X)), int(rng.integers(n))
        noise = rng.standard_normal(problem.shape) / problem.shape[0] ** 0.5
        if i % 2:
            row = int(np.argmax(np.log(steep + np.mean(steep)) + len(steep) ** 0.5 * noise[:, j]))
            Z = Z + SMALL.jitter * noise
            Z[:, j] = 0
            Z[row, j] = 1
        else:
            Z[:, j] = noise[:, j]
        points.append(Z)
    return list(polar(from_numpy(np.stack(points), like=X)))


def grown(problem: Problem, X: Array, columns: Array) -> list[Array]:
    """Return X with another column in place of one, for each of some columns, if g is the sum of a
    function of them: the lowest of the columns that grow from single variables in the rows which
    the others leave free.

    They grow by x+ = w / |w|, w = prox_{tg}(-grad l(x)), the generalised power method (Journee,
    Nesterov, Richtarik and Sepulchre 2010), with a weight t of g that rises from a half to 1: at
    its full weight a single variable may be a minimum of its own.
    """
    (m, n), number, g = problem.shape, len(columns), problem.nonsmooth
    if not isinstance(g, L1) or np.shape(g.mu)[-1:] not in ((), (1,)):
        return []
    others = np.sum(X**2, axis=1) - X.T[columns] ** 2
    free = (others <= SETTINGS.jitters[0] ** 2)[:, None, :, None]
    P = free * np.eye(-(-m // n) * n, m).reshape(-1, n, m).mT  # for each column all variables, as matrices like X
    for t in (*np.linspace(0.5, 1, SMALL.few), 0.0):
        D = problem.grad(P.reshape(-1, m, n)).reshape(P.shape)
        if t:
            W = free * problem.prox(-D.reshape(-1, m, n), t).reshape(P.shape)
            length = np.linalg.norm(W, axis=2, keepdims=True)
            P = np.where(length > 0, W / np.where(length > 0, length, 1.0), P)
    V = P.mT.reshape(number, -1, m)
    f = (np.sum(P * D, axis=2) / 2).reshape(number, -1) + g.value(V.reshape(-1, m, 1)).reshape(number, -1)
    other = np.abs(np.einsum("jki,ij->jk", V, X[:, columns])) <= 0.5  # than the column that is there
    best = np.argmin(np.where(other & np.any(V, axis=2), f, np.inf), axis=1)
    points = [X.copy() for _ in columns]
    for Z, j, x in zip(points, columns, V[np.arange(number), best], strict=True):
        Z[:, j] = x if np.any(x) else X[:, j]
    return points


def shifted(problem: Problem, X: Array, Y: Array, rng: np.random.Generator, lengths: Sequence[float]) -> list[Array]:
    """Return points of the manifold away from a minimiser X, in directions in which f hardly rises,
    if there are any. Y is the multiplier, and columns of X move by about one of the ``lengths``.

    A direction is v with PHPv = r, r random. H is the Hessian of the Lagrangian in the entries that
    are on no kink of g, and P the projection to X'V + V'X = 0. If the curvature along v is small
    against that along r, other minima may lie close by in this direction, behind low barriers: a
    mode that is shifted by a grid point, another rotation under a weak penalty.
    """
    face, H = problem.nonsmooth.face(X), hessian_matrix(problem.smooth)  # type: ignore[attr-defined]
    equations = Orthogonality(to_numpy(X), to_numpy(face.free))
    second, entries = hessian(problem.smooth, X, problem.grad(X)), equations.entries

    def curved(v: np.ndarray) -> np.ndarray:
        V = from_numpy(entries.put(v), like=X)
        return equations.project(entries.take(to_numpy(second(V) + face.curvature(V) + 2 * (V @ Y))))

    R = np.hstack([equations.project(entries.take(rng.standard_normal(problem.shape))) for _ in lengths])
    W: np.ndarray | None
    if H is not None and isinstance(problem.nonsmooth, Separable) and len(R) <= 2 * SMALL.decomposed:
        ones = from_numpy(entries.put(np.ones((len(R), 1))), like=X)
        bent = np.diagflat(entries.take(to_numpy(face.curvature(ones))))
        W = equations.minimum(entries.matrix(to_numpy(H), 2 * to_numpy(Y)) + bent, -R)
    else:
        k = SETTINGS
        W = np.hstack([conjugate_gradients(curved, r, tol=k.identified, max_iterations=k.cg_steps) for r in _columns(R)])
    points = []
    for v, r, length in zip(_columns(W), _columns(R), lengths, strict=True) if W is not None else ():
        if np.vdot(v, curved(v)) * np.vdot(r, r) <= SMALL.soft * np.vdot(r, curved(r)) * np.vdot(v, v):
            V = from_numpy(entries.put(v / np.linalg.norm(v)), like=X)
            points.append(polar(X + length * problem.shape[1] ** 0.5 * V))
    return points


def _columns(R: np.ndarray) -> list[np.ndarray]:
    return [R[:, [i]] for i in range(R.shape[1])]


def _curvature(problem: Problem) -> np.ndarray:
    m, n = problem.shape
    origin = like_data(problem, np.zeros((m, n)))
    D = to_numpy(problem.grad(origin))
    C = np.empty((m, m))
    for block in range(ceil(m / n)):
        first = min(block * n, m - n)
        V = np.zeros((m, n))
        V[first + np.arange(n), np.arange(n)] = 1
        C[:, first : first + n] = to_numpy(problem.grad(like_data(problem, V))) - D
    if not np.all(np.isfinite(C)):
        raise ValueError("The gradient of the smooth term is not finite at 0 or at coordinate vectors; choose another start.")
    return C


def _highest(C: np.ndarray) -> float:
    """Return the largest eigenvalue of C, or 0 if all are negative: a factorisation tells it."""
    try:
        np.linalg.cholesky(-C)
    except np.linalg.LinAlgError:
        return max(0.0, float(np.linalg.eigvalsh(C)[-1]))
    return 0.0


def _pivots(M: np.ndarray, n: int) -> list[int]:
    """Return the first n pivots of the factorisation M = L diag(1 / d) L', each the largest
    remaining diagonal entry.
    """
    L, d, left, pivots = np.zeros((len(M), n)), np.ones(n), np.diag(M).copy(), []
    for k in range(n):
        j = int(np.argmax(left))
        pivots.append(j)
        if left[j] > 0:
            L[:, k], d[k] = M[:, j] - L[:, :k] @ (L[j, :k] / d[:k]), left[j]
        left = left - L[:, k] * (L[:, k] / d[k])
        left[pivots] = -np.inf
    return pivots
