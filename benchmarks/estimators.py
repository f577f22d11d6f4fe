"""SparsePCA beside scikit-learn's SparsePCA and PCA at equal nonzeros; writes docs/estimators.md.

python -m benchmarks.estimators
"""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from benchmarks.calibration import unit
from benchmarks.estimator_limits import LARGEST, Limit
from benchmarks.estimator_tables import Table, held_out, looked_at, tables
from benchmarks.support_lists import all_supports, best_of, one_overlap, without_one
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.decomposition import SparsePCA as Rival
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import orthoprox as op
from orthoprox import SparsePCA
from orthoprox.reproduce.table import markdown

PAGE = Path(__file__).parents[1] / "docs" / "estimators.md"
LEVELS, SEEDS, SPAN = 12, 3, 30  # of the rival's penalty, which goes down from its largest by this factor
SMALL = 18  # entries of X up to which all supports are listed
EQUAL = 1e-6  # relative; explained variances closer than this are equal
Matrix = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cell:
    """One fit of the rival and ours with as many nonzeros."""

    table: str
    seed: int
    nonzeros: int
    variables: int
    ours: float  # explained share
    theirs: float
    pca: float
    found: int  # our nonzeros
    defect: float  # max |XX' - I|
    their_defect: float
    seconds: float
    their_seconds: float

    @property
    def gap(self) -> float:
        """Ours over theirs, less 1."""
        return self.ours / self.theirs - 1


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a fit returns and its processor seconds."""
    began = process_time()
    return fit(), process_time() - began


def share(A: Matrix, V: Matrix) -> float:
    """Return the share of the variance in the span of the rows of V."""
    Q = np.linalg.svd(V.T, full_matrices=False)[0][:, : np.linalg.matrix_rank(V)]
    return float(np.sum((A @ Q) ** 2) / np.sum(A**2))


def defect(V: Matrix) -> float:
    """Return max |VV' - I| of rows brought to length 1."""
    U = V / np.linalg.norm(V, axis=1, keepdims=True)
    return float(np.max(np.abs(U @ U.T - np.eye(len(U)))))


def largest_alpha(A: Matrix, n: int) -> float:
    """Return about the largest penalty with which no component of the rival vanishes."""
    alpha = 1.0
    while np.all(np.any(Rival(n, alpha=1.3 * alpha, random_state=0).fit(A).components_ != 0, axis=1)):
        alpha *= 1.3
    return alpha


def cells(name: str, table: Table) -> list[Cell]:
    """Return all cells of a table."""
    A, n = table
    largest, found = largest_alpha(A, n), []
    pca = float(np.sum(PCA(n, svd_solver="full").fit(A).explained_variance_ratio_))
    for seed in range(SEEDS):
        for alpha in np.geomspace(largest / SPAN, largest, LEVELS):
            while True:
                rival, their_seconds = timed(lambda a=alpha, s=seed: Rival(n, alpha=a, random_state=s).fit(A))
                V = rival.components_
                if np.all(np.any(V != 0, axis=1)):
                    break
                alpha *= 0.95  # a component has vanished
            k = int(np.count_nonzero(V))
            fitted, seconds = timed(lambda k=k, s=seed: SparsePCA(n, n_nonzero=k, random_state=s).fit(A))
            X = fitted.components_
            row = (share(A, X), share(A, V), pca, int(np.count_nonzero(X)), float(np.max(np.abs(X @ X.T - np.eye(n)))))
            found.append(Cell(name, seed, k, A.shape[1], *row, defect(V), seconds, their_seconds))
    print(name, sum(cell.gap > -EQUAL for cell in found), "of", len(found), file=sys.stderr, flush=True)
    return found


def summary(rows: list[Cell], one: float, name: str) -> list[str]:
    """Return the line of a table."""
    wins = sum(cell.gap > -EQUAL for cell in rows)
    return [
        name,
        f"{wins} of {len(rows)}",
        f"{100 * median(cell.gap for cell in rows):.2f}",
        f"{100 * min(cell.gap for cell in rows):.2f}",
        f"{sum(cell.found == cell.nonzeros for cell in rows)} of {len(rows)}",
        f"{max(cell.defect for cell in rows):.0e}",
        f"{max(cell.their_defect for cell in rows):.2f}",
        f"{median(cell.seconds for cell in rows) / one:.2f}",
        f"{median(cell.their_seconds for cell in rows) / one:.2f}",
    ]


SUMMARY = ["table", "at least the rival's", "median %", "worst %", "exact", "XX' - I", "rival's", "units", "rival's"]


def times(one: float) -> str:
    """Return the table of times."""
    wine, digits = load_wine(), load_digits().data

    def grid() -> Any:
        pipeline = make_pipeline(SparsePCA(4, scale=True), LogisticRegression(max_iter=1000))
        return GridSearchCV(pipeline, {"sparsepca__alpha": [0.03, 0.1, 0.3]}, cv=5).fit(wine.data, wine.target)

    fits: dict[str, Callable[[], Any]] = {
        "wine, n = 4, alpha = .1": lambda: SparsePCA(4, scale=True).fit(wine.data),
        "wine, n = 4, n_nonzero = 20": lambda: SparsePCA(4, n_nonzero=20, scale=True).fit(wine.data),
        "digits, n = 8, alpha = .1": lambda: SparsePCA(8, scale=True).fit(digits),
        "digits, n = 8, n_nonzero = 90": lambda: SparsePCA(8, n_nonzero=90, scale=True).fit(digits),
        "digits, n = 8, n_nonzero = 250": lambda: SparsePCA(8, n_nonzero=250, scale=True).fit(digits),
        "wine, 3 alphas x 5 folds in a pipeline": grid,
    }
    rows = []
    for name, fit in fits.items():
        fit()
        rows.append([name, f"{median(timed(fit)[1] for _ in range(5)) / one:.2f}"])
    return markdown(["fit", "units"], rows)


