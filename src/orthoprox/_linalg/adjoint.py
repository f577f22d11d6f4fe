"""Does A' belong to A, an operator that shows no entries? One random test of <Ax, y> = <x, A'y>."""

from collections.abc import Callable
from typing import Any

import numpy as np

Vector = np.ndarray[Any, Any]
_TOLERANCE = 1e-3  # relative; the products of an operator may be of single precision, with cancellation


def check_adjoint(A: Any, name: str) -> None:
    """Raise where ``rmatvec`` is not the adjoint of ``matvec``; this takes one product with each.

    The products are compared for one pair of fixed random vectors: a wrong adjoint passes with a
    probability of about one in a thousand, for all that single precision can tell.
    """
    x, y = _vectors(*A.shape)
    Ax, Aty = _product(A.matvec, x, f"{name}.matvec"), _product(A.rmatvec, y, f"{name}.rmatvec")
    gap = _gap(Ax, y, x, Aty)
    if not gap <= _TOLERANCE:
        raise ValueError(
            f"{name}.rmatvec is not the adjoint of {name}.matvec: <Ax, y> and <x, A'y> differ by {gap:.2g} (relative) for "
            "random x and y; it needs to multiply by the transpose of the same matrix, correct it."
        )


def check_symmetric(A: Any, name: str) -> None:
    """Raise where a square operator is not symmetric; this takes two products."""
    x, y = _vectors(*A.shape)
    gap = _gap(_product(A.matvec, x, f"{name}.matvec"), y, x, _product(A.matvec, y, f"{name}.matvec"))
    if not gap <= _TOLERANCE:
        raise ValueError(
            f"{name} is not symmetric: <Ax, y> and <x, Ay> differ by {gap:.2g} (relative) for random x and y; correct its "
            f"products, or pass ({name} + {name}.T) * 0.5, which has the same tr(X'AX)."
        )


def _vectors(p: int, m: int) -> tuple[Vector, Vector]:
    rng = np.random.default_rng(0)
    return rng.standard_normal(m), rng.standard_normal(p)


def _product(multiply: Callable[[Vector], Any], v: Vector, name: str) -> Vector:
    try:
        product = np.asarray(multiply(v.copy()))
    except NotImplementedError as error:
        raise TypeError(f"{name} is not defined; the gradient needs products with A and with A', define it.") from error
    except Exception as error:  # whatever a user's function may raise
        raise ValueError(
            f"{name} failed for a vector of shape {v.shape} with {type(error).__name__}: {error}. Correct it."
        ) from error
    if product.dtype.type not in (np.float32, np.float64) and product.dtype.kind not in "iub":
        raise TypeError(f"{name} returned dtype {product.dtype} for a real vector; it needs float32 or float64.")
    product = product.astype(np.float64)
    if not np.all(np.isfinite(product)):
        raise ValueError(f"{name} returned NaN or infinite entries for a finite vector; it needs finite ones.")
    return product


def _gap(Ax: Vector, y: Vector, x: Vector, Aty: Vector) -> float:
    """Return |<Ax, y> - <x, A'y>|, relative to the size that independent vectors would give it."""
    unit = max(np.max(np.abs(Ax)), np.max(np.abs(Aty)))  # whose squares may overflow
    if unit == 0:
        return 0.0
    Ax, Aty = Ax / unit, Aty / unit
    size = max(np.linalg.norm(Ax), np.linalg.norm(Aty))  # y and x have entries of size 1
    return float(abs(Ax @ y - x @ Aty) / size)
