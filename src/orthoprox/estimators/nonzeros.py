"""Components with many numbers of nonzeros: variance against sparsity."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown
from orthoprox.estimators.covariance import Covariance
from orthoprox.estimators.explained import adjusted
from orthoprox.estimators.fitting import Fitting
from orthoprox.estimators.request import quota
from orthoprox.estimators.wanted import Wanted
from orthoprox.estimators.warned import warn

Matrix = np.ndarray[Any, Any]
_POINTS = 12


@dataclass(frozen=True, repr=False)
class NonzeroPath:
    """Components by their number of nonzeros, and what they explain of the total variance."""

    n_nonzeros: Matrix  # as found
    components: tuple[Matrix, ...]  # each of shape (n, m)
    explained_variance_ratio: Matrix
    adjusted_variance_ratio: Matrix
    pca: float  # what as many principal components explain
    feature_names: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the numbers as a table."""
        rows = zip(self.n_nonzeros, self.explained_variance_ratio, self.adjusted_variance_ratio, strict=True)
        lines = [f"{number:>8}  {explained:>9.4f}  {adjusted:>8.4f}" for number, explained, adjusted in rows]
        return "\n".join(["nonzeros  explained  adjusted", *lines, f"     PCA  {self.pca:>9.4f}"])

    def plot(self) -> Any:
        """Draw the explained variance against the nonzeros, with that of principal components as
        reference (``pip install "orthoprox[plot]"``).
        """
        from orthoprox.estimators.plots import draw_path

        return draw_path(self)


def nonzero_path(covariance: Covariance, wanted: Wanted, names: list[str], n_nonzeros: Any) -> NonzeroPath:
    """Return components for each number of nonzeros, from shared candidates."""
    fitting = Fitting(covariance, wanted)
    found = []
    for number in _numbers(n_nonzeros, wanted, fitting.shape[0]):
        found.append(fitting.chosen(quota(number, fitting.shape, wanted.penalty, nonnegative=wanted.nonnegative)))
    if fitting.search.cut:
        warn(fitting.runs.deadline.status.value)
    scores = [np.matmul(X.T, covariance.apply(X)) for X in found]
    total = covariance.total or 1.0
    return NonzeroPath(
        n_nonzeros=np.array([np.count_nonzero(X) for X in found]),
        components=tuple(X.T for X in found),
        explained_variance_ratio=np.array([np.trace(G) / total for G in scores]),
        adjusted_variance_ratio=np.array([np.sum(adjusted(G)) / total for G in scores]),
        pca=float(np.sum(covariance.leading(wanted.n)[0])) / total,
        feature_names=tuple(names),
    )


def _numbers(n_nonzeros: Any, wanted: Wanted, m: int) -> list[int]:
    if n_nonzeros is None:
        n = wanted.n
        least, most = n * n if wanted.penalty == "l21" else n, m if wanted.nonnegative else m * n
        return sorted({round(number) for number in np.geomspace(most, least, _POINTS)}, reverse=True)
    if not isinstance(n_nonzeros, Iterable) or isinstance(n_nonzeros, str):
        raise TypeError(f"n_nonzeros is {shown(n_nonzeros)}; it needs a list of numbers, such as [40, 20, 10].")
    numbers = [inputs.integer(number, "An entry of n_nonzeros") for number in n_nonzeros]
    if not numbers:
        raise ValueError("n_nonzeros is empty; it needs at least one number.")
    return numbers
