"""What is told of an analysis: the facts of a report, and the same as JSON has it."""

import math
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import orthoprox
from orthoprox import metrics
from orthoprox.cli.analysis import Analysis
from orthoprox.reports import Facts

_OTHERS = "numpy", "scipy", "scikit-learn"
_UNUSED = "start", "verbose", "warm_start"  # parameters that the command leaves as they are
_FORMAT = 1  # of result.json


def facts(analysis: Analysis, source: str, command: str) -> Facts:
    """Return the facts of an analysis."""
    estimator, result = analysis.estimator, analysis.estimator.result_
    return Facts(
        title=f"Sparse principal components of {source}",
        source=source,
        n_rows=analysis.table.values.shape[0],
        names=analysis.table.names,
        row_names=None if analysis.scores is None else analysis.table.row_names,
        components=np.asarray(estimator.components_, dtype=float),
        explained=np.asarray(estimator.explained_variance_ratio_, dtype=float),
        pca_explained=analysis.principal,
        scores=analysis.scores,
        curve=analysis.curve,
        certificate=certified(estimator),
        converged=result.converged,
        status=result.message,
        phases=tuple(analysis.parts),
        seconds=analysis.seconds,
        notes=tuple(analysis.notes),
        command=command,
        versions=versions(),
        settings={name: value for name, value in estimator.get_params().items() if name not in _UNUSED},
    )


def certified(estimator: Any) -> str:
    """Return what the certificate proves, in words."""
    result = estimator.result_
    problem = "the penalised problem" if estimator.n_nonzero is None else "the variance on the chosen nonzeros"
    apart = metrics.feasibility(np.asarray(estimator.components_, dtype=float).T)
    holds = f"The optimality conditions of {problem} hold to {result.stationarity:.1e}, relative"
    wanted = f"{estimator.tol:g} was wanted".replace("e-0", "e-")
    orthonormal = f"the components are orthonormal to {apart:.0e}"
    if result.converged:
        return f"{holds} ({wanted}), which is proved; {orthonormal}. A stationary point is proved, not a global optimum."
    return f"{holds} only ({wanted}): this is not a certified stationary point; {orthonormal}."


def record(told: Facts, analysis: Analysis) -> dict[str, Any]:
    """Return the facts as plain numbers, text, lists and dictionaries: enough to run it again."""
    estimator, result = analysis.estimator, analysis.estimator.result_
    components = [
        {
            "name": f"component_{number}",
            "explained": float(told.explained[number - 1]),
            "adjusted": float(_shares(estimator.adjusted_variance_, estimator)[number - 1]),
            "nonzeros": int(np.count_nonzero(loadings)),
            "loadings": {told.names[at]: float(loadings[at]) for at in by_size(loadings)},
        }
        for number, loadings in enumerate(told.components, 1)
    ]
    content: dict[str, Any] = _finite(
        {
            "format": _FORMAT,
            "title": told.title,
            "source": told.source,
            "rows": told.n_rows,
            "variables": list(told.names),
            "components": components,
            "explained": told.explained.tolist(),
            "explained_total": float(np.sum(told.explained)),
            "pca_explained": told.pca_explained.tolist(),
            "pca_explained_total": float(np.sum(told.pca_explained)),
            "nonzeros_total": int(np.count_nonzero(told.components)),
            "curve": None if told.curve is None else {"nonzeros": told.curve[0].tolist(), "explained": told.curve[1].tolist()},
            "status": told.status,
            "converged": told.converged,
            "certificate": told.certificate,
            "objective": result.objective,
            "stationarity": result.stationarity,
            "feasibility": result.feasibility,
            "iterations": result.iterations,
            "work": {name: int(value) for name, value in vars(result.work).items()},
            "seconds": told.seconds,
            "parts": [dict(zip(("name", "seconds", "gradients"), part, strict=True)) for part in told.phases],
            "notes": list(told.notes),
            "settings": dict(told.settings),
            "seed": told.settings["random_state"],
            "command": told.command,
            "versions": dict(told.versions),
        }
    )
    return content


def by_size(loadings: Any) -> list[int]:
    """Return the places of the nonzeros, the largest first."""
    order = np.argsort(-np.abs(loadings), kind="stable")
    return [int(at) for at in order if loadings[at] != 0]


def versions() -> dict[str, str]:
    """Return the versions of what was used."""
    found = {"orthoprox": orthoprox.__version__, "python": platform.python_version()}
    for name in _OTHERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def _shares(variances: Any, estimator: Any) -> Any:
    variance, share = float(estimator.explained_variance_[0]), float(estimator.explained_variance_ratio_[0])
    return np.asarray(variances, dtype=float) * (share / variance if variance > 0 else 0.0)


def _finite(value: Any) -> Any:
    """Return a value as JSON has it, which knows no infinity."""
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
