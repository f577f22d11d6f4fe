"""orthoprox: min l(X) + g(X) subject to X'X = I, with l smooth and g prox-friendly."""

from orthoprox import assignment, checks, datasets, metrics, nonsmooth, problems, smooth, solvers, starts, stiefel, stopping
from orthoprox.certificate import Certificate, certificate
from orthoprox.minimize import ConvergenceWarning, minimize
from orthoprox.path import path
from orthoprox.problem import Problem
from orthoprox.problems import PROBLEMS
from orthoprox.progress import Progress
from orthoprox.result import Result
from orthoprox.snapshot import Snapshot
from orthoprox.solve import solve
from orthoprox.solvers import LSALM, SOLVERS
from orthoprox.stopping import Status
from orthoprox.theory import stability_radius, theoretical_parameters

__version__ = "0.1.0"

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
