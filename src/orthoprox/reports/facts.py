"""What a report tells: plain data, however it was computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays.words import shown

Floats = NDArray[np.float64]


def finite(values: Floats) -> Floats:
    """Return the values with 0 for those that are not finite."""
    return np.where(np.isfinite(values), values, 0.0)


@dataclass(frozen=True, eq=False)
class Facts:
    """The components of a table and how they were found.

    A page of it shows whatever the names are: they are text, never markup. Numbers that are not
    finite are shown as a dash.
    """

    title: str  # the heading of the page
    source: str  # where the table comes from: a file's name
    n_rows: int
    names: tuple[str, ...]  # of the m variables
    row_names: tuple[str, ...] | None  # of the rows; numbered from 1 if None
    components: Floats  # n x m: the loadings, one row for each component
    explained: Floats  # n shares of the variance, of these components
    pca_explained: Floats  # n shares of the variance, of as many components of PCA
    scores: Floats | None  # rows x n
    curve: tuple[Floats, Floats] | None  # nonzeros and explained shares along a path of solutions
    certificate: str  # what is certified, in words
    converged: bool
    status: str  # how the fit ended, in words
    phases: tuple[tuple[str, float, int], ...]  # parts of the call: name, seconds, gradients
    seconds: float  # of the whole call
    notes: tuple[str, ...]  # sentences that a reader has to know
    command: str  # that makes the same report again
    versions: Mapping[str, str]
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Convert names and arrays, and raise ValueError where their sizes do not fit together."""
        object.__setattr__(self, "names", tuple(map(str, self.names)))
        if self.row_names is not None:
            object.__setattr__(self, "row_names", tuple(map(str, self.row_names)))
        n, m = self._array("components", (None, len(self.names)))
        for name in ("explained", "pca_explained"):
            self._array(name, (n,))
        if self.scores is not None:
            rows, _ = self._array("scores", (None, n))
            if self.row_names is not None and len(self.row_names) != rows:
                raise ValueError(f"row_names has {len(self.row_names)} names; it needs {rows}, one for each row of scores.")
        if not (n and m):
            raise ValueError(f"components has shape {(n, m)}; it needs a row and a column at least.")
        if self.curve is not None:
            nonzeros, shares = (np.asarray(part, np.float64) for part in self.curve)
            if nonzeros.ndim != 1 or nonzeros.shape != shares.shape:
                raise ValueError(f"curve has parts of shapes {nonzeros.shape} and {shares.shape}; it needs two of one length.")
            object.__setattr__(self, "curve", (nonzeros, shares))

    def _array(self, name: str, shape: tuple[int | None, ...]) -> tuple[int, ...]:
        value = getattr(self, name)
        array = np.asarray(value, np.float64)
        if array.ndim != len(shape) or any(
            wanted not in (None, given) for wanted, given in zip(shape, array.shape, strict=True)
        ):
            wanted = " x ".join("any" if size is None else str(size) for size in shape)
            raise ValueError(f"{name} is {shown(value)}; it needs {wanted} numbers.")
        object.__setattr__(self, name, array)
        return array.shape

    @property
    def nonzeros(self) -> NDArray[np.intp]:
        """The number of nonzero loadings of each component."""
        found: NDArray[np.intp] = np.count_nonzero(self.components, axis=1)
        return found

    @property
    def total(self) -> float:
        """The share of the variance that all components explain together."""
        return float(np.sum(self.explained))

    @property
    def pca_total(self) -> float:
        """The share of the variance that as many components of PCA explain."""
        return float(np.sum(self.pca_explained))
