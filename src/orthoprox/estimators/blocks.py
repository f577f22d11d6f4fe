"""Samples that are read in blocks of rows: their moments, their scores, the share of variance."""

from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from orthoprox._run.progress import Progress
from orthoprox.streams.blocks import Blocks
from orthoprox.streams.moments import Moments

Matrix = np.ndarray[Any, Any]


def checked(estimator: Any, data: Blocks, *, reset: bool, samples: int) -> Blocks:
    """Return samples whose number of columns and names fit the estimator, at least so many."""
    stand_in: Any = np.empty((0, data.columns))
    if data.names is not None and find_spec("pandas") is not None:  # which the extra brings; scikit-learn reads names off it
        import pandas as pd

        stand_in = pd.DataFrame(columns=list(data.names))
    validate_data(estimator, stand_in, reset=reset, skip_check_array=True)
    found = data.rows_in_all()
    if found is not None and found < samples:
        raise ValueError(f"X has n_samples = {found}; a covariance needs at least {samples}.")
    return data


def moments(data: Blocks, before: Moments | None, *, shown: bool) -> Moments:
    """Return the moments of the samples, merged with those before; reading may be shown."""
    with Progress(phase="reading") if shown else nullcontext() as line, data.watched(None if line is None else line.rows):
        own = data.moments(cross=True)
    if own.count < 2 and before is None:
        raise ValueError(f"X has n_samples = {own.count}; a covariance needs at least 2.")
    return own if before is None else before.merge(own)


@dataclass(frozen=True)
class Scores:
    """The scores of a block of samples, wherever it is."""

    mean: Matrix
    directions: Matrix

    def __call__(self, block: Any, start: int) -> Matrix:
        """Return (block - mean) times the directions."""
        if sp.issparse(block):
            return np.asarray(block @ self.directions - np.matmul(self.mean, self.directions))
        return np.asarray(np.matmul(block - self.mean, self.directions))


def share(data: Blocks, mean: Matrix, scale: Matrix, components: Matrix) -> float:
    """Return the share of sum |(a - mean) / scale|^2 over the samples a that the scores have."""
    explained, total = data.total(_Squares(mean, scale, components))
    return float(explained / total) if total > 0 else 1.0


@dataclass(frozen=True)
class _Squares:
    """The squares of the scores of a block, and of its entries."""

    mean: Matrix
    scale: Matrix
    components: Matrix

    def __call__(self, block: Any, start: int) -> Matrix:
        dense = block.toarray() if sp.issparse(block) else block
        standardised = (dense - self.mean) / self.scale
        return np.array([np.sum(np.matmul(standardised, self.components.T) ** 2), np.sum(standardised**2)])
