"""The cases, as wide.toml says."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.wide.instances import Data, cells, planted, words
from benchmarks.wide.real import TABLES

import orthoprox as op

SETTINGS = Path(__file__).parents[1] / "wide.toml"
PARTS = "tuning", "heldout"
KINDS = "planted", "counts", "five", "estimator", "real"


@dataclass(frozen=True)
class Case:
    """One call on one table."""

    kind: str  # of KINDS
    part: str  # of PARTS
    variant: str
    seed: int
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """What tells this case from all others."""
        return self.variant if self.kind == "real" else f"{self.variant}, seed {self.seed}"

    @property
    def at(self) -> dict[str, str]:
        """The same, as a place in a file of rows."""
        return {"study": self.kind, "case": self.name}

    def data(self) -> Data | None:
        """Return the data and the planted X, or None for a table that is not at hand."""
        o = dict(self.options)
        sizes = {"seed": self.seed, "p": o.pop("p", 0), "m": o.pop("m", 0)}
        if self.kind == "real":
            A = TABLES[self.variant]()
            return None if A is None else (A / A.shape[0] ** 0.5, None)
        if self.kind == "five":
            return op.datasets.five_components(sizes["p"], sizes["m"], seed=self.seed), None
        if self.kind == "counts":
            A, _ = {"words": words, "cells": cells}[self.variant](**sizes)
            return A / sizes["p"] ** 0.5, None
        return planted(**sizes, **{name: value for name, value in o.items() if name not in ("mu", "number")})

    def problem(self, A: Any) -> op.Problem:
        """Return the problem on these data; those of factors are centred."""
        center = self.kind in ("counts", "real")
        return op.problems.sparse_pca(A, self.options["n"], self.options.get("mu", 0.0), center=center)


def settings() -> dict[str, Any]:
    """Return all settings."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def cases(part: str | None = None) -> Iterator[Case]:
    """Yield the cases of one part, or of both; real tables are held out."""
    everything = settings()
    for kind in KINDS:
        for variant, options in everything[kind].items():
            for own in PARTS if kind != "real" else PARTS[1:]:
                number = options.get("number", 1) if own == "heldout" else everything["tuning"]["number"]
                for seed in range(everything[own]["first"], everything[own]["first"] + number):
                    if part in (None, own):
                        yield Case(kind, own, variant, seed, options)


def value(problem: op.Problem, X: Any) -> float:
    """Return f at the nearest point with X'X = I."""
    return float(problem.value(op.stiefel.polar(np.asarray(X))))
