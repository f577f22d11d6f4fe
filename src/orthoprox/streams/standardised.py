"""Data with centred and scaled columns, (A - 1 center') / scale, however A is stored."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, is_array, namespace, to_numpy
from orthoprox._arrays.words import shown, sized
from orthoprox.streams.moments import deviations, standard, standard_deviations
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sparse import Centred, SparseColumns, divided

Standardised = tuple[Any, Array | None, Array | None]  # the matrix, its center, its scale
_COLUMNS = 64  # of an operator that are formed at once


def standardised(A: Any, center: Any, scale: Any) -> Standardised:
    """Return (A - 1 center') / scale, the center and the scale.

    Each of ``center`` and ``scale`` is False, which gives None; True, the means and the standard
    deviations with n - 1; or a vector.
    """
    m = A.rows.columns if isinstance(A, RowStream) else A.shape[-1]
    asked_center, asked_scale = _vector(center, "center", m), _vector(scale, "scale", m)
    if is_array(asked_scale) and not np.all(asked_scale > 0):
        raise ValueError(f"scale has the entry {np.min(asked_scale):g}; it divides the columns and needs entries > 0.")
    if asked_center is False and asked_scale is False:
        return A, None, None
    kind = _stream if isinstance(A, RowStream) else _sparse if sp.issparse(A) else _dense if is_array(A) else _operator
    matrix, used_center, used_scale = kind(A, asked_center, asked_scale)
    for name, used in (("means", used_center), ("standard deviations", used_scale)):
        if used is not None and not bool(namespace(used).all(namespace(used).isfinite(used))):
            raise ValueError(f"A has entries so large that the {name} of its columns overflow; scale A.")
    return matrix, used_center, used_scale


def check_size(A: Any) -> None:
    """Raise where the entries of A'A underflow."""
    stored = A.A if isinstance(A, Centred) else A
    entries = stored.data if sp.issparse(stored) else stored
    if not is_array(entries) or math.prod(entries.shape) == 0:
        return  # an operator shows no entries
    xp = namespace(entries)
    largest, limits = float(xp.max(xp.abs(entries))), xp.finfo(entries.dtype)
    if 0 < largest < (float(limits.smallest_normal) / float(limits.eps)) ** 0.5:
        raise ValueError(f"A has no entry above {largest:.3g}, so that A'A underflows; scale A.")


def _vector(value: Any, name: str, m: int) -> Any:
    """Return True, False, or a vector of length m in double precision."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if not (isinstance(value, (list, tuple)) or sized(value)):
        raise TypeError(f"{name} is {shown(value)}; it needs True, False or a vector of length {m}.")
    return to_numpy(inputs.matrix(value, name, shape=(m,))).astype(np.float64)


def _dense(A: Array, center: Any, scale: Any) -> Standardised:
    xp = namespace(A)
    matrix = xp.astype(A, xp.float64, copy=False)
    mean, D = deviations(A) if center is True or scale is True else (None, None)
    shift, divisor = (xp.asarray(v, device=A.device) if is_array(v) else None for v in (center, scale))
    if scale is True:
        divisor = standard_deviations(mean, D)
    if center is True:
        shift, matrix = mean, D
    elif shift is not None:
        matrix = matrix - shift
    if divisor is not None:
        matrix = matrix / divisor[..., None, :]
    return xp.astype(matrix, A.dtype, copy=False), shift, divisor


def _sparse(A: Any, center: Any, scale: Any) -> Standardised:
    columns = SparseColumns.of(A)
    shift, divisor = _given(center), _given(scale)
    if scale is True:
        divisor = standard(columns.squares, columns.mean, A.shape[0])
    if center is False:
        return divided(A, divisor).astype(A.dtype), None, divisor
    return columns.centred(shift, divisor), columns.mean if shift is None else shift, divisor


def _stream(A: RowStream, center: Any, scale: Any) -> Standardised:
    shift, divisor = _given(center), _given(scale)
    if center is True or scale is True:
        moments = A.moments_of_columns()
        shift, divisor = moments.mean if center is True else shift, moments.scale() if scale is True else divisor
    return replace(A, center=shift, scale=divisor), shift, divisor


def _operator(A: Any, center: Any, scale: Any) -> Standardised:
    from scipy.sparse.linalg import LinearOperator, aslinearoperator

    shift, divisor = _given(center), _given(scale)
    if center is True:
        shift = A.rmatvec(np.ones(A.shape[0])) / A.shape[0]
    if scale is True:
        divisor = _operator_scale(A)
    if divisor is None:
        matrix, offset = A, shift
    else:
        matrix = A @ aslinearoperator(sp.dia_array((1 / divisor[None, :], [0]), shape=(A.shape[1],) * 2))
        offset = None if shift is None else shift / divisor
    if offset is None:
        return matrix, None, divisor
    forward = Centred(matrix, offset).__matmul__
    adjoint = Centred(matrix, offset).T.__matmul__
    products = {"matvec": forward, "matmat": forward, "rmatvec": adjoint, "rmatmat": adjoint}
    return LinearOperator(A.shape, dtype=np.float64, **products), shift, divisor


def _operator_scale(A: Any) -> Any:
    """Return the standard deviations of the columns A e_j, some of which are formed at a time."""
    m, found = A.shape[1], []
    for start in range(0, m, _COLUMNS):
        chosen = np.zeros((m, min(_COLUMNS, m - start)))
        chosen[start + np.arange(chosen.shape[1]), np.arange(chosen.shape[1])] = 1.0
        found.append(standard_deviations(*deviations(np.asarray(A.matmat(chosen)))))
    return np.concatenate(found)


def _given(value: Any) -> Any:
    return value if is_array(value) else None
