"""Geometry of the Stiefel manifold {X : X'X = I_n}: functions of arrays, with leading batch axes.

Their arguments are checked: real, of shapes that fit, and finite. Only ``inner`` and ``norm`` take
any entries, so that a method of one's own can tell by its numbers that it diverges.
"""

from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, extreme, namespace
from orthoprox._linalg import stiefel as geometry
from orthoprox._linalg.stiefel import random_point

__all__ = [
    "RETRACTIONS",
    "defect",
    "feasibility",
    "inner",
    "multiplier",
    "norm",
    "polar",
    "qr",
    "random_point",
    "sym",
    "tangent",
]


@quiet()
def sym(M: Any) -> Array:
    """Return (M + M') / 2."""
    M = inputs.matrix(M, "M", batch=True)
    if M.shape[-2] != M.shape[-1]:
        raise ValueError(f"M has shape {tuple(M.shape)}; it needs as many rows as columns.")
    return geometry.sym(M)


@quiet()
def defect(X: Any) -> Array:
    """Return X'X - I_n, which is 0 on the manifold."""
    return geometry.defect(_tall(X))


@quiet()
def feasibility(X: Any) -> float:
    """Return |X'X - I|_F of one matrix X."""
    return geometry.feasibility(_tall(inputs.matrix(X, "X")))


@quiet()
def tangent(X: Any, W: Any) -> Array:
    """Return the projection of W to the tangent space at a point of the manifold, W - X
    sym(X'W).
    """
    return geometry.tangent(*_alike(_tall(X), W, "W"))


@quiet()
def multiplier(X: Any, W: Any) -> Array:
    """Return Y = -sym(X'W) / 2: of all symmetric Y the one that makes |W + 2XY| least at a point of
    the manifold.
    """
    return geometry.multiplier(*_alike(_tall(X), W, "W"))


@quiet()
def qr(X: Any) -> Array:
    """Return the orthogonal factor of X = QR with a positive diagonal of R, which makes it depend
    on X continuously.
    """
    return geometry.qr(_tall(X))


@quiet()
def polar(X: Any) -> Array:
    """Return the nearest point of the manifold, U V' of the thin SVD X = U S V'."""
    X = _tall(X)
    xp = namespace(X)
    return geometry.polar(X / extreme(float(xp.max(xp.abs(X))), X))  # X'X must neither overflow nor underflow


@quiet()
def inner(X: Any, Y: Any) -> Array:
    """Return <X, Y> = tr(X'Y)."""
    return geometry.inner(*_alike(inputs.matrix(X, "X", batch=True, nan=True), Y, "Y", nan=True))


@quiet()
def norm(X: Any) -> Array:
    """Return the Frobenius norm |X|_F."""
    return geometry.norm(inputs.matrix(X, "X", batch=True, nan=True))


RETRACTIONS = {"polar": polar, "qr": qr}


def _tall(X: Any) -> Array:
    X = inputs.matrix(X, "X", batch=True)
    m, n = X.shape[-2:]
    if m < n:
        raise ValueError(f"X has shape {tuple(X.shape)}; X'X = I needs at least as many rows as columns, pass its transpose.")
    return X


def _alike(X: Array, W: Any, name: str, *, nan: bool = False) -> tuple[Array, Array]:
    """Return two arrays of the same library and, batch axes apart, of the same shape."""
    W = inputs.matrix(W, name, shape=tuple(X.shape[-2:]), batch=True, nan=nan)
    if namespace(X) is not namespace(W):
        libraries = namespace(X).__name__, namespace(W).__name__
        raise TypeError(f"X is an array of {libraries[0]} and {name} one of {libraries[1]}; both need to be of one library.")
    try:
        np.broadcast_shapes(tuple(X.shape), tuple(W.shape))
    except ValueError as error:
        shapes = tuple(X.shape), tuple(W.shape)
        raise ValueError(f"X has shape {shapes[0]}, {name} {shapes[1]}; their batch axes need to be the same.") from error
    return X, W
