"""The constants of LSALM in the paper's experiments (Section 6)."""

from collections.abc import Callable

from orthoprox._arrays import inputs
from orthoprox._linalg.stiefel import random_point
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import lipschitz


def _quadratic(problem: Problem) -> dict[str, float]:
    return {"rho": 0.15, "lam": 1.35, "r": 1.25, "alpha": 0.1, "beta": 0.44, "eps": 1e-8, "dual_radius": 5.0}


def _sparse_pca(problem: Problem) -> dict[str, float]:
    m, n = problem.shape
    L = inputs.number(lipschitz(problem.smooth, random_point(m, n)), "The Lipschitz constant L in lam = 1/L")
    alpha = max(1, round(0.07 * (m * n) ** 0.5))
    return {"rho": 10.0, "lam": 1 / L, "r": 15.0, "alpha": alpha, "beta": 0.5, "eps": 1e-10, "dual_radius": 1e3}


def _matching(problem: Problem) -> dict[str, float]:
    return {"rho": 1.0, "lam": 0.025, "r": 1.0, "alpha": 6.0, "beta": 0.2, "eps": 1e-9, "dual_radius": 1e3}


CONSTANTS: dict[str, Callable[[Problem], dict[str, float]]] = {
    "quadratic": _quadratic,
    "sparse_pca": _sparse_pca,
    "matching": _matching,
}
