"""Tables of samples: their covariance and their scores, dense, sparse or as an operator."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox.estimators.covariance import WIDE, Covariance, Formed, Products
from orthoprox.smooth.variance import Variance
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]
Standardised = tuple[Covariance, Matrix, Matrix]  # C, the mean and the scale
_BLOCK_BYTES = 2**26


def covariance(data: Any, center: Any, scale: Any) -> Standardised:
    """Return the covariance of the standardised samples, what is subtracted and divided by."""
    samples, m = data.shape
    if m <= WIDE and not inputs.is_operator(data):
        return of_moments(moments(data, None), center, scale)
    term = Variance(data, center=center, scale=scale)
    found = Products(term, max(samples - 1, 1))
    return found, _or(term.center, np.zeros(m)), _or(term.scale, np.ones(m))


def moments(data: Any, before: Moments | None) -> Moments:
    """Return the moments of the samples, added to those before, block by block."""
    samples, m = data.shape
    if m > WIDE:
        raise ValueError(f"X has {m} variables; partial_fit keeps their {m} x {m} moments and takes at most {WIDE}, use fit.")
    found = Moments(m) if before is None else before
    rows = samples if sp.issparse(data) else max(1, _BLOCK_BYTES // (8 * m))
    data = data.tocsr() if sp.issparse(data) else data
    for start in range(0, samples, rows):
        found = found.add(data[start : start + rows])
    return found


@quiet()
def of_moments(moments: Moments, center: Any, scale: Any) -> Standardised:
    """Return the same from moments."""
    m = moments.m
    mean = _chosen(center, "center", moments.mean, np.zeros(m))
    unit = _positive(_chosen(scale, "scale", moments.scale(), np.ones(m)))
    scatter = moments.scatter if mean is moments.mean else moments.gram(mean)
    return Formed(_symmetric(scatter / max(moments.count - 1, 1) / np.multiply.outer(unit, unit))), mean, unit


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
    if np.linalg.eigvalsh(_symmetric(matrix))[0] < -1e-2 * size:
        raise ValueError("C has a negative eigenvalue; a covariance matrix has none, check that it is one.")
    return C if hasattr(C, "columns") else matrix


@quiet()
def scores(data: Any, mean: Matrix, scale: Matrix, components: Matrix) -> Matrix:
    """Return (data - mean) / scale times the components."""
    directions = np.asarray(components / scale).T
    if sp.issparse(data) or inputs.is_operator(data):
        found = data @ directions - np.matmul(mean, directions)
    else:
        found = np.matmul(data - mean, directions)
    return np.asarray(found, dtype=dtype(data))


@quiet()
def share(data: Any, mean: Matrix, scale: Matrix, components: Matrix) -> float:
    """Return the share of sum |(a - mean) / scale|^2 over the samples a that the scores have."""
    if inputs.is_operator(data):
        total = float(np.sum(Products(Variance(data, center=mean, scale=scale), 1.0).variances))
    elif sp.issparse(data):
        weights = (mean / scale) ** 2
        stored = data.tocsc()
        columns = np.repeat(np.arange(data.shape[1]), np.diff(stored.indptr))
        entries = np.sum(((stored.data - mean[columns]) / scale[columns]) ** 2 - weights[columns])
        total = float(entries + data.shape[0] * np.sum(weights))
    else:
        total = float(np.sum(((data - mean) / scale) ** 2))
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


def _symmetric(C: Matrix) -> Matrix:
    total: Matrix = (C + C.T) / 2
    return total


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
