"""orthoprox: min l(X) + g(X) subject to X'X = I, with l smooth and g prox-friendly."""

from typing import TYPE_CHECKING, Any

from orthoprox import assignment, checks, datasets, metrics, nonsmooth, problems, smooth, solvers, starts, stiefel, stopping
from orthoprox._certify.certificate import Certificate, certificate
from orthoprox._run.progress import Progress
from orthoprox._run.result import Result
from orthoprox._run.solve import solve
from orthoprox.minimize import ConvergenceWarning, minimize
from orthoprox.paper.theory import stability_radius, theoretical_parameters
from orthoprox.path import path
from orthoprox.problems import PROBLEMS
from orthoprox.problems.problem import Problem
from orthoprox.solvers import LSALM, SOLVERS
from orthoprox.stopping.rules import Snapshot
from orthoprox.stopping.status import Status

if TYPE_CHECKING:
    from orthoprox.estimators.sparse_pca import SparsePCA

__version__ = "0.2.0"

__all__ = [
    "LSALM",
    "PROBLEMS",
    "SOLVERS",
    "Certificate",
    "ConvergenceWarning",
    "Problem",
    "Progress",
    "Result",
    "Snapshot",
    "SparsePCA",
    "Status",
    "assignment",
    "certificate",
    "checks",
    "datasets",
    "metrics",
    "minimize",
    "nonsmooth",
    "path",
    "problems",
    "smooth",
    "solve",
    "solvers",
    "stability_radius",
    "starts",
    "stiefel",
    "stopping",
    "theoretical_parameters",
]


def __getattr__(name: str) -> Any:
    """Return what is imported when it is asked for: SparsePCA, which needs scikit-learn."""
    if name == "SparsePCA":
        from orthoprox.estimators.sparse_pca import SparsePCA

        return SparsePCA
    raise AttributeError(f"module 'orthoprox' has no attribute {name!r}")
