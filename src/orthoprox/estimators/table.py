"""Tables of samples: their covariance and their scores, dense, sparse or as an operator."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox.estimators import blocks
from orthoprox.estimators.covariance import WIDE, Covariance, Formed, Products
from orthoprox.smooth.variance import Variance
from orthoprox.streams.blocks import Blocks
from orthoprox.streams.moments import Moments
from orthoprox.streams.rows import RowStream
from orthoprox.streams.sources import as_blocks

Matrix = np.ndarray[Any, Any]
Standardised = tuple[Covariance, Matrix, Matrix]  # C, the mean and the scale
KEPT = 500  # variables up to which fit keeps its moments, 2 MB, so that partial_fit may go on from them
_BLOCK_BYTES = 2**26
_STRIP = 1024  # rows of an m x m matrix that are computed at a time
_PRINTED = 1e-3  # of the largest entry, times sqrt(m): a negative eigenvalue from printed digits


def checked(estimator: Any, X: Any, *, reset: bool = True, samples: int = 1) -> Any:
    """Return samples as scikit-learn checks them, at least so many; what is read in blocks of rows
    is checked when it is read.
    """
    if inputs.is_operator(X):
        data = operator(estimator, X, reset=reset)
        if data.shape[0] < samples:
            raise ValueError(f"X has n_samples = {data.shape[0]}; a covariance needs at least {samples}.")
        return data
    rows = as_blocks(X, "X")
    if rows is not None:
        return blocks.checked(estimator, rows, reset=reset, samples=samples)
    options = {"accept_sparse": ("csr", "csc"), "dtype": [np.float64, np.float32], "reset": reset}
    try:
        return validate_data(estimator, _named(X), ensure_min_samples=samples, **options)
    except ValueError as error:
        raise _of_columns(X, error) from error


def checked_covariance(estimator: Any, C: Any) -> Matrix:
    """Return a covariance matrix, with the names of its variables noted."""
    matrix: Matrix = validate_data(estimator, symmetric(C), dtype=np.float64)
    return matrix


def has_moments(data: Any) -> bool:
    """Tell whether the m x m moments of the data are formed."""
    if isinstance(data, Blocks):
        return RowStream(data).forms_gram
    return data.shape[1] <= WIDE and not inputs.is_operator(data)


def kept(moments: Moments | None) -> Moments | None:
    """Return the moments that ``fit`` keeps: none where they are large, m x m numbers that only
    ``partial_fit`` would need.
    """
    return moments if moments is not None and moments.m <= KEPT else None


def covariance(
    data: Any, center: Any, scale: Any, *, shown: bool = False, keep: bool = True
) -> tuple[Standardised, Moments | None]:
    """Return the covariance of the standardised samples, what is subtracted and divided by, and
    their moments, if these are formed and small. That they are formed may be shown; data in blocks
    keep them, too, unless that is not wanted.
    """
    if has_moments(data):
        formed = moments(data, None, shown=shown)
        if isinstance(data, Blocks) and not keep:
            data.forget()
        return of_moments(formed, center, scale), kept(formed)
    samples, m = data.shape
    term = Variance(data, center=center, scale=scale)
    found = Products(term, max(samples - 1, 1))
    return (found, _or(term.center, np.zeros(m)), _or(term.scale, np.ones(m))), None


def moments(data: Any, before: Moments | None, *, shown: bool = False) -> Moments:
    """Return the moments of the samples, added to those before, block by block; this may be
    shown.
    """
    if isinstance(data, Blocks):
        return blocks.moments(data, before, shown=shown)
    m = data.shape[1]
    if m > WIDE:
        raise ValueError(f"X has {m} variables; partial_fit keeps their {m} x {m} moments and takes at most {WIDE}, use fit.")
    found = Moments(m) if before is None else before
    data = data.tocsr() if sp.issparse(data) else data
    for block in _blocks(data):
        found = found.add(block)
    return found


@quiet()
def of_moments(moments: Moments, center: Any, scale: Any) -> Standardised:
    """Return the same from moments."""
    m = moments.m
    mean = _chosen(center, "center", moments.mean, np.zeros(m))
    unit = _positive(_chosen(scale, "scale", moments.scale(), np.ones(m)))
    divisor = max(moments.count - 1, 1)
    C = moments.scatter / divisor if mean is moments.mean else moments.gram(mean)
    if mean is not moments.mean:
        C /= divisor
    for rows in _strips(m):  # in place: m may be large
        C[rows] /= np.multiply.outer(unit[rows], unit)
    return Formed(_symmetrised(C)), mean, unit


def of_matrix(C: Matrix, center: Any, scale: Any) -> Standardised:
    """Return the same from a covariance matrix."""
    m = len(C)
    mean = _chosen(center, "center", np.zeros(m), np.zeros(m))
    deviations = np.sqrt(np.maximum(C.diagonal(), 0.0))
    own = np.where(deviations > 0, deviations, 1.0)
    unit = _positive(_chosen(scale, "scale", own, np.ones(m)))
    return Formed(_symmetric(C / np.multiply.outer(unit, unit))), mean, unit


def symmetric(C: Any) -> Any:
    """Return a covariance matrix, checked: symmetric, no negative eigenvalue beyond rounding."""
    matrix = np.asarray(inputs.matrix(C, "C"), dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"C has shape {matrix.shape}; a covariance matrix needs as many rows as columns, use fit for data.")
    size = float(np.max(np.abs(matrix)))
    if np.max(np.abs(matrix - matrix.T)) > 1e-8 * size:
        raise ValueError("C is not symmetric; a covariance matrix is, pass (C + C.T) / 2.")
    least = float(np.linalg.eigvalsh(_symmetric(matrix))[0])
    if least < -_PRINTED * np.sqrt(len(matrix)) * size:
        raise ValueError(
            f"C has the negative eigenvalue {least:.3g}, beyond what rounding to three digits makes; "
            "a covariance matrix has none, check that it is one."
        )
    return C if hasattr(C, "columns") else matrix


@quiet()
def scores(data: Any, mean: Matrix, scale: Matrix, components: Matrix) -> Matrix:
    """Return (data - mean) / scale times the components."""
    directions = np.asarray(components / scale).T
    if sp.issparse(data) or inputs.is_operator(data):
        found = data @ directions - np.matmul(mean, directions)
    elif isinstance(data, Blocks):
        found = data.joined(blocks.Scores(mean, directions))
    else:
        found = np.concatenate([np.matmul(block - mean, directions) for block in _blocks(data)])
    return np.asarray(found, dtype=dtype(data))


@quiet()
def share(data: Any, mean: Matrix, scale: Matrix, components: Matrix) -> float:
    """Return the share of sum |(a - mean) / scale|^2 over the samples a that the scores have."""
    if inputs.is_operator(data):
        total = float(np.sum(Products(Variance(data, center=mean, scale=scale), 1.0).variances))
    elif isinstance(data, Blocks):
        return blocks.share(data, mean, scale, components)
    elif sp.issparse(data):
        weights = (mean / scale) ** 2
        stored = data.tocsc()
        columns = np.repeat(np.arange(data.shape[1]), np.diff(stored.indptr))
        entries = np.sum(((stored.data - mean[columns]) / scale[columns]) ** 2 - weights[columns])
        total = float(entries + data.shape[0] * np.sum(weights))
    else:
        total = float(sum(np.sum(((block - mean) / scale) ** 2) for block in _blocks(data)))
    explained = float(np.sum(scores(data, mean, scale, components).astype(np.float64) ** 2))
    return explained / total if total > 0 else 1.0


def operator(estimator: Any, data: Any, *, reset: bool) -> Any:
    """Return a ``LinearOperator`` whose number of columns fits the estimator."""
    if reset:
        estimator.n_features_in_ = data.shape[1]
    elif data.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {data.shape[1]} features, but SparsePCA is expecting {estimator.n_features_in_} features.")
    return data


def dtype(data: Any) -> Any:
    """Return the precision of the results for these data."""
    return np.dtype(np.float32) if data.dtype == np.float32 else np.dtype(np.float64)


def _blocks(data: Any) -> Iterator[Any]:
    """Yield the rows of data, dense ones 64 MiB at a time."""
    samples, m = data.shape
    rows = samples if sp.issparse(data) else max(1, _BLOCK_BYTES // (8 * m))
    for start in range(0, samples, rows):
        yield data[start : start + rows]


def _named(X: Any) -> Any:
    """Return a data frame whose names scikit-learn before 1.9 would not see, as one of pandas."""
    if hasattr(X, "iloc") or hasattr(X, "__dataframe__") or not (hasattr(X, "columns") and hasattr(X, "to_numpy")):
        return X
    import pandas as pd

    return pd.DataFrame({name: X[name].to_numpy() for name in X.columns})


def _of_columns(X: Any, error: ValueError) -> ValueError:
    """Return an error that names the columns of a data frame which are not numbers, or the same."""
    found = []
    for name in getattr(X, "columns", ()):
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            found.append(repr(str(name)))
    if not found:
        return error
    which = f"the columns {', '.join(found[:5])}" if len(found) > 1 else f"the column {found[0]}"
    them = "them" if len(found) > 1 else "it"
    return ValueError(f"X has {which} of text ({error}); drop {them} or make numbers of {them}.")


def _symmetric(C: Matrix) -> Matrix:
    total: Matrix = (C + C.T) / 2
    return total


def _symmetrised(C: Matrix) -> Matrix:
    """Return (C + C') / 2 in place of C."""
    for rows in _strips(len(C)):
        mean = (C[rows, rows.start :] + C[rows.start :, rows].T) / 2
        C[rows, rows.start :] = mean
        C[rows.start :, rows] = mean.T
    return C


def _strips(m: int) -> Iterator[slice]:
    """Yield the rows of an m x m matrix, some at a time."""
    for start in range(0, m, _STRIP):
        yield slice(start, min(start + _STRIP, m))


def _chosen(value: Any, name: str, own: Matrix, none: Matrix) -> Matrix:
    """Return what True, False or a vector stands for."""
    if isinstance(value, (bool, np.bool_)):
        return own if value else none
    return np.asarray(inputs.matrix(value, name, shape=own.shape), dtype=np.float64)


def _positive(scale: Matrix) -> Matrix:
    if not np.all(scale > 0):
        raise ValueError(f"scale has the entry {np.min(scale):g}; it divides the variables and needs entries > 0.")
    return scale


def _or(value: Any, default: Matrix) -> Matrix:
    return default if value is None else np.asarray(value, dtype=np.float64)
