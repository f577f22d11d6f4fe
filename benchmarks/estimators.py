"""SparsePCA beside scikit-learn's SparsePCA and PCA at equal nonzeros; writes docs/estimators.md.

python -m benchmarks.estimators
"""

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from benchmarks.calibration import unit
from benchmarks.estimator_limits import all_supports, best_of, one_overlap, without_one
from benchmarks.estimator_tables import Table, held_out, tables
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
LOOKED_AT = "star98", "USJudgeRatings", "Hitters", "mtcars", "Boston", "cars"  # when candidates were chosen
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


def limits(name: str, rows: list[Cell]) -> list[list[str]]:
    """Return the lines of a table of what is out of reach: the rival explains more than any
    orthonormal components with as many nonzeros can, by a bound or by all supports.
    """
    lines, (A, n) = [], (tables() | held_out())[name]
    C, m = A.T @ A * (A.shape[1] / np.sum(A**2)), A.shape[1]
    for k in sorted({cell.nonzeros for cell in rows if cell.gap < -EQUAL}):
        lost = [cell for cell in rows if cell.nonzeros == k and cell.gap < -EQUAL]
        theirs = min(cell.theirs for cell in lost)
        limit, how = _limit(C, n, k, theirs * m)
        beyond = sum(cell.theirs > limit / m * (1 + EQUAL) for cell in lost)
        values = [f"{100 * value:.3f}" for value in (lost[0].ours, theirs, limit / m)]
        lines.append([name, str(k), str(len(lost)), *values, how, str(beyond)])
    return lines


LIMITS = ["table", "nonzeros", "cells", "ours %", "rival's least %", "limit %", "limit by", "out of reach"]


def _limit(C: Matrix, n: int, k: int, theirs: float) -> tuple[float, str]:
    """Return the most that orthonormal components with k nonzeros explain, as far as it is known,
    and how.
    """
    m = len(C)
    left_out = without_one(C, n)
    if k == m + 1:
        return left_out, "a variable left out"
    if m * n <= 18:
        best, number = best_of(C, all_supports(m, n, k))
        return best, f"all {number:,} supports"
    if n == 3 and k - m in (2, 3) and left_out < theirs:
        best, number = best_of(C, one_overlap(C, k - m, 0.9999 * theirs), 0.9999 * theirs)
        return best, f"{number:,} supports, others below"
    return float(np.sum(np.linalg.eigvalsh(C)[-n:])), "PCA"


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
    with ProcessPoolExecutor(2, initializer=warnings.simplefilter, initargs=("ignore",)) as pool:
        runs = {name: pool.submit(cells, name, table) for name, table in (tables() | held_out()).items()}
        found = {name: run.result() for name, run in runs.items()}
        beyond = [line for lines in pool.map(limits, found, found.values()) for line in lines]
    chosen = {name: found[name] for name in tables()}
    other = {name: found[name] for name in held_out()}
    every = [cell for rows in (chosen | other).values() for cell in rows]
    structural = [cell for cell in every if cell.nonzeros == cell.variables + 1]
    parts = (PAGE.with_suffix("") / "page.md").read_text(encoding="utf-8").rstrip().split("\n<!-- tables -->\n")
    lines = [summary(rows, one, name) for name, rows in chosen.items()]
    lines += [
        summary(rows, one, f"{name} ({'looked at' if name in LOOKED_AT else 'held out'})") for name, rows in other.items()
    ]
    lines += [summary(every, one, "all"), summary(structural, one, "of these: one nonzero more than variables")]
    page = [parts[0], markdown(SUMMARY, lines), parts[1], markdown(LIMITS, beyond), parts[2], pit_props(), parts[3], times(one)]
    page += [parts[4]]
    page += [f"### {name}, n = {len_components(name)}\n\n{details(rows)}" for name, rows in (chosen | other).items()]
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


def len_components(name: str) -> int:
    """Return the number of components of a table."""
    return (tables() | held_out())[name][1]


if __name__ == "__main__":
    main()