def pit_props() -> str:
    """Return the table of the pit props."""
    C = op.datasets.pitprops().correlation
    rows = [["Zou, Hastie and Tibshirani (2006)", "7 4 4 1 1 1", "", "75.8"]]
    for k in (16, 17, 18, 20):
        for criterion in ("variance", "adjusted"):
            fitted = SparsePCA(6, n_nonzero=k, criterion=criterion).fit_covariance(C, n_samples=180)
            counts = " ".join(str(number) for number in fitted.n_nonzero_)
            values = 100 * np.sum(fitted.explained_variance_ratio_), 100 * np.sum(fitted.adjusted_variance_) / 13
            rows.append([f'`n_nonzero={k}, criterion="{criterion}"`', counts, *(f"{value:.1f}" for value in values)])
    return markdown(["components", "nonzeros", "explained %", "adjusted %"], rows)


def limits(name: str, table: Table, rows: list[Cell]) -> list[list[str]]:
    """Return the lines of a table of what is out of reach: the rival explains more than any
    orthonormal components with as many nonzeros can, by a bound or by all supports.
    """
    lines, (A, n) = [], table
    C, m = A.T @ A * (A.shape[1] / np.sum(A**2)), A.shape[1]
    for k in sorted({cell.nonzeros for cell in rows if cell.gap < -EQUAL}):
        lost = [cell for cell in rows if cell.nonzeros == k and cell.gap < -EQUAL]
        theirs = min(cell.theirs for cell in lost)
        limit, how = _limit(C, n, k, theirs * m)
        print(name, k, how, file=sys.stderr, flush=True)
        beyond = sum(cell.theirs > limit / m * (1 + EQUAL) for cell in lost)
        values = [f"{100 * value:.3f}" for value in (lost[0].ours, theirs, limit / m)]
        lines.append([name, str(k), str(len(lost)), *values, how, str(beyond)])
    return lines


LIMITS = ["table", "nonzeros", "cells", "ours %", "rival's least %", "limit %", "limit by", "out of reach"]


def _limit(C: Matrix, n: int, k: int, theirs: float) -> tuple[float, str]:
    """Return the most that orthonormal components with k nonzeros explain, as far as it is known,
    and how.
    """
    m, above = len(C), theirs * (1 - 2 * EQUAL)
    pca = float(np.sum(np.linalg.eigvalsh(C)[-n:]))
    if m + n > LARGEST:
        return pca, "PCA"
    limit, listed = Limit(C, n).bound(k, above)
    if limit > above and m * n <= SMALL:
        best, number = best_of(C, all_supports(m, n, k))
        return best, f"{number:,} supports, Newton's method"
    if limit > above and n == 3 and k - m in (2, 3) and without_one(C, n) < theirs:
        best, number = best_of(C, one_overlap(C, k - m, 0.9999 * theirs), 0.9999 * theirs)
        return best, f"{number:,} supports, Newton's method"
    if limit >= pca * (1 - EQUAL):
        return pca, "PCA"
    return limit, f"groups, {listed:,} supports" if listed else "groups"


def details(rows: list[Cell]) -> str:
    """Return the levels of a table: nonzeros and explained variances."""
    lines = [
        [str(cell.nonzeros), f"{100 * cell.ours:.2f}", f"{100 * cell.theirs:.2f}", f"{100 * cell.pca:.2f}"]
        for cell in rows
        if cell.seed == 0
    ]
    return markdown(["nonzeros", "ours %", "scikit-learn's %", "PCA, dense %"], lines)


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore")
    one = median(unit() for _ in range(3))
    chosen, seen, new = tables(), looked_at(), held_out()
    every = chosen | seen | new
    found = {name: cells(name, table) for name, table in every.items()}
    beyond = [line for name, rows in found.items() for line in limits(name, every[name], rows)]
    lines = [summary(rows, one, _titled(name, seen, new)) for name, rows in found.items()]
    both = [cell for rows in found.values() for cell in rows]
    lines.append(summary(both, one, "all"))
    lines.append(summary([cell for cell in both if cell.table in new], one, "of these: held out"))
    structural = [cell for cell in both if cell.nonzeros == cell.variables + 1]
    lines.append(summary(structural, one, "of these: one nonzero more than variables"))
    parts = (PAGE.with_suffix("") / "page.md").read_text(encoding="utf-8").rstrip().split("\n<!-- tables -->\n")
    page = [parts[0], markdown(SUMMARY, lines), parts[1], markdown(LIMITS, beyond), parts[2], pit_props(), parts[3], times(one)]
    page += [parts[4]]
    page += [f"### {name}, n = {every[name][1]}\n\n{details(rows)}" for name, rows in found.items()]
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


def _titled(name: str, seen: dict[str, Table], new: dict[str, Table]) -> str:
    return f"{name} (looked at)" if name in seen else f"{name} (held out)" if name in new else name


if __name__ == "__main__":
    main()
