"""Problems: two terms and a shape, and the work that is counted on them. Data in, problem out; the
registry is PROBLEMS.

Imports the rooms _arrays, smooth, nonsmooth.
"""

from collections.abc import Callable

from orthoprox.problems.compressed_modes import compressed_modes
from orthoprox.problems.graph_matching import graph_matching
from orthoprox.problems.problem import Problem
from orthoprox.problems.quadratic import quadratic
from orthoprox.problems.sparse_pca import sparse_pca

PROBLEMS: dict[str, Callable[..., Problem]] = {
    "compressed_modes": compressed_modes,
    "graph_matching": graph_matching,
    "quadratic": quadratic,
    "sparse_pca": sparse_pca,
}

__all__ = ["PROBLEMS", "compressed_modes", "graph_matching", "quadratic", "sparse_pca"]
