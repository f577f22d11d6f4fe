"""orthoprox: min l(X) + g(X) subject to X'X = I, with l smooth and g prox-friendly."""

from importlib import import_module
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
    from orthoprox import anndata
    from orthoprox.estimators.matching import match_graphs
    from orthoprox.estimators.selector import RowSparseSelector
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
    "RowSparseSelector",
    "Snapshot",
    "SparsePCA",
    "Status",
    "anndata",
    "assignment",
    "certificate",
    "checks",
    "datasets",
    "match_graphs",
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


_LATER = {  # what is imported when it is asked for, as it needs scikit-learn, or is seldom needed
    "RowSparseSelector": "orthoprox.estimators.selector",
    "SparsePCA": "orthoprox.estimators.sparse_pca",
    "match_graphs": "orthoprox.estimators.matching",
    "anndata": "orthoprox.anndata",
}


def __getattr__(name: str) -> Any:
    """Return what is imported when it is asked for: estimators, which need scikit-learn."""
    if name not in _LATER:
        raise AttributeError(f"module 'orthoprox' has no attribute {name!r}")
    module = import_module(_LATER[name])
    return module if name == "anndata" else getattr(module, name)
