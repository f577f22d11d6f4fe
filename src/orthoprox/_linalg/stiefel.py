"""Geometry of the Stiefel manifold {X : X'X = I_n}: functions of arrays, with leading batch axes.

They are called in every step and check nothing; users call those of ``orthoprox.stiefel``, which
do.
"""

from collections.abc import Callable

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, identity, inner, namespace, norm, precision
from orthoprox._linalg.products import Support, gram, right, support

__all__ = [
    "RETRACTIONS",
    "defect",
    "feasibility",
    "inner",
    "min_norm",
    "multiplier",
    "norm",
    "polar",
    "qr",
    "random_point",
    "sym",
    "tangent",
]

_FIRST_DAMPING = 1e-3  # of the semismooth Newton method
_NEWTON_STEPS = 60
_GAIN = 1e-5  # a step that reduces the residual by less than this share is the last


def sym(M: Array) -> Array:
    """Return (M + M') / 2."""
    return (M + M.mT) / 2


def defect(X: Array, sparse: Support | None = None) -> Array:
    """Return X'X - I_n, which is 0 on the manifold."""
    return gram(X, sparse) - identity(X.shape[-1], X)


def feasibility(X: Array) -> float:
    """Return |X'X - I|_F."""
    return float(norm(defect(X, support(X))))


def tangent(X: Array, W: Array) -> Array:
    """Return the projection of W to the tangent space at a point of the manifold, W - X
    sym(X'W).
    """
    return W - X @ sym(X.mT @ W)


def multiplier(X: Array, W: Array) -> Array:
    """Return Y = -sym(X'W) / 2: of all symmetric Y the one that makes |W + 2XY| least at a point of
    the manifold.
    """
    return -sym(X.mT @ W) / 2


def lagrangian_gradient(D: Array, X: Array, Y: Array) -> Array:
    """Return D + 2XY, the gradient of l(X) + <Y, X'X - I> where D is that of l; X may be sparse."""
    return D + 2 * right(X, Y, support(X))


def min_norm(
    residual: Callable[[Array], Array],
    newton: Callable[[Array, float], Array | None],
    Y: Array,
    R: Array,
    *,
    tiny: float,
    stall_damping: float = float("inf"),
) -> tuple[Array, Array]:
    """Minimise |R(Y)| over symmetric Y, R(Y) the element of minimum norm of grad l + dg + 2XY;
    return the best Y found, and R = residual(Y).

    The problem is convex, and |R(Y)|^2 / 2 has the gradient 2 sym(X'R). Columns of X that hardly
    overlap make the Newton equation nearly singular: the damping falls as long as the steps
    succeed, and rises where they change the active entries too much.

    ``newton(R, damping)`` returns the step of Y, or None where there is none. The iteration ends at
    |R| <= ``tiny``, where the damping exceeds 1, and where a step with a damping below
    ``stall_damping`` gains next to nothing.
    """
    damping = _FIRST_DAMPING
    for _ in range(_NEWTON_STEPS):
        size = float(norm(R))
        step = newton(R, damping) if size > tiny and damping <= 1 else None
        if step is None:
            break
        trial = residual(Y + step)
        gain = 1 - float(norm(trial)) / size
        if gain > 0:
            Y, R = Y + step, trial
        damping = max(damping * (0.1 if gain > 0 else 10), precision(R))
        if 0 < gain < _GAIN and damping < stall_damping:
            break
    return Y, R


def qr(X: Array) -> Array:
    """Return the orthogonal factor of X = QR with a positive diagonal of R, which makes it depend
    on X continuously.
    """
    xp = namespace(X)
    Q, R = xp.linalg.qr(X)
    negative = xp.astype(xp.linalg.diagonal(R) < 0, X.dtype)
    return Q * (1 - 2 * negative)[..., None, :]


def polar(X: Array) -> Array:
    """Return the nearest point of the manifold, U V' of the thin SVD X = U S V'.

    A well-conditioned X goes through the n x n matrix X'X, X (X'X)^(-1/2), which is several times
    cheaper; the singular value decomposition serves the others. On the manifold up to the root of
    the precision, the first terms of (I + E)^(-1/2) = I - E/2 + ... are exact. Where X'X is not
    finite, neither is the result.
    """
    xp, sparse = namespace(X), support(X)
    C = gram(X, sparse)
    if not bool(xp.all(xp.isfinite(C))):
        return xp.nan * X  # a diverging run is told by its numbers; decompositions raise
    half = (C - identity(X.shape[-1], X)) / 2
    if bool(xp.all(norm(half) <= precision(half) ** 0.5 / 2)):
        return X - right(X, half, sparse)
    w, Q = xp.linalg.eigh(C)
    if bool(xp.any(w[..., 0] <= 0.01 * w[..., -1])):  # the Gram route loses |X|_2^2 |X^+|_2^2 in accuracy
        U, _, Vt = xp.linalg.svd(X, full_matrices=False)
        return U @ Vt
    return right(X, (Q / xp.sqrt(w)[..., None, :]) @ Q.mT, sparse)


@quiet()
def random_point(m: int, n: int, seed: int | np.random.Generator = 0) -> Array:
    """Return a uniformly distributed point of the manifold, the polar factor of a Gaussian
    matrix.
    """
    m = inputs.integer(m, "m")
    return polar(inputs.generator(seed).standard_normal((m, inputs.columns(n, m))))


RETRACTIONS = {"polar": polar, "qr": qr}
