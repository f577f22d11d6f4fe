"""The pit props of Jeffers, the classic table of sparse PCA."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FILE = Path(__file__).with_name("pitprops.csv")


class PitProps(NamedTuple):
    """Correlations of variables, and their names."""

    correlation: NDArray[np.float64]  # 13 x 13
    names: tuple[str, ...]


def pitprops() -> PitProps:
    """Return the correlation matrix of 13 measurements on 180 pit props, and their names.

    Pit props are timbers that held the roofs of mines. The measurements are the diameter at the top
    and the length; moisture; specific gravity of the wood as tested and oven-dry; annual rings at
    the top and at the butt; the maximal bow and its distance from the top; knot whorls, the clear
    length above them, knots to a whorl and their diameter. Only the correlations are published, to
    three digits. For sparse PCA pass a factor A with A'A = C, such as
    ``np.linalg.cholesky(C).T``.

    References
    ----------
    J. N. R. Jeffers, Two case studies in the application of principal component analysis, Applied
    Statistics 16 (1967).
    """
    names = tuple(_FILE.read_text(encoding="utf-8").partition("\n")[0].split(","))
    return PitProps(np.loadtxt(_FILE, delimiter=",", skiprows=1), names)
